import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { createAddress } from '../../dist/chain/transaction/contract-address.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'
import { request, result } from '../crash/client.mjs'

/** Runtime: LOG1 with the first calldata word as topic and 32 zero bytes of data. The init code returns it. */
const EMITTER_INIT = '0x6860003560206000a10060005260096017f3'
/** The contract that account 0 deploys first. */
const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0].address, 0n)
const GWEI = 1_000_000_000n

/**
 * Wallets that send sequentially through any node and look up each transaction on the node they sent it to.
 *
 * @param urls returns the current nodes
 * @param onAcknowledged called with the hash of every accepted transaction
 */
export function startLoad(urls, random, onAcknowledged = () => {}) {
  const counts = { sent: 0, refused: 0, unanswered: 0, unread: [] }
  let isStopped = false
  const running = DEVELOPMENT_ACCOUNTS.map((account, index) => wallet(account, index))
  return {
    counts,
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
  }

  async function wallet(account, index) {
    while (!isStopped) {
      const nodes = urls()
      const url = nodes[Math.floor(random() * nodes.length)]
      try {
        await send(url, account, index)
      } catch {
        // The sequencer was killed or disconnected: a wallet retries.
        counts.unanswered += 1
      }
      await new Promise((resolve) => setTimeout(resolve, random() * 500))
    }
  }

  async function send(url, account, index) {
    const nonce = BigInt(await result(url, 'eth_getTransactionCount', account.address, 'pending'))
    const { raw, hash } = signTransaction(transaction(index, nonce), account.privateKey)
    const response = await request(url, 'eth_sendRawTransaction', bytesToHex(raw))
    if (response.error !== undefined) {
      counts.refused += 1
      return
    }
    counts.sent += 1
    onAcknowledged(hash)
    const { status } = await result(url, 'tickertape_transactionStatus', hash)
    if (status === 'unknown') counts.unread.push(hash)
  }

  function transaction(index, nonce) {
    const base = { type: 2, chainId: 31_337n, nonce, value: 0n, data: new Uint8Array(0), accessList: [] }
    const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 1_000_000n }
    const choice = random()
    if ((index === 0 && nonce === 0n) || choice > 0.9) {
      return { ...base, ...fees, to: null, gasLimit: 200_000n, data: hexToBytes(EMITTER_INIT) }
    }
    if (choice > 0.4) {
      const topic = Math.floor(random() * 1e9)
        .toString(16)
        .padStart(64, '0')
      return { ...base, ...fees, to: EMITTER, gasLimit: 100_000n, data: hexToBytes(`0x${topic}`) }
    }
    const { address: to } = DEVELOPMENT_ACCOUNTS[Math.floor(random() * DEVELOPMENT_ACCOUNTS.length)]
    return { ...base, ...fees, to, gasLimit: 21_000n, value: BigInt(Math.floor(random() * 1e9)) }
  }
}
