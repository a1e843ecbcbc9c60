import { describe, expect, test } from 'vitest'
import { inferredCondition, statusSteps, transactionCondition } from './transaction-status.ts'

const stepsOf = (json: unknown) => statusSteps(transactionCondition(json)).map(({ label, state }) => [label, state])

describe('statusSteps', () => {
  test('a pooled transaction says what it waits for', () => {
    const [pool, next] = statusSteps(transactionCondition({ status: 'pooled', waitsFor: { reason: 'nonceGap' } }))
    expect(pool).toMatchObject({ state: 'current', details: expect.stringContaining('lower nonce') })
    expect(next).toMatchObject({ label: 'Pre-confirmed', state: 'ahead' })
  })

  test('a pre-confirmed transaction names its flashblock', () => {
    const json = { status: 'preconfirmed', blockNumber: '0x2', flashblockIndex: '0x1' }
    expect(stepsOf(json).slice(0, 2)).toEqual([
      ['In the pool', 'done'],
      ['Pre-confirmed', 'current'],
    ])
    expect(statusSteps(transactionCondition(json))[1]).toMatchObject({ details: 'Flashblock 1 of block 2' })
  })

  test('a sealed transaction keeps its flashblock, and the times of the node', () => {
    const steps = statusSteps(
      transactionCondition({
        status: 'sealed',
        blockNumber: '0x2',
        flashblockIndex: '0x1',
        preconfirmedAt: `0x${Date.UTC(2026, 0, 1, 12, 0, 0, 250).toString(16)}`,
        sealedAt: `0x${Date.UTC(2026, 0, 1, 12, 0, 2).toString(16)}`,
      }),
    )
    expect(steps.slice(1, 3).map(({ details }) => details)).toEqual([
      'Flashblock 1 of block 2 · 12:00:00.250',
      'Block 2 · 12:00:02.000',
    ])
  })

  test.each([
    ['latest', 'Not final yet', 'ahead'],
    ['safe', 'Safe', 'current'],
    ['finalized', 'Final', 'done'],
  ])('a sealed transaction that is %s', (finality, label, state) => {
    expect(stepsOf({ status: 'sealed', blockNumber: '0x2', finality }).at(-1)).toEqual([label, state])
  })

  test('a dropped transaction says why', () => {
    const steps = statusSteps(transactionCondition({ status: 'dropped', reason: 'nonceUsed', details: 'nonce 4' }))
    expect(steps.at(-1)).toMatchObject({ state: 'failed', details: expect.stringMatching(/with this nonce.*nonce 4/) })
  })

  test.each([
    ['predicates', 'predicates does not hold'],
    ['dataFootprint', 'data need more room'],
  ])('a pooled transaction that waits for %s says so', (reason, text) => {
    const [pool] = statusSteps(transactionCondition({ status: 'pooled', waitsFor: { reason } }))
    expect(pool?.details).toContain(text)
  })

  test('an expired transaction may have outlived the last block that its predicates allow', () => {
    const steps = statusSteps(transactionCondition({ status: 'dropped', reason: 'expired' }))
    expect(steps.at(-1)?.details).toContain('its predicates allow no later block')
  })

  test('a status of a later version is unknown, not an error', () => {
    expect(stepsOf({ status: 'frozen' })).toEqual([['Unknown', 'failed']])
    expect(stepsOf(null)).toEqual([['Unknown', 'failed']])
  })
})

test('a node without the method is asked for the block only', () => {
  expect([
    inferredCondition(4, false),
    inferredCondition(undefined, true),
    inferredCondition(undefined, false),
  ]).toEqual([{ status: 'sealed', blockNumber: 4 }, { status: 'pooled' }, { status: 'unknown' }])
})
