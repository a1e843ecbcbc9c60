// Transactions that a node mines per second when it mines each as it arrives.
import { httpWire } from './http-wire.mjs'
import { createClient } from './json-rpc-client.mjs'
import { runLoad } from './load.mjs'
import { untilMined } from './token-senders.mjs'

/** Milliseconds in which requests in flight at the end of a round must complete. */
const RESPONSE_TIMEOUT_MS = 20_000
const encode = (method, params) => httpWire.encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))

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
    const load = await runLoad(
      node,
      httpWire,
      (connection) => (performance.now() < start + milliseconds ? next(connection) : undefined),
      {
        connections,
        pipeline: 1,
        warmUp: 0,
        milliseconds: milliseconds + RESPONSE_TIMEOUT_MS,
      },
    )
    if (load.errors > 0) throw new Error(`${node.name} refused a transaction: ${load.firstError}`)
    await untilMined(node.port, addresses, positions)
    return ((sent() - before) * 1_000) / (performance.now() - start)
  }
  const sent = () => positions.reduce((sum, position) => sum + position, 0)

  return {
    /** One connection per sender, one transaction in flight on each. */
    concurrent: (milliseconds) =>
      measure(queues.length, milliseconds, (sender) => encode('eth_sendRawTransaction', [take(sender)])),
    /** One connection that sends the next transaction when the last one was answered. */
    serial: (milliseconds) => measure(1, milliseconds, () => encode('eth_sendRawTransaction', [takeAny()])),
    /** One connection that sends the next transaction when it has the receipt of the last one, as a test does. */
    async awaited(milliseconds) {
      const client = createClient(node.port)
      const start = performance.now()
      let count = 0
      for (; performance.now() < start + milliseconds; count += 1) {
        const hash = await client.request('eth_sendRawTransaction', [takeAny()])
        while ((await client.request('eth_getTransactionReceipt', [hash])) === null);
      }
      const elapsed = performance.now() - start
      client.close()
      return (count * 1_000) / elapsed
    },
  }
}
