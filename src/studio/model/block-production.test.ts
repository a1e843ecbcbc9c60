import { expect, test } from 'vitest'
import type { FlashblockArrival } from '../../live/flashblock-arrival.ts'
import { EMPTY_TIMELINE, nextTimeline, type Timeline } from '../../live/timeline.ts'
import { blockProduction, blockProductionText } from './block-production.ts'

/** A timeline of flashblocks of one block that arrived at the given times. */
function arrived(...times: readonly number[]): Timeline {
  return times.reduce((timeline, arrivedAt, index) => {
    const arrival: FlashblockArrival = {
      payloadId: 'p',
      index,
      blockNumber: 1,
      blockHash: `0x${index}`,
      gasUsed: 0n,
      transactionCount: 0,
      transactions: [],
      base: index === 0 ? { parentHash: '0x', timestamp: 0n, gasLimit: 1n } : undefined,
      isSealed: false,
      arrivedAt,
    }
    return nextTimeline(timeline, { kind: 'flashblock', arrival })
  }, EMPTY_TIMELINE)
}

const OFF = { automine: false, interval: null }
const STEADY = arrived(200, 400, 600, 800, 1_000, 1_200, 1_400)

test('the switches of the node decide first', () => {
  expect(blockProduction({ automine: true, interval: null }, STEADY, 1_500)).toEqual({ kind: 'transaction' })
  expect(blockProduction({ automine: false, interval: 3 }, STEADY, 1_500)).toEqual({ kind: 'interval', seconds: 3 })
})

test('flashblocks at a steady pace are a schedule', () => {
  expect(blockProduction(OFF, STEADY, 1_500)).toEqual({ kind: 'schedule' })
})

test('blocks on request are no schedule: none, old ones, or many at once', () => {
  expect(blockProduction(OFF, EMPTY_TIMELINE, 1_500)).toEqual({ kind: 'request' })
  expect(blockProduction(OFF, STEADY, 9_000)).toEqual({ kind: 'request' })
  expect(blockProduction(OFF, arrived(900, 901, 902, 903, 904), 1_500)).toEqual({ kind: 'request' })
})

test('each way of making blocks has a text', () => {
  expect(blockProductionText({ kind: 'interval', seconds: 2 })).toBe('one every 2 s')
  expect(blockProductionText({ kind: 'schedule' })).toBe('on a schedule')
})
