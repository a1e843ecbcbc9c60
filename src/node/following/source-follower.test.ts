import { expect, test } from 'vitest'
import { ZERO_HASH } from '../../primitives/hex.ts'
import type { Clock } from '../core/clock.ts'
import { type RecordConnection, SourceError } from '../log/record-source.ts'
import { retryDelay, SourceFollower } from './source-follower.ts'

/** A clock on which each delay takes one round of the event loop. */
const hurried: Clock = {
  wall: () => 0,
  monotonic: () => 0,
  at: (_, callback) => {
    const immediate = setImmediate(callback)
    return () => clearImmediate(immediate)
  },
}

const unused = () => Promise.reject(new Error('nothing begins'))
const PARTS = {
  chain: { sequence: 0, apply: unused },
  hello: () => ({ chainId: 1n, genesisHash: ZERO_HASH, cursor: undefined, finalized: undefined }),
  onSettings: unused,
  begin: unused,
  clock: hurried,
  random: () => 0,
}

test('stop() does not wait for a source that does not complete the handshake', async () => {
  let response: (connection: RecordConnection) => void = () => {}
  const connecting = new Promise<RecordConnection>((resolve) => {
    response = resolve
  })
  const failures: unknown[] = []
  const follower = new SourceFollower({
    ...PARTS,
    source: { name: 'source', connect: () => connecting },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    onFailure: (error) => failures.push(error),
  })
  follower.start({ anew: false })
  await follower.stop()
  const closed = new Promise<void>((resolve) => {
    response({ close: resolve } as RecordConnection)
  })
  await closed
  expect(failures).toEqual([])
})

test('logs a repeated connection failure once until its reason changes', async () => {
  const reasons = ['away', 'away', 'away', 'elsewhere', 'away', 'away']
  const messages: unknown[] = []
  const log = (details: object) => messages.push('reason' in details && details.reason)
  const ended = new Promise<void>((resolve) => {
    const follower = new SourceFollower({
      ...PARTS,
      source: {
        name: 'source',
        connect: async () => {
          const reason = reasons.shift()
          if (reason !== undefined) throw new SourceError('UNREACHABLE', reason)
          throw new SourceError('FORKED', 'the end')
        },
      },
      log: { info: log, warn: log, error: log },
      onFailure: () => resolve(),
    })
    follower.start({ anew: false })
  })
  await ended
  expect(messages).toEqual(['away', 'elsewhere', 'away'])
})

test('logs a failure that lasts once per minute', async () => {
  let now = 0
  const times: number[] = []
  const log = ({ reason }: { reason?: string }) => void (reason === 'away' && times.push(now))
  await new Promise<void>((resolve) => {
    const follower = new SourceFollower({
      ...PARTS,
      clock: { ...PARTS.clock, monotonic: () => now },
      source: {
        name: 'source',
        connect: async () => {
          if (now >= 125_000) throw new SourceError('FORKED', 'the end')
          now += 25_000
          throw new SourceError('UNREACHABLE', 'away')
        },
      },
      log: { info: () => {}, warn: log, error: log },
      onFailure: () => resolve(),
    })
    follower.start({ anew: false })
  })
  expect(times).toEqual([25_000, 100_000])
})

test('logs the recovery of a source, and the same failure again after it', async () => {
  const connections = ['away', 'taken', 'away', 'taken']
  const told: string[] = []
  const log = ({ reason }: { reason?: string }, message: string) => told.push(reason ?? message)
  const connection = () => {
    const messages = [{ kind: 'records', records: [] }]
    return {
      handshake: { newestSequence: 1, begins: { kind: 'records', from: 1 } },
      close: () => {},
      next: async () => messages.shift() ?? Promise.reject(new SourceError('CLOSED', 'the connection was closed')),
    } as unknown as RecordConnection
  }
  await new Promise<void>((resolve) => {
    const follower = new SourceFollower({
      ...PARTS,
      onSettings: async () => {},
      begin: async () => {},
      chain: { ...PARTS.chain, apply: async () => {} } as typeof PARTS.chain,
      source: {
        name: 'source',
        connect: async () => {
          const next = connections.shift()
          if (next === 'taken') return connection()
          throw next === undefined ? new SourceError('FORKED', 'the end') : new SourceError('UNREACHABLE', next)
        },
      },
      log: { info: () => {}, warn: log, error: log },
      onFailure: () => resolve(),
    })
    follower.start({ anew: false })
  })
  const outage = ['away', 'the records come again', 'the connection was closed']
  expect(told).toEqual([...outage, ...outage])
})

test('measures silence from the start of following, not from before', async () => {
  let now = 0
  const follower = new SourceFollower({
    ...PARTS,
    clock: { ...hurried, monotonic: () => now },
    source: { name: 'source', connect: () => new Promise(() => {}) },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    onFailure: () => {},
  })
  now = 60_000
  follower.start({ anew: false })
  now = 60_010
  expect(follower.status.silenceMs).toBe(10)
  await follower.stop()
})

test('retry delays grow from 50 to 500 ms, with jitter', () => {
  expect(retryDelay(1, 0)).toBe(25)
  expect(retryDelay(1, 1)).toBe(50)
  expect(retryDelay(2, 1)).toBe(100)
  expect(retryDelay(100, 0)).toBe(250)
  expect(retryDelay(100, 1)).toBe(500)
})
