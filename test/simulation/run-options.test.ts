import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatNumbers, parseLimits, parseNumbers, replayCommand } from './run-options.ts'

describe('lists of numbers', () => {
  test('property: are parsed as they were formatted', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (numbers) => {
        expect([...parseNumbers(formatNumbers(numbers))].sort()).toEqual([...numbers].sort())
      }),
    )
  })

  test('name ranges', () => {
    expect(formatNumbers([7, 1, 3, 2])).toBe('1-3,7')
  })

  test.each(['x', '1-', '3,,4'])('%j is refused', (text) => {
    expect(() => parseNumbers(text)).toThrow('--skip')
  })
})

test.each(['disks=1', 'clients', 'clients=x'])('the limit %j is refused', (text) => {
  expect(() => parseLimits(text)).toThrow('--limit')
})

test('a command repeats everything that differs from the defaults', () => {
  const options = { seed: 9, steps: 500, profile: 'nats', limits: { clients: 1 }, skipped: new Set([1, 2, 5]) }

  expect(replayCommand({ ...options, mode: 'liveness' }, 321, 'some-mutant')).toBe(
    'npm run simulate -- --replay 9 --steps 500 --mode liveness --profile nats --limit clients=1 --skip 1-2,5 ' +
      '--until 321 --trace --mutant some-mutant',
  )
  expect(replayCommand({ seed: 9, steps: 500 }, 321, undefined)).toBe(
    'npm run simulate -- --replay 9 --steps 500 --until 321 --trace',
  )
})
