import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALICE, BOB, POOR, STORE, simulationFixture } from '../../../test/support/simulation-fixture.ts'
import { type Slot, toAddress } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { type AccountOverride, overriddenState, resolveOverrides, type StateOverrides } from './state-overrides.ts'

const { engine, base } = simulationFixture()
const PRECOMPILES = engine.precompiles({ fork: 'prague' })
const IDENTITY = toAddress(`0x${'4'.padStart(40, '0')}`)
const SHA256 = toAddress(`0x${'2'.padStart(40, '0')}`)

function resolved(overrides: StateOverrides) {
  const result = resolveOverrides(overrides, base.state, PRECOMPILES)
  if (result.kind === 'refused') throw new Error(result.error.code)
  return { ...result, state: overriddenState(base.state, result.diff) }
}

test('members without an override keep their values', () => {
  const { state } = resolved(new Map([[ALICE, { nonce: 9n }]]))
  expect(state.account(ALICE)).toEqual({ ...base.state.account(ALICE)!, nonce: 9n })
  expect(state.account(BOB)).toEqual(base.state.account(BOB))
})

test('an absent account starts empty', () => {
  const { state } = resolved(new Map([[POOR, { stateDiff: new Map([[bigintToSlot(1n), 5n]]) }]]))
  expect(state.account(POOR)).toEqual({ nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH })
  expect(state.storage(POOR, bigintToSlot(1n))).toBe(5n)
})

test('code sets its hash; empty code is no code', () => {
  const code = Uint8Array.of(1, 2, 3)
  const { state } = resolved(
    new Map([
      [POOR, { code }],
      [STORE.address, { code: new Uint8Array(0) }],
    ]),
  )
  expect(state.account(POOR)!.codeHash).toBe(keccakHash(code))
  expect(state.code(keccakHash(code))).toEqual(code)
  expect(state.account(STORE.address)!.codeHash).toBe(EMPTY_CODE_HASH)
})

test('an override without members changes nothing', () => {
  const { diff } = resolved(new Map([[POOR, {}]]))
  expect(diff.accounts.size).toBe(0)
})

test('an overridden precompile is removed, a moved one runs at its new address', () => {
  const { movedPrecompiles } = resolved(
    new Map([
      [IDENTITY, { movePrecompileTo: POOR }],
      [SHA256, { code: STORE.code }],
    ]),
  )
  expect([...movedPrecompiles]).toEqual([
    [IDENTITY, POOR],
    [SHA256, null],
  ])
})

test.each<[string, readonly (readonly [typeof ALICE, AccountOverride])[], object]>([
  ['both', [[ALICE, { state: new Map(), stateDiff: new Map() }]], { code: 'STATE_AND_STATE_DIFF', address: ALICE }],
  ['not a precompile', [[ALICE, { movePrecompileTo: BOB }]], { code: 'NOT_A_PRECOMPILE', address: ALICE }],
  [
    'onto an overridden account',
    [
      [IDENTITY, { movePrecompileTo: BOB }],
      [BOB, { nonce: 1n }],
    ],
    { code: 'MOVE_TARGET_OVERRIDDEN', address: BOB },
  ],
  ['onto itself', [[IDENTITY, { movePrecompileTo: IDENTITY }]], { code: 'MOVE_TARGET_OVERRIDDEN', address: IDENTITY }],
])('rejects %s', (_name, entries, error) => {
  expect(resolveOverrides(new Map(entries), base.state, PRECOMPILES)).toEqual({ kind: 'refused', error })
})

test('stateDiff composes by slot with existing storage, state replaces it', () => {
  const slots = fc.dictionary(fc.integer({ min: 0, max: 5 }).map(String), fc.bigInt({ min: 0n, max: 9n }))
  fc.assert(
    fc.property(slots, slots, fc.boolean(), (first, second, replaces) => {
      const before = resolved(new Map([[STORE.address, { state: storage(first) }]])).state
      const override = replaces ? { state: storage(second) } : { stateDiff: storage(second) }
      const result = resolveOverrides(new Map([[STORE.address, override]]), before, PRECOMPILES)
      if (result.kind === 'refused') throw new Error(result.error.code)
      const after = overriddenState(before, result.diff)
      for (let slot = 0; slot <= 5; slot++) {
        const wanted = second[slot] ?? (replaces ? 0n : (first[slot] ?? 0n))
        expect(after.storage(STORE.address, bigintToSlot(BigInt(slot)))).toBe(wanted)
      }
    }),
  )
})

function storage(values: Record<string, bigint>): ReadonlyMap<Slot, bigint> {
  return new Map(Object.entries(values).map(([slot, value]) => [bigintToSlot(BigInt(slot)), value]))
}
