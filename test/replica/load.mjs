import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/genesis/development-accounts.js'
import { createAddress } from '../../dist/chain/transaction/contract-address.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'
import { request, result } from '../crash/client.mjs'

/** LOG1 with the first word of the calldata as topic and 32 zero bytes of data; the init code returns it. */
const EMITTER_INIT = '0x6860003560206000a10060005260096017f3'
/** Account 0 deploys it first of all. */
const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0].address, 0n)
const GWEI = 1_000_000_000n

/**
 * Wallets that send through any of the nodes, one transaction after the other, and look for it where they sent it.
 *
 * @param urls gives the nodes as they are now
 * @param onAcknowledged hears the hash of every transaction that a node took
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
        // The node that sequences was killed, or the connection to it cut: a wallet tries again.
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
