import { expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { ThreadPool } from './thread-pool.ts'

/** A pool whose thread cannot start: its program is not beside the source. */
async function setUp(burstThreads: number) {
  const manual = await startRpcNode()
  const { node } = manual
  const { blockTimeMs, slots, gasLimit, finalityDepth } = node
  const { genesis } = createNetwork()
  const failures: object[] = []
  const workers = new ThreadPool(
    {
      count: 1,
      maxWaiting: 8,
      stallLimitMs: 60_000,
      burstThreads,
      genesis,
      finalityDepth,
      blockTimeMs,
      slots,
      gasLimit,
      rpc: manual.options,
    },
    { node, log: { error: (details) => failures.push(details) } },
  )
  const { sequence, sealed } = node.view().head
  const request = { sequence, sealed, text: '{"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[]}' }
  return { workers, failures, requests: [request, request, request], stop: manual.stop }
}

test('returns burst requests of a thread that ended to the caller', async () => {
  const { workers, failures, requests, stop } = await setUp(1)
  // The requests arrive together often enough to start a thread, which has no room until it follows the chain.
  for (let count = 0; count < 100; count++) expect(workers.bursts!.room()).toBe(0)
  expect(await workers.bursts!.run(requests)).toEqual([])
  expect(failures).toHaveLength(1)
  // There is no thread, and no room.
  expect(await workers.bursts!.run(requests)).toEqual([])
  await workers.close()
  expect(workers.bursts!.room()).toBe(0)
  await stop()
})

test('starts a thread before the first request, once', async () => {
  const { workers, stop } = await setUp(1)
  const both = [workers.prepare(), workers.prepare()]
  expect(workers.threads).toBe(1)
  await workers.close()
  expect(await Promise.all(both)).toEqual([false, false])
  expect(await workers.prepare()).toBe(false)
  expect(workers.threads).toBe(0)
  await stop()
})

test('starts no thread for requests of the node itself', async () => {
  const { workers, requests, stop } = await setUp(1)
  const { room, run: request } = workers.forItself.bursts!
  for (let count = 0; count < 100; count++) expect(room()).toBe(0)
  expect(workers.threads).toBe(0)
  expect(await request(requests)).toEqual([])
  await workers.close()
  await stop()
})

test('starts no threads for short requests with one processor', async () => {
  const { workers, stop } = await setUp(0)
  expect(workers.bursts).toBeUndefined()
  expect(await workers.prepare()).toBe(false)
  expect(workers.threads).toBe(0)
  await workers.close()
  await stop()
})
