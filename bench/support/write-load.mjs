// Sends transactions as fast as a node accepts them, and counts how many it accepts and includes.
import { setTimeout as sleep } from 'node:timers/promises'
import { httpWire } from './http-wire.mjs'
import { request } from './json-rpc.mjs'
import { runLoad } from './load.mjs'

const LOOK_EVERY = 10
/** Milliseconds after the load in which all accepted transactions must be included. */
const INCLUSION_LIMIT = 20_000
/** Milliseconds in which requests in flight at the end of a round must complete. */
const RESPONSE_TIMEOUT_MS = 20_000

/** Transactions of each sender, as sent to every node. */
export function encodeSends(queues) {
  return queues.map((queue) =>
    queue.map(({ raw }) =>
      httpWire.encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] })),
    ),
  )
}

/**
 * One connection per sender with one transaction in flight, so that nonces arrive in order.
 *
 * @param {Buffer[][]} messages of each sender
 * @returns runs a round, which continues where the previous one ended. Its result: that of the load, and the number of
 *   transactions (`included`) in blocks sealed under load within `span` milliseconds (0: fewer than two blocks)
 */
export function createWriteLoad(peer, messages) {
  const positions = messages.map(() => 0)
  const sent = () => messages.reduce((sum, queue, index) => sum + Math.min(queue.length, positions[index]), 0)

  return async ({ warmUp, milliseconds }) => {
    let isLoaded = true
    let isWatching = true
    const seals = []
    const sentBefore = sent()
    const watching = watch()
    await peer.startMaking()
    const begin = performance.now()
    const countsFrom = begin + warmUp
    // Requests in flight at the end are completed: a lost transaction would leave a nonce gap before the next round.
    const next = (connection) =>
      performance.now() < countsFrom + milliseconds ? messages[connection][positions[connection]++] : undefined
    const load = await runLoad(peer, httpWire, next, {
      connections: messages.length,
      pipeline: 1,
      warmUp,
      milliseconds: milliseconds + RESPONSE_TIMEOUT_MS,
    })
    isLoaded = false
    const limit = performance.now() + INCLUSION_LIMIT
    const isIncluded = () => seals.reduce((sum, { count }) => sum + count, 0) >= sent() - sentBefore
    while (!isIncluded() && performance.now() < limit) await sleep(LOOK_EVERY)
    isWatching = false
    await watching
    if (!isIncluded()) throw new Error(`accepted transactions are not included after ${INCLUSION_LIMIT} ms`)
    const loaded = seals.filter(({ isLoaded, at, count }) => isLoaded && at > countsFrom && count > 0)
    const included = loaded.slice(1).reduce((sum, seal) => sum + seal.count, 0)
    return { ...load, included, span: loaded.length < 2 ? 0 : loaded.at(-1).at - loaded[0].at }

    async function watch() {
      let height = Number(await request(peer.port, 'eth_blockNumber'))
      while (isWatching) {
        const now = Number(await request(peer.port, 'eth_blockNumber'))
        const at = performance.now()
        for (const seen = isLoaded; height < now; ) {
          height += 1
          const tag = `0x${height.toString(16)}`
          const transactions = await request(peer.port, 'eth_getBlockTransactionCountByNumber', [tag])
          seals.push({ at, count: Number(transactions), isLoaded: seen })
        }
        await sleep(LOOK_EVERY)
      }
    }
  }
}
