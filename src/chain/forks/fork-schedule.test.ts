import { describe, expect, it } from 'vitest'
import type { ChainConfig } from './chain-config.ts'
import { blobScheduleAt, forkAt } from './fork-schedule.ts'

const CONFIG: ChainConfig = {
  chainId: 1n,
  forkBlocks: { homestead: 0, london: 10, paris: 20 },
  forkTimes: { shanghai: 300n, cancun: 400n, osaka: 500n, bpo1: 500n },
  blobSchedule: { osaka: { target: 7, max: 8, baseFeeUpdateFraction: 9n } },
}

describe('forkAt', () => {
  it.each([
    [0, 0n, 'homestead'],
    [9, 299n, 'homestead'],
    [10, 0n, 'london'],
    [20, 299n, 'paris'],
    [20, 300n, 'shanghai'],
    [30, 499n, 'cancun'],
    [30, 500n, 'bpo1'],
    [30, (1n << 64n) - 1n, 'bpo1'],
  ])('of block %i at %i is %s', (number, timestamp, fork) => {
    expect(forkAt(CONFIG, number, timestamp)).toBe(fork)
  })

  it('is frontier for an empty schedule', () => {
    expect(forkAt({ chainId: 1n, forkBlocks: {}, forkTimes: {}, blobSchedule: {} }, 5, 5n)).toBe('frontier')
  })
})

describe('blobScheduleAt', () => {
  it("returns the last schedule up to the fork, with mainnet's values by default", () => {
    expect(blobScheduleAt(CONFIG, 'shanghai')).toBeUndefined()
    expect(blobScheduleAt(CONFIG, 'cancun')).toEqual({ target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n })
    expect(blobScheduleAt(CONFIG, 'prague')).toEqual({ target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n })
    expect(blobScheduleAt(CONFIG, 'bpo2')).toBe(CONFIG.blobSchedule.osaka)
  })

  it('returns a schedule that the configuration gives to the first fork', () => {
    const frontier = { target: 1, max: 2, baseFeeUpdateFraction: 3n }
    expect(blobScheduleAt({ ...CONFIG, blobSchedule: { frontier } }, 'frontier')).toBe(frontier)
    expect(blobScheduleAt({ ...CONFIG, blobSchedule: {} }, 'frontier')).toBeUndefined()
  })
})
