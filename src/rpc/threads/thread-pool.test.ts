import { expect, test } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { ThreadPool } from './thread-pool.ts'

/** A pool whose thread cannot start: its program is not beside the source. */
async function setUp() {
  const manual = await startRpcNode()
  const { node } = manual
  const { blockTimeMs, slots, gasLimit, finalityDepth } = node
  const { genesis } = createNetwork()
  const workers = new ThreadPool(
    {
      count: 1,
      maxWaiting: 8,
      stallLimitMs: 60_000,
      genesis,
      finalityDepth,
      blockTimeMs,
      slots,
      gasLimit,
      rpc: manual.options,
    },
    { node, log: { error: () => undefined } },
  )
  return { workers, nextFlashblock: manual.nextFlashblock, stop: manual.stop }
}

test('starts no thread before a request needs one', async () => {
  const { workers, nextFlashblock, stop } = await setUp()
  await nextFlashblock()
  expect(workers.threads).toBe(0)
  await workers.close()
  await stop()
})

test('is free only when a thread has loaded its program, and starts one thread at a time', async () => {
  const { workers, stop } = await setUp()
  expect(workers.isFree()).toBe(false)
  workers.startSpareThread()
  workers.startSpareThread()
  expect(workers.threads).toBe(1)
  expect(workers.isFree()).toBe(false)
  await workers.close()
  workers.startSpareThread()
  expect(workers.threads).toBe(0)
  await stop()
})
