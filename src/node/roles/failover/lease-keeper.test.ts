import { beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/support/manual-clock.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import type { Lease } from './lease.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import type { PeerIdentity } from './peers.ts'

/** A lease with scripted responses. */
class TestLease implements Lease {
  readonly holder = undefined
  response: boolean | Error = false
  readonly requested: { readonly at: number; readonly mayTake: boolean }[] = []
  released = 0
  readonly passedTo: string[] = []
  /** Whether this node holds the lease when it passes it on, and whether it can take it back. */
  canPass = true
  canTakeBack: boolean | Error = true
  readonly #clock: ManualClock

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  async hold(mayTake: boolean): Promise<boolean> {
    this.requested.push({ at: this.#clock.monotonic(), mayTake })
    if (this.response instanceof Error) throw this.response
    return this.response
  }

  async release(): Promise<void> {
    this.released += 1
  }

  async pass({ name }: PeerIdentity): Promise<boolean> {
    this.passedTo.push(name)
    return this.canPass
  }

  async takeBack(): Promise<boolean> {
    if (this.canTakeBack instanceof Error) throw this.canTakeBack
    return this.canTakeBack
  }

  async close(): Promise<void> {}
}

let clock: ManualClock
let lease: TestLease
let keeper: LeaseKeeper
let isWanted: boolean
let changes: boolean[]
let failures: unknown[]
let warnings: number

beforeEach(() => {
  clock = new ManualClock({ wall: 0 })
  lease = new TestLease(clock)
  isWanted = true
  changes = []
  failures = []
  warnings = 0
  keeper = new LeaseKeeper(
    { pollIntervalMs: 200, renewIntervalMs: 300, graceMs: 500 },
    {
      lease,
      clock,
      isWanted: () => isWanted,
      onChange: (isHeld) => changes.push(isHeld),
      onFailure: (error) => failures.push(error),
      log: {
        warn: () => {
          warnings += 1
        },
      },
    },
  )
})

/** Runs everything that is due by then. */
async function until(instant: number): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    const { next } = clock
    if (next === undefined || next > instant) break
    clock.moveTo(next)
  }
  clock.moveTo(instant)
}

test('polls a lease of another node and renews its own', async () => {
  keeper.start()
  await until(450)
  lease.response = true
  await until(1_300)
  expect(lease.requested.map(({ at }) => at)).toEqual([0, 200, 400, 600, 900, 1_200])
  expect(changes).toEqual([true])
  lease.response = false
  await until(1_750)
  expect(lease.requested.slice(6).map(({ at }) => at)).toEqual([1_500, 1_700])
  expect(changes).toEqual([true, false])
})

test('a node that cannot lead does not acquire a lease, but keeps its own', async () => {
  isWanted = false
  lease.response = true
  keeper.start()
  await until(1_000)
  expect(lease.requested).toEqual([])
  isWanted = true
  await until(1_250)
  expect(changes).toEqual([true])
  isWanted = false
  await until(1_600)
  expect(lease.requested.map(({ at }) => at)).toEqual([1_200, 1_500])
})

test('keeps its role and logs one warning while the lease is unreachable', async () => {
  lease.response = true
  keeper.start()
  await until(100)
  lease.response = new Error('timeout')
  await until(3_000)
  expect(changes).toEqual([true])
  expect(warnings).toBe(1)
  lease.response = true
  await until(4_000)
  expect(changes).toEqual([true])
})

test('logs a clock that stays wrong once, however far it is off at each attempt', async () => {
  keeper.start()
  for (let attempt = 1; attempt <= 5; attempt++) {
    lease.response = new ReplicatedLogError('UNREACHABLE', `its clock differs by ${3_600_000 + attempt} ms`)
    await until(attempt * 200)
  }
  await keeper.stop()

  expect(warnings).toBe(1)
})

test('after an outage, the previous holder may acquire the lease before others', async () => {
  const standby = lease
  keeper.start()
  await until(100)
  standby.response = new Error('timeout')
  await until(1_000)
  standby.response = false
  await until(1_900)
  const confirmedAt = standby.requested.find(({ at }) => at > 1_000)!.at
  for (const { at, mayTake } of standby.requested.filter((one) => one.at >= confirmedAt)) {
    expect({ at, mayTake }).toEqual({ at, mayTake: at >= confirmedAt + 500 })
  }
  // The previous holder, in contrast, may acquire its own lease at any time.
  standby.response = true
  await until(2_300)
  standby.response = new Error('timeout')
  await until(3_000)
  expect(standby.requested.at(-1)?.mayTake).toBe(true)
})

test('acquires a released lease again, and ignores requests made before the release', async () => {
  lease.response = true
  keeper.start()
  await until(100)
  const released = keeper.release()
  lease.response = false
  await released
  expect(lease.released).toBe(1)
  await until(1_000)
  expect(changes).toEqual([true])
  expect(lease.requested.length).toBeGreaterThan(2)
})

const NEXT: PeerIdentity = { id: '2', name: 'next' }

test('a passed lease is neither renewed nor reported as lost, unless a third node holds it', async () => {
  lease.response = true
  keeper.start()
  await until(100)
  isWanted = false

  expect(await keeper.pass(NEXT)).toBe(true)
  await until(2_000)

  expect(lease.passedTo).toEqual(['next'])
  expect(lease.requested).toHaveLength(1)
  expect(changes).toEqual([true])
  expect(await keeper.pass(NEXT)).toBe(false)
  expect(lease.passedTo).toHaveLength(1)
})

test('a lease that another node holds cannot be passed, and is reported as lost', async () => {
  lease.response = true
  lease.canPass = false
  keeper.start()
  await until(100)

  lease.response = false
  expect(await keeper.pass(NEXT)).toBe(false)

  expect(changes).toEqual([true, false])
})

test('a lease that could not be passed, though this node holds it, stays with this node', async () => {
  lease.response = true
  lease.canPass = false
  keeper.start()
  await until(100)
  isWanted = false

  expect(await keeper.pass(NEXT)).toBe(false)
  await until(1_000)

  expect(changes).toEqual([true])
  expect(lease.requested.length).toBeGreaterThan(2)
})

test('a lease that may have been taken back is renewed, and lost to the node that holds it', async () => {
  lease.response = true
  keeper.start()
  await until(100)
  isWanted = false
  await keeper.pass(NEXT)
  lease.canTakeBack = new ReplicatedLogError('UNREACHABLE', 'no answer')

  await expect(keeper.takeBack()).rejects.toThrow('no answer')
  lease.response = false
  await until(1_000)

  expect(changes).toEqual([true, false])
})

test('renews a lease that it took back', async () => {
  lease.response = true
  keeper.start()
  await until(100)
  isWanted = false
  await keeper.pass(NEXT)

  expect(await keeper.takeBack()).toBe(true)
  await until(1_000)

  expect(lease.requested.length).toBeGreaterThan(2)
})

test('look() requests the lease at once', async () => {
  keeper.start()
  await until(50)
  lease.response = true

  expect(await keeper.look()).toBe(true)

  expect(lease.requested.map(({ at }) => at)).toEqual([0, 50])
  expect(changes).toEqual([true])
})

test('makes no requests after stop()', async () => {
  keeper.start()
  await until(100)
  await keeper.stop()
  const { length } = lease.requested
  await until(5_000)
  expect(lease.requested).toHaveLength(length)
})

test('fails without further attempts when the node can never hold the lease', async () => {
  lease.response = new ReplicatedLogError('INCOMPATIBLE', 'another --lease-ttl')
  keeper.start()
  await until(1_000)

  expect(failures).toEqual([lease.response])
  expect(lease.requested).toHaveLength(1)
  expect(warnings).toBe(0)
})
