import { describe, expect, test } from 'vitest'
import { blockTimeOf } from '../../chain/forks/denim-schedule.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { finalityOf, newestFinal } from './finality.ts'

const TIMESTAMP = 1_767_225_600n

describe('the newest final block', () => {
  test.each([
    [0, 64, -64],
    [100, 64, 36],
    [100, 0, 100],
  ])('below block %i of a chain without Denim at depth %i is %i', (latest, depth, expected) => {
    expect(newestFinal(latest, finalityOf(depth, createNetwork().genesis.config))).toBe(expected)
  })

  test.each([
    // The first Denim block is 100.
    [50, 640, -14],
    [100, 640, 36],
    [101, 640, 36],
    [110, 640, 37],
    [739, 640, 99],
    [740, 640, 100],
    [1_000, 640, 360],
    [50, 0, 50],
    [100, 1, 99],
    [101, 1, 100],
  ])('below block %i of a chain with Denim from block 100 on at depth %i is %i', (latest, depth, expected) => {
    const { config } = createNetwork({ upgrade: 'denim', timestamp: TIMESTAMP, denimAfter: 200n }).genesis

    const final = newestFinal(latest, finalityOf(depth, config))

    expect(final).toBe(expected)
    const ageOf = (number: number) => timeOf(latest) - timeOf(number)
    const timeOf = (number: number) => Number(blockTimeOf(BigInt(number), config.layer2!.denim!).milliseconds)
    expect(ageOf(final)).toBeGreaterThanOrEqual(200 * depth)
    expect(ageOf(final + 1)).toBeLessThan(Math.max(1, 200 * depth))
  })

  test('lies `depth` blocks below the latest on a chain that begins with Denim', () => {
    const { config } = createNetwork({ upgrade: 'denim', timestamp: TIMESTAMP }).genesis
    expect([0, 640, 1_000].map((latest) => newestFinal(latest, finalityOf(640, config)))).toEqual([-64, 0, 360])
  })
})
