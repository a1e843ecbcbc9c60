import { describe, expect, test } from 'vitest'
import type { Address } from '../../primitives/hex.ts'
import {
  afterSealed,
  chainSeconds,
  type NextBlockSettings,
  nextTimestamp,
  offsetSeconds,
  withChainTime,
  withOnce,
} from './next-block.ts'

const SETTINGS: NextBlockSettings = {
  coinbase: '0x0000000000000000000000000000000000000000' as Address,
  gasLimit: 30_000_000n,
  offsetMs: 0n,
  timestampInterval: undefined,
  once: undefined,
}
const PARENT = { number: 7, timestamp: 1_000n }

describe('nextTimestamp', () => {
  const input = { parent: PARENT, wallMs: 1_500_900, leadMs: 0, replaced: 0n }

  test.each<[string, Partial<NextBlockSettings>, Partial<typeof input>, bigint]>([
    ['is chain time in whole seconds', {}, {}, 1_500n],
    ['is the time of the seal on a schedule', {}, { leadMs: 2_000 }, 1_502n],
    ['includes the offset', { offsetMs: 100_200n }, {}, 1_601n],
    ['is one second after the parent when chain time is not later', {}, { wallMs: 1_000_999 }, 1_001n],
    ['is one second after the parent when chain time is before it', { offsetMs: -900_000n }, {}, 1_001n],
    ['is later than that of a replaced block', {}, { replaced: 1_500n }, 1_501n],
    ['follows the interval instead of the clock', { timestampInterval: 13n }, {}, 1_013n],
    ['is one second after the parent when the interval is too long', { timestampInterval: 1n << 63n }, {}, 1_001n],
    ['increases also with an interval of zero', { timestampInterval: 0n }, { wallMs: 0 }, 1_001n],
    ['is the chosen one', { once: { number: 8, timestamp: 9_999n } }, {}, 9_999n],
    [
      'is the chosen one despite an interval',
      { timestampInterval: 13n, once: { number: 8, timestamp: 1_002n } },
      {},
      1_002n,
    ],
    ['ignores a choice for another height', { once: { number: 9, timestamp: 9_999n } }, {}, 1_500n],
    ['ignores a choice that is not later than the parent', { once: { number: 8, timestamp: 1_000n } }, {}, 1_500n],
  ])('%s', (_, settings, changed, expected) => {
    expect(nextTimestamp({ ...SETTINGS, ...settings }, { ...input, ...changed })).toBe(expected)
  })
})

test('chain time continues from a chosen timestamp once its block is sealed', () => {
  const chosen = withOnce(SETTINGS, { number: 8, timestamp: 5_000n })

  const settings = afterSealed(chosen, 8, 1_000_700)

  expect(settings.once).toBeUndefined()
  expect(chainSeconds(settings, 1_000_700)).toBe(5_000n)
  expect(chainSeconds(settings, 1_001_800)).toBe(5_001n)
})

test('settings for one block stay until its height is sealed', () => {
  const chosen = withOnce(withOnce(SETTINGS, { number: 8, baseFeePerGas: 5n }), { number: 8, timestamp: 2_000n })

  expect(afterSealed(chosen, 7, 0)).toBe(chosen)
  expect(chosen.once).toEqual({ number: 8, baseFeePerGas: 5n, timestamp: 2_000n })
  expect(withOnce(chosen, { number: 9, timestamp: 3_000n }).once).toEqual({ number: 9, timestamp: 3_000n })
})

test.each([
  [0n, 0n],
  [100_000n, 100n],
  [99_300n, 100n],
  [-1_500n, -1n],
])('an offset of %s ms counts as %s seconds', (offsetMs, seconds) => {
  expect(offsetSeconds({ offsetMs })).toBe(seconds)
})

test('the offset of a time set between two seconds is the difference in whole seconds', () => {
  expect(offsetSeconds(withChainTime(SETTINGS, 200n, 100_700))).toBe(100n)
})
