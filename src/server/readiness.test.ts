import { expect, test } from 'vitest'
import { readinessOf } from './operations.ts'
import { type NodeCondition, notReady, readinessLimits } from './readiness.ts'

const LIMITS = readinessLimits({ blockTimeMs: 2_000, intervalMs: 200, maxBlocksBehind: 8 })
const WELL: NodeCondition = {
  latest: 9,
  tipAgeMs: -1_500,
  flashblockAgeMs: 150,
  writerLag: 1,
  hasFailed: false,
  isStopping: false,
}

test('is ready at the limits', () => {
  expect(notReady(WELL, LIMITS)).toEqual([])
  expect(notReady({ ...WELL, tipAgeMs: 7_000, flashblockAgeMs: 1_000, writerLag: 7 }, LIMITS)).toEqual([])
})

test('reports no tip age before block 1', () => {
  const condition = { ...WELL, latest: 0, tipAgeMs: undefined }
  expect(readinessOf(condition, LIMITS)).toMatchObject({
    reasons: ['no block is sealed yet'],
    facts: { latest: 0, tipAgeMs: null },
  })
})

test('is ready without recent blocks when they are built on demand', () => {
  const condition = { ...WELL, latest: 0, tipAgeMs: undefined, flashblockAgeMs: 99_000, isOnDemand: true }
  expect(notReady(condition, LIMITS)).toEqual([])
})

test.each([
  [{ flashblockAgeMs: 1_001 }, 'flashblock is 1001 ms old'],
  [{ tipAgeMs: 7_001 }, 'sealed block is 7001 ms old'],
  [{ writerLag: 8 }, '8 sealed blocks wait for the disk'],
  [{ hasFailed: true }, 'has failed'],
  [{ isStopping: true }, 'shutting down'],
  [{ damagedTables: ['bodies', 'logs'] }, 'degraded: damaged data in bodies, logs'],
  [{ publishing: { target: 'nats://10.0.0.1:4222', stalledForMs: 1_001 } }, 'records wait for nats://10.0.0.1:4222'],
])('%j makes the node not ready', (trouble, words) => {
  expect(notReady({ ...WELL, ...trouble }, LIMITS)).toEqual([expect.stringContaining(words)])
})

test('the age of flashblocks may include a pause of the schedule', () => {
  const schedule = { blockTimeMs: 2_000, intervalMs: 200, maxBlocksBehind: 8 }

  expect(readinessLimits({ ...schedule, pauseMs: 2_000 }).maxFlashblockAgeMs).toBe(LIMITS.maxFlashblockAgeMs + 2_000)
})

test('says how far the time of the chain is ahead, and stays ready', () => {
  expect(readinessOf({ ...WELL, tipAgeMs: -7_000 }, LIMITS).facts).not.toHaveProperty('chainTimeAheadMs')
  expect(readinessOf({ ...WELL, tipAgeMs: -172_800_000 }, LIMITS)).toMatchObject({
    reasons: [],
    facts: { chainTimeAheadMs: 172_800_000 },
  })
})
