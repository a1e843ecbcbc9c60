import { expect, test } from 'vitest'
import { AUTO, FLASHBLOCKS, intervalMode, MANUAL, type MiningMode, withAutomine, withInterval } from './mining-mode.ts'

const TEN = { minMs: 10_000, maxMs: 10_000 }
const BOTH: MiningMode = { kind: 'on-demand', auto: true, interval: TEN }

test.each<[string, MiningMode, boolean, 'exclusive' | 'independent', MiningMode]>([
  ['flashblocks become automatic', FLASHBLOCKS, true, 'exclusive', AUTO],
  ['flashblocks stop', FLASHBLOCKS, false, 'independent', MANUAL],
  ['on replaces an exclusive interval', intervalMode(10_000), true, 'exclusive', AUTO],
  ['off leaves an exclusive interval', intervalMode(10_000), false, 'exclusive', intervalMode(10_000)],
  ['on adds to an independent interval', intervalMode(10_000), true, 'independent', BOTH],
  ['off leaves an independent interval', BOTH, false, 'independent', intervalMode(10_000)],
  ['off without an interval is manual', AUTO, false, 'exclusive', MANUAL],
])('automine: %s', (_, mode, auto, switching, expected) => {
  expect(withAutomine(mode, auto, switching)).toEqual(expected)
})

test.each<[string, MiningMode, typeof TEN | undefined, 'exclusive' | 'independent', MiningMode]>([
  ['replaces flashblocks', FLASHBLOCKS, TEN, 'independent', intervalMode(10_000)],
  ['none leaves flashblocks where the switches are independent', FLASHBLOCKS, undefined, 'independent', FLASHBLOCKS],
  ['none stops flashblocks where they are exclusive', FLASHBLOCKS, undefined, 'exclusive', MANUAL],
  ['replaces automatic mining where they are exclusive', AUTO, TEN, 'exclusive', intervalMode(10_000)],
  ['none does not restore automatic mining', AUTO, undefined, 'exclusive', MANUAL],
  ['leaves automatic mining where they are independent', AUTO, TEN, 'independent', BOTH],
  ['none leaves automatic mining where they are independent', BOTH, undefined, 'independent', AUTO],
])('interval: %s', (_, mode, interval, switching, expected) => {
  expect(withInterval(mode, interval, switching)).toEqual(expected)
})
