// Transactions as quickly as a node takes them: how many it accepts, and how many get into blocks meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { httpWire } from './http-wire.mjs'
import { ask } from './json-rpc.mjs'
import { runLoad } from './load.mjs'

const LOOK_EVERY = 10
/** Milliseconds after the load in which everything accepted has to get into a block. */
const INCLUSION_LIMIT = 20_000

/**
 * One connection a sender, one transaction of it under way, so that nonces come in order.
 *
 * @param {{ raw: string }[][]} queues of each sender
 * @returns the load's result, and `included`: per second, between the first and the last block made under load after the warm-up
 */
export async function runWriteLoad(peer, queues, { warmUp, milliseconds }) {
  const messages = queues.map((queue) =>
    queue.map(({ raw }) =>
      httpWire.encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] })),
    ),
  )
  const positions = queues.map(() => 0)
  let isLoaded = true
  let isWatching = true
  const seals = []
  const watching = watch()
  await peer.startMaking()
  const countsFrom = performance.now() + warmUp
  const options = { connections: queues.length, pipeline: 1, warmUp, milliseconds }
  const next = (connection) => messages[connection][positions[connection]++]
  const load = await runLoad(peer, httpWire, next, options)
  isLoaded = false
  const sent = queues.reduce((sum, queue, index) => sum + Math.min(queue.length, positions[index]), 0)
  const limit = performance.now() + INCLUSION_LIMIT
  // What was under way when the load ended may have been accepted or not.
  const isIncluded = () => seals.reduce((sum, { count }) => sum + count, 0) >= sent - queues.length
  while (!isIncluded() && performance.now() < limit) await sleep(LOOK_EVERY)
  isWatching = false
  await watching
  if (!isIncluded()) throw new Error(`not everything accepted was in a block ${INCLUSION_LIMIT} ms later`)
  const loaded = seals.filter(({ isLoaded, at, count }) => isLoaded && at > countsFrom && count > 0)
  const span = loaded.length < 2 ? Number.NaN : loaded.at(-1).at - loaded[0].at
  const count = loaded.slice(1).reduce((sum, seal) => sum + seal.count, 0)
  return { ...load, included: count / (span / 1000), blocks: loaded.length }

  async function watch() {
    let height = Number(await ask(peer.port, 'eth_blockNumber'))
    while (isWatching) {
      const now = Number(await ask(peer.port, 'eth_blockNumber'))
      const at = performance.now()
      for (const seen = isLoaded; height < now; ) {
        height += 1
        const tag = `0x${height.toString(16)}`
        const transactions = await ask(peer.port, 'eth_getBlockTransactionCountByNumber', [tag])
        seals.push({ at, count: Number(transactions), isLoaded: seen })
      }
      await sleep(LOOK_EVERY)
    }
  }
}
