import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

function limiter(options: { rate?: number; burst?: number; maxAddresses?: number } = {}) {
  let now = 0
  const made = new RateLimiter({ rate: 10, burst: 100, maxAddresses: 100, ...options }, { now: () => now })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { limiter: made, pass }
}

test('grants the burst immediately, then the refill', () => {
  const { limiter: made, pass } = limiter()
  const charge = made.chargeOf('192.0.2.1')
  for (let count = 0; count < 100; count++) expect(charge(1)).toBe(0)
  expect(charge(1)).toBe(100)
  pass(100)
  expect(charge(1)).toBe(0)
  expect(charge(1)).toBeGreaterThan(0)
})

test('grants a request above the burst once, and charges it afterwards', () => {
  const { limiter: made, pass } = limiter()
  const charge = made.chargeOf('192.0.2.1')
  expect(charge(500)).toBe(0)
  const wait = charge(1)
  expect(wait).toBe(40_100)
  pass(wait)
  expect(charge(1)).toBe(0)
})

test('each address has a bucket of its own', () => {
  const { limiter: made } = limiter()
  made.chargeOf('192.0.2.1')(1_000)
  expect(made.chargeOf('192.0.2.1')(1)).toBeGreaterThan(0)
  expect(made.chargeOf('192.0.2.2')(1)).toBe(0)
})

test('limits the number of buckets, and evicts full ones first', () => {
  const { limiter: made, pass } = limiter({ maxAddresses: 100 })
  made.chargeOf('spender')(1_000)
  pass(1_000)
  for (let count = 0; count < 10_000; count++) {
    made.chargeOf(`192.0.2.${count}`)(1)
    if (count % 50 === 0) pass(100)
    expect(made.size).toBeLessThanOrEqual(100)
  }
})

test('property: grants no more than the burst and the refill', () => {
  const step = fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), cost: fc.integer({ min: 1, max: 200 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { limiter: made, pass } = limiter()
      const charge = made.chargeOf('192.0.2.1')
      let time = 0
      let taken = 0
      let dearest = 0
      for (const { wait, cost } of steps) {
        pass(wait)
        time += wait
        if (charge(cost) > 0) continue
        taken += cost
        dearest = Math.max(dearest, cost)
        expect(taken).toBeLessThanOrEqual(100 + time / 100 + dearest + 1e-6)
      }
    }),
  )
})
