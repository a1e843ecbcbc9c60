import { describe, expect, test } from 'vitest'
import { planChain } from './chain-plan.ts'
import type { BlockRequest } from './simulation.ts'

const BASE = { number: 10, timestamp: 1_000n }
const LIMITS = { maxBlocks: 5, maxCallsPerBlock: 2, maxCalls: 3 }

function plan(requests: readonly BlockRequest[]) {
  return planChain(BASE, requests, { blockTimeSeconds: 2n }, LIMITS)
}

test.each<[string, readonly BlockRequest[], readonly (readonly [number, bigint])[]]>([
  [
    'defaults',
    [{}, {}],
    [
      [11, 1_002n],
      [12, 1_004n],
    ],
  ],
  [
    'a time of its own',
    [{ blockOverrides: { time: 1_001n } }, {}],
    [
      [11, 1_001n],
      [12, 1_003n],
    ],
  ],
  [
    'a gap',
    [{ blockOverrides: { number: 13 } }, {}],
    [
      [11, 1_002n],
      [12, 1_004n],
      [13, 1_006n],
      [14, 1_008n],
    ],
  ],
  [
    'a gap before a time',
    [{ blockOverrides: { number: 12, time: 1_003n } }],
    [
      [11, 1_002n],
      [12, 1_003n],
    ],
  ],
  [
    'as many as allowed',
    [{ blockOverrides: { number: 15 } }],
    [11, 12, 13, 14, 15].map((n) => [n, 1_000n + BigInt(n - 10) * 2n]),
  ],
])('assigns numbers and times: %s', (_name, requests, positions) => {
  const result = plan(requests)
  if (result.kind === 'failed') throw new Error(result.error.code)
  expect(result.blocks.map(({ number, timestamp }) => [number, timestamp])).toEqual(positions)
})

test('only the requested block has the request', () => {
  const request: BlockRequest = { blockOverrides: { number: 12 }, calls: [{}] }
  const result = plan([request])
  expect(result).toMatchObject({ blocks: [{ request: {} }, { request }] })
})

test.each<[string, readonly BlockRequest[], object]>([
  ['nothing', [], { code: 'EMPTY_INPUT' }],
  ['the base again', [{ blockOverrides: { number: 10 } }], { code: 'BLOCK_NUMBER_ORDER', number: 10, previous: 10 }],
  [
    'backwards',
    [{ blockOverrides: { number: 12 } }, { blockOverrides: { number: 11 } }],
    { code: 'BLOCK_NUMBER_ORDER', number: 11, previous: 12 },
  ],
  [
    'the same time',
    [{ blockOverrides: { time: 1_000n } }],
    { code: 'BLOCK_TIME_ORDER', time: 1_000n, previous: 1_000n },
  ],
  [
    'a time that the gap has passed',
    [{ blockOverrides: { number: 13, time: 1_004n } }],
    { code: 'BLOCK_TIME_ORDER', time: 1_004n, previous: 1_004n },
  ],
  ['too many blocks', [{}, {}, {}, {}, {}, {}], { code: 'TOO_MANY_BLOCKS', limit: 5 }],
  ['too wide a gap', [{ blockOverrides: { number: 16 } }], { code: 'TOO_MANY_BLOCKS', limit: 5 }],
  ['an absurd gap', [{ blockOverrides: { number: Number.MAX_SAFE_INTEGER } }], { code: 'TOO_MANY_BLOCKS', limit: 5 }],
  ['too many calls in a block', [{ calls: [{}, {}, {}] }], { code: 'TOO_MANY_CALLS', limit: 2, within: 'block' }],
  [
    'too many calls',
    [{ calls: [{}, {}] }, { calls: [{}, {}] }],
    { code: 'TOO_MANY_CALLS', limit: 3, within: 'request' },
  ],
])('rejects %s', (_name, requests, error) => {
  expect(plan(requests)).toEqual({ kind: 'failed', error })
})

test('rejects a block after the last timestamp, also when filling a gap, as out of order', () => {
  const last = { blockOverrides: { time: 2n ** 64n - 1n } }
  const error = { code: 'BLOCK_TIME_ORDER', time: 1n, previous: 2n ** 64n - 1n }
  expect(plan([last, {}])).toEqual({ kind: 'failed', error })
  expect(plan([last, { blockOverrides: { number: 14 } }])).toEqual({ kind: 'failed', error })
})

describe('with Denim', () => {
  // Blocks 0 to 10 come every 2 s; block 10, at 1,020 s, is the first one of Denim.
  const denim = { genesisNumber: 0n, genesisTime: 1_000n, denimTime: 1_020n }
  const after = (base: { number: number; timestamp: bigint }, requests: readonly BlockRequest[]) =>
    planChain(base, requests, { blockTimeSeconds: 2n, denim }, { maxBlocks: 20, maxCallsPerBlock: 1, maxCalls: 1 })
  const timesAfter = (...given: Parameters<typeof after>) => {
    const found = after(...given)
    return found.kind === 'planned' ? found.blocks.map(({ timestamp }) => timestamp) : found.error
  }

  test('omitted times follow the schedule, five blocks a second from the activation on', () => {
    const times = timesAfter({ number: 7, timestamp: 1_014n }, [{}, { blockOverrides: { number: 16 } }])
    expect(times).toEqual([1_016n, 1_018n, 1_020n, 1_020n, 1_020n, 1_020n, 1_020n, 1_021n, 1_021n])
  })

  test('blocks may share a second once both are at or after the activation', () => {
    const twice = (time: bigint) => [{ blockOverrides: { time } }, { blockOverrides: { time } }]
    expect(timesAfter({ number: 3, timestamp: 1_006n }, twice(1_020n))).toEqual([1_020n, 1_020n])
    expect(timesAfter({ number: 3, timestamp: 1_006n }, twice(1_019n))).toMatchObject({ code: 'BLOCK_TIME_ORDER' })
  })

  test('an omitted time after one ahead of the schedule repeats it', () => {
    const times = timesAfter({ number: 20, timestamp: 1_022n }, [{ blockOverrides: { time: 2_000n } }, {}])
    expect(times).toEqual([2_000n, 2_000n])
  })

  test('times never decrease', () => {
    const time = { blockOverrides: { time: 1_021n } }
    expect(timesAfter({ number: 20, timestamp: 1_022n }, [time])).toMatchObject({ code: 'BLOCK_TIME_ORDER' })
  })
})
