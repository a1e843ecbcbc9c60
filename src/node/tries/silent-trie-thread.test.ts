import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { createStateTrie } from '../../state/trie/state-trie.ts'
import { RemoteTries } from './remote-tries.ts'
import type { TrieResponse } from './trie-messages.ts'

const changed: StateDiff = {
  accounts: new Map([[ZERO_ADDRESS, { account: undefined, storageCleared: false }]]),
  storage: new Map(),
  code: new Map(),
}
const limits = { begin: 300, apply: 20, writes: 100 }

function scene() {
  const clock = new ManualClock({ wall: 0 })
  const started: { response: (response: TrieResponse) => void; fail: (error: Error) => void; isEnded: boolean }[] = []
  const warned: object[] = []
  const tries = new RemoteTries(
    { smallestDiff: 1, smallDiffs: 64, limitsMs: limits },
    {
      clock,
      yieldTurn: async () => {},
      log: { warn: (details: object) => warned.push(details) } as never,
      startThread: () => {
        const one = { response: (_: TrieResponse) => {}, fail: (_: Error) => {}, isEnded: false }
        started.push(one)
        return {
          post: () => {},
          listen: (onResponse, onEnd) => Object.assign(one, { response: onResponse, fail: onEnd }),
          end: async () => {
            one.isEnded = true
          },
        }
      },
    },
  )
  return { clock, tries, started, warned }
}

test('treats a thread that exceeds the time limit as failed', async () => {
  const { clock, tries, started, warned } = scene()
  const trie = createStateTrie()
  tries.begin([])
  expect(tries.apply(trie, { number: 1, diff: changed })).toBe(trie)
  started[0]!.response({ kind: 'begun', id: 0 })
  await Promise.resolve()
  const requested = tries.apply(trie, { number: 1, diff: changed })
  const writes = tries.nodeWrites(trie.root, 1, trie.root)
  clock.moveTo(clock.monotonic() + limits.apply)
  expect(await requested).toBe(trie)
  expect(await writes).toBeUndefined()
  expect(started[0]!.isEnded).toBe(true)
  expect(warned).toEqual([{ reason: 'it has not answered for 20 ms', blocks: 1 }])
  expect(clock.next).toBeUndefined()
})

test('retries a failing thread start after one block, two, four and so on', () => {
  const { tries, started } = scene()
  tries.begin([])
  const starts: number[] = []
  for (let number = 1; number <= 40; number++) {
    for (let index = 0; index < 3; index++) tries.apply(createStateTrie(), { number, diff: changed })
    if (started.length === starts.length) continue
    starts.push(number)
    started.at(-1)!.fail(new Error('too many readers'))
  }
  expect(starts).toEqual([1, 2, 4, 8, 16, 32])
})

test('starts and uses no thread after close()', async () => {
  const { tries, started } = scene()
  tries.begin([])
  tries.apply(createStateTrie(), { number: 1, diff: changed })
  await tries.close()
  tries.begin([])
  const trie = createStateTrie()
  expect(tries.apply(trie, { number: 2, diff: changed })).toBe(trie)
  expect(started).toHaveLength(1)
})
