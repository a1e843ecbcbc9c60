import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAYER_1, LAYER_2 } from '../../../test/support/engine-fixture.ts'
import type { ChainConfig, DenimSchedule } from './chain-config.ts'
import {
  blockTimeOf,
  denimActivation,
  denimScalingOf,
  denimTimeOf,
  firstDenimBlock,
  freeBlockTime,
  scheduledTimeOf,
} from './denim-schedule.ts'

const FROM_GENESIS: DenimSchedule = { genesisNumber: 0n, genesisTime: 1_000n, denimTime: 1_000n }
const BASE_MAINNET: DenimSchedule = { genesisNumber: 0n, genesisTime: 1_686_789_347n, denimTime: 1_793_901_600n }
const BASE_SEPOLIA: DenimSchedule = { genesisNumber: 0n, genesisTime: 1_695_768_288n, denimTime: 1_792_605_600n }

describe('the schedule of Denim', () => {
  it('gives five blocks to each second from genesis on', () => {
    const times = Array.from({ length: 7 }, (_, number) => blockTimeOf(BigInt(number), FROM_GENESIS))
    expect(times.map(({ timestamp, millisPart }) => [timestamp, millisPart])).toEqual([
      [1_000n, 0],
      [1_000n, 200],
      [1_000n, 400],
      [1_000n, 600],
      [1_000n, 800],
      [1_001n, 0],
      [1_001n, 200],
    ])
  })

  it('applies to every block of a chain whose genesis is after the activation', () => {
    const schedule: DenimSchedule = { genesisNumber: 7n, genesisTime: 1_000n, denimTime: 0n }

    expect(firstDenimBlock(schedule)).toBe(7n)
    expect(blockTimeOf(8n, schedule).milliseconds).toBe(1_000_200n)
  })

  it('begins on Base with the first two-second block that is not before the activation', () => {
    expect(firstDenimBlock(BASE_MAINNET)).toBe(53_556_127n)
    expect(blockTimeOf(53_556_127n, BASE_MAINNET)).toMatchObject({ milliseconds: 1_793_901_601_000n, millisPart: 0 })
    expect(blockTimeOf(53_556_134n, BASE_MAINNET).milliseconds).toBe(0x1a1acde2660n)
    expect(firstDenimBlock(BASE_SEPOLIA)).toBe(48_418_656n)
    expect(blockTimeOf(48_418_656n, BASE_SEPOLIA).milliseconds).toBe(1_792_605_600_000n)
  })

  it('never skips: each block is 2,000 ms after the one before, or 200 ms from the first Denim block on', () => {
    const schedules = fc.record({
      genesisNumber: fc.bigInt({ min: 0n, max: 1_000n }),
      genesisTime: fc.bigInt({ min: 0n, max: 10_000n }),
      denimTime: fc.bigInt({ min: 0n, max: 20_000n }),
    })
    fc.assert(
      fc.property(schedules, fc.bigInt({ min: 0n, max: 10_000n }), (schedule, offset) => {
        const number = schedule.genesisNumber + offset
        const step = blockTimeOf(number + 1n, schedule).milliseconds - blockTimeOf(number, schedule).milliseconds
        expect(step).toBe(number < firstDenimBlock(schedule) ? 2_000n : 200n)
      }),
    )
  })
})

describe('a chain', () => {
  const chainOf = (denim: DenimSchedule): ChainConfig => ({ ...LAYER_2, layer2: { ...LAYER_2.layer2!, denim } })
  /** Blocks 10, 11 and 12 come every 2 s, from 1,000 on; block 13 is the first one of Denim. */
  const LATER = chainOf({ genesisNumber: 10n, genesisTime: 1_000n, denimTime: 1_005n })

  it.each([
    ['on layer 1', LAYER_1],
    ['that does not schedule Denim', LAYER_2],
  ])('%s has no times of blocks by number', (_, config) => {
    expect(scheduledTimeOf(5, config)).toBeUndefined()
    expect(denimTimeOf(5, config)).toBeUndefined()
    expect(denimActivation(config)).toBeUndefined()
    expect(denimScalingOf(5, config)).toBe(1)
  })

  it('that begins with Denim has its times from block 0 on, and no activation', () => {
    const config = chainOf(FROM_GENESIS)

    expect(denimTimeOf(0, config)).toEqual({ milliseconds: 1_000_000n, timestamp: 1_000n, millisPart: 0 })
    expect(denimTimeOf(6, config)).toEqual({ milliseconds: 1_001_200n, timestamp: 1_001n, millisPart: 200 })
    expect(denimActivation(config)).toBeUndefined()
    expect(denimScalingOf(6, config)).toBe(1)
  })

  it.each([
    [12, 1_004_000n, false, 1],
    [13, 1_006_000n, true, 10],
    [14, 1_006_200n, true, 10],
  ])('that activates Denim with block 13 has block %i at %i ms', (number, milliseconds, isDenim, scaling) => {
    expect(scheduledTimeOf(number, LATER)?.milliseconds).toBe(milliseconds)
    expect(denimTimeOf(number, LATER)?.milliseconds).toBe(isDenim ? milliseconds : undefined)
    expect(denimActivation(LATER)).toBe(13n)
    expect(denimScalingOf(number, LATER)).toBe(scaling)
  })
})

describe('freeBlockTime', () => {
  it.each([
    ['is the last multiple of 200 ms that is due', 1_000_000n, 1_003_599n, 1_003_400n],
    ['is 200 ms after the parent at least', 1_003_400n, 1_003_500n, 1_003_600n],
    ['shares the second of the parent', 1_003_000n, 1_003_200n, 1_003_200n],
  ])('%s', (_, parent, due, expected) => {
    expect(freeBlockTime(parent, due)).toEqual({
      milliseconds: expected,
      timestamp: expected / 1_000n,
      millisPart: Number(expected % 1_000n),
    })
  })
})
