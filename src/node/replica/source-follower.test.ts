import { expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import { SourceError } from './record-source.ts'
import { SourceFollower } from './source-follower.ts'

/** Time passes at once, in a round of its own. */
const hurried: Clock = {
  wall: () => 0,
  monotonic: () => 0,
  at: (_, callback) => {
    const immediate = setImmediate(callback)
    return () => clearImmediate(immediate)
  },
}

test('a source that is away for long fills no log: each reason is told once until another comes', async () => {
  const reasons = ['away', 'away', 'away', 'elsewhere', 'away', 'away']
  const told: unknown[] = []
  const tell = (details: object) => told.push('reason' in details && details.reason)
  const unused = () => Promise.reject(new Error('nothing begins'))
  const ended = new Promise<void>((resolve) => {
    const follower = new SourceFollower({
      source: {
        name: 'source',
        connect: async () => {
          const reason = reasons.shift()
          if (reason !== undefined) throw new SourceError('UNREACHABLE', reason)
          throw new SourceError('FORKED', 'the end')
        },
      },
      chain: { sequence: 0, apply: unused },
      greeting: () => ({
        chainId: 1n,
        genesisHash: `0x${'00'.repeat(32)}` as never,
        cursor: undefined,
        finalized: undefined,
      }),
      onSettings: unused,
      begin: unused,
      clock: hurried,
      random: () => 0,
      log: { info: tell, warn: tell, error: tell },
      onFailure: () => resolve(),
    })
    follower.start({ anew: false })
  })
  await ended
  expect(told).toEqual(['away', 'elsewhere', 'away'])
})
