import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { NextBlockSettings } from './next-block.ts'
import { type SettingsSnapshot, settingsAfterRevert, settingsAfterRollback } from './snapshots.ts'

const SETTINGS: NextBlockSettings = {
  coinbase: ZERO_ADDRESS,
  gasLimit: 30_000_000n,
  offsetMs: 5_000n,
  timestampInterval: undefined,
  once: { number: 8, timestamp: 2_000n, baseFeePerGas: 7n },
}
const SNAPSHOT: SettingsSnapshot = {
  settings: SETTINGS,
  wallMs: 1_000_000,
  block: { number: 7, timestamp: 990n },
}
/** Since the snapshot, five blocks were mined and everything was changed. */
const CURRENT: NextBlockSettings = {
  coinbase: `0x${'01'.repeat(20)}` as NextBlockSettings['coinbase'],
  gasLimit: 1_000_000n,
  offsetMs: 900_000n,
  timestampInterval: 12n,
  once: { number: 13, timestamp: 9_000n, baseFeePerGas: 9n },
}
const NOW = 1_060_000

describe('settings after a revert', () => {
  test('to the chain: gas limit of the snapshot, time from its block, a base fee that waits for the next block', () => {
    expect(settingsAfterRevert('chain', CURRENT, SNAPSHOT, NOW)).toEqual({
      ...CURRENT,
      gasLimit: 30_000_000n,
      offsetMs: 990_000n - 1_060_000n,
      once: { number: 8, timestamp: undefined, baseFeePerGas: 9n },
    })
  })

  test('to everything: those of the snapshot, as if no time had passed', () => {
    expect(settingsAfterRevert('everything', CURRENT, SNAPSHOT, NOW)).toEqual({
      ...SETTINGS,
      offsetMs: 5_000n - 60_000n,
    })
  })
})

test('a rollback continues time from the newest block and keeps the other settings', () => {
  const block = { number: 4, timestamp: 500n }
  expect(settingsAfterRollback({ ...CURRENT, once: undefined }, block, NOW)).toEqual({
    ...CURRENT,
    offsetMs: 500_000n - 1_060_000n,
    once: undefined,
  })
})
