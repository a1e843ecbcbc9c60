// Transactions that a node mines per second when it mines each as it arrives.
import { createClient } from './json-rpc-client.mjs'
import { percentile } from './statistics.mjs'
import { untilMined } from './token-senders.mjs'

/** Milliseconds to wait for the receipt of a transaction that was acknowledged. */
const RECEIPT_LIMIT = 500

/**
 * @param {{ port: number, pid: number }} node
 * @param {string[]} addresses of the senders
 * @param {string[][]} queues of signed transactions by sender, the same for each node
 */
export function createAutomineLoad(node, addresses, queues) {
  const positions = queues.map(() => 0)
  let turn = 0

  function take(sender) {
    const raw = queues[sender][positions[sender]++]
    if (raw === undefined) throw new Error('more transactions were mined than signed: SIGNED_PER_SECOND is too low')
    return raw
  }
  /** The next transaction when senders alternate. */
  const takeAny = () => take(turn++ % queues.length)

  /** @returns transactions per second, from the first send until the last is mined */
  async function measure(connections, milliseconds, next) {
    const before = sent()
    const start = performance.now()
    const send = async (connection) => {
      const client = createClient(node.port)
      while (performance.now() < start + milliseconds)
        await client.request('eth_sendRawTransaction', [next(connection)])
      client.close()
    }
    await Promise.all(Array.from({ length: connections }, (_, connection) => send(connection)))
    await untilMined(node.port, addresses, positions)
    return ((sent() - before) * 1_000) / (performance.now() - start)
  }
  const sent = () => positions.reduce((sum, position) => sum + position, 0)

  return {
    /** One connection per sender, one transaction in flight on each. */
    concurrent: (milliseconds) => measure(queues.length, milliseconds, take),
    /** One connection that sends the next transaction when the last one was answered. */
    serial: (milliseconds) => measure(1, milliseconds, takeAny),
    /**
     * One connection that sends the next transaction when it has the receipt of the last one, as a test does. Anvil
     * sometimes leaves a transaction in its pool that arrives while it ends a block; it is asked to mine it then.
     *
     * @returns transactions per second at the median time from a send to its receipt, which such cases do not change
     */
    async awaited(milliseconds) {
      const client = createClient(node.port)
      const times = []
      for (const end = performance.now() + milliseconds; performance.now() < end; ) {
        const start = performance.now()
        const hash = await client.request('eth_sendRawTransaction', [takeAny()])
        while ((await client.request('eth_getTransactionReceipt', [hash])) === null) {
          if (performance.now() - start > RECEIPT_LIMIT) await client.request('evm_mine')
        }
        times.push(performance.now() - start)
      }
      client.close()
      return 1_000 / percentile(times, 0.5)
    },
  }
}
