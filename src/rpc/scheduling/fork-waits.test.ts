import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { ForkError } from '../../fork/source/fork-error.ts'
import { ANONYMOUS } from '../protocol/rpc-client.ts'
import { ForkWaits } from './fork-waits.ts'
import { RunQueue } from './run-queue.ts'
import { ClientGoneError, createYield, timeSlices } from './time-slices.ts'

const LIMIT_MS = 1_000

function start() {
  const clock = new ManualClock({ wall: 0 })
  const fork = {
    waitLimitMs: LIMIT_MS,
    waitError: (method: string) => new ForkError('FORK_TIMEOUT', `${method} waited`),
    prefetcher: { prefetch: async () => {} },
  }
  const client = { isGone: () => false }
  const waits = new ForkWaits({ method: 'eth_call' }, { clock, fork, client })
  const loadFor = (ms: number) => waits.awaitLoad(async () => clock.moveTo(clock.monotonic() + ms))
  return { clock, client, waits, loadFor }
}

test('time in which a request waits for the forked node does not count towards its time limit', async () => {
  const { clock, waits, loadFor } = start()
  const queue = new RunQueue({ now: () => clock.monotonic(), nextRound: queueMicrotask })
  const pausedMs = () => waits.totalMs
  const mayContinue = timeSlices(clock, 100, createYield(clock, queue, ANONYMOUS), pausedMs)

  await loadFor(500)
  expect(await mayContinue()).toBe(true)
  clock.moveTo(clock.monotonic() + 101)

  expect(mayContinue()).toBe(false)
})

test('loads at the same time count once', async () => {
  const { clock, waits } = start()
  const ends: (() => void)[] = []
  const load = () => new Promise<void>((resolve) => ends.push(resolve))
  const waiting = Promise.all([waits.awaitLoad(load), waits.awaitLoad(load)])

  clock.moveTo(300)
  expect(waits.totalMs).toBe(300)
  for (const end of ends) end()
  await waiting

  clock.moveTo(900)
  expect(waits.totalMs).toBe(300)
})

test('a request that has waited for longer than its limit ends with the error of the fork', async () => {
  const { loadFor } = start()
  await loadFor(LIMIT_MS)
  await loadFor(1)

  await expect(loadFor(1)).rejects.toThrow('eth_call waited')
})

test('a request of a client that has disconnected begins no further load', async () => {
  const { clock, client, loadFor } = start()
  await loadFor(10)
  client.isGone = () => true

  await expect(loadFor(10)).rejects.toThrow(ClientGoneError)

  expect(clock.monotonic()).toBe(10)
})
