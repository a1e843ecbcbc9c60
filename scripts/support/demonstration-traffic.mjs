// Traffic as a demonstration chain has it: transfers of stocks and of ether between the development accounts, in waves.
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'

const STOCKS = ['0x5700000000000000000000000000000000000001', '0x5700000000000000000000000000000000000003']
const TRANSFER = '0xa9059cbb'
const ROUND_MS = 50
const FEES = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000n }

export async function rpc(url, method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

const word = (hex) => hex.replace('0x', '').padStart(64, '0')

/** The n-th call: the owner of the stocks distributes them, and all accounts send ether. */
function callOf(index) {
  const sender = index % 3 === 0 ? (index / 3) % DEVELOPMENT_ACCOUNTS.length : 0
  const recipient = DEVELOPMENT_ACCOUNTS[(index * 7 + 3) % DEVELOPMENT_ACCOUNTS.length].address
  if (index % 3 === 0) return { sender, to: recipient, value: BigInt(index % 40) * 10n ** 16n, data: '0x' }
  const amount = (BigInt((index * 13) % 97) + 1n) * 25n * 10n ** 16n
  const data = `${TRANSFER}${word(recipient)}${word(amount.toString(16))}`
  return { sender, to: STOCKS[Math.floor(index / 3) % STOCKS.length], value: 0n, data }
}

/**
 * Sends transactions to a fresh development chain until it is stopped.
 *
 * @param {string} url JSON-RPC of the node
 * @returns ends the traffic, and resolves with the hash of the last transfer of a stock
 */
export async function startTraffic(url) {
  const chainId = BigInt(await rpc(url, 'eth_chainId'))
  const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
  let index = 0
  let lastTransfer
  let isStopped = false
  const sendOne = async () => {
    const { sender, to, value, data } = callOf(index)
    index += 1
    const { raw } = signTransaction(
      {
        type: 2,
        chainId,
        nonce: nonces[sender]++,
        to,
        value,
        data: hexToBytes(data),
        gasLimit: 120_000n,
        accessList: [],
        ...FEES,
      },
      DEVELOPMENT_ACCOUNTS[sender].privateKey,
    )
    const hash = await rpc(url, 'eth_sendRawTransaction', [bytesToHex(raw)])
    if (value === 0n && data !== '0x') lastTransfer = hash
  }
  const running = (async () => {
    for (let round = 0; !isStopped; round += 1) {
      const count = Math.round(1.6 + 1.4 * Math.sin(round / 9) + 0.8 * Math.sin(round / 2.3))
      for (let sent = 0; sent < count; sent += 1) await sendOne()
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS))
    }
  })()
  return async () => {
    isStopped = true
    await running
    return lastTransfer
  }
}
