import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { poolPredicates } from '../../../test/support/parameter-values.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { toAddress, toHash } from '../../primitives/hex.ts'
import { bigintToSlot, MAX_UINT256 } from '../../primitives/quantity.ts'
import { encodeRlp, encodeTypedRlp, type RlpSource } from '../../primitives/rlp.ts'
import { CONDITIONAL_TYPE, decodeWaitingTransaction, encodeWaitingTransaction } from './conditional-transaction.ts'
import {
  type COMPARISONS,
  evaluatePredicates,
  lastValidBlock,
  PREDICATE_BYTES,
  type ValidityPredicate,
  validityItem,
} from './validity.ts'

const ADDRESS = toAddress(`0x${'ab'.repeat(20)}`)
const SLOT = bigintToSlot(7n)
const CONTEXT = {
  number: 9,
  timestamp: 500n,
  trie: { storageRoot: (address: string) => toHash(`0x${(address === ADDRESS ? 'cd' : '00').repeat(32)}`) },
  state: {
    account: (address: string) => (address === ADDRESS ? { balance: 100n } : undefined),
    storage: (address: string, slot: string) => (address === ADDRESS && slot === SLOT ? 0x1234n : 0n),
  },
}

function at(number: bigint, op: (typeof COMPARISONS)[number] = '<='): ValidityPredicate {
  return { type: 'block_number', op, value: number }
}

function areValid(predicates: readonly ValidityPredicate[]): boolean {
  return evaluatePredicates(predicates, CONTEXT).areValid
}

describe('the result of evaluatePredicates', () => {
  it.each([
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['=', [false, true, false]],
    ['!=', [true, false, true]],
    ['>', [false, false, true]],
    ['>=', [false, true, true]],
  ] as const)('compares the number of the block by %s', (op, expected) => {
    expect([10n, 9n, 8n].map((value) => areValid([at(value, op)]))).toEqual(expected)
  })

  it.each<[ValidityPredicate, boolean]>([
    [{ type: 'balance', address: ADDRESS, op: '=', value: 100n }, true],
    [{ type: 'balance', address: toAddress(`0x${'01'.repeat(20)}`), op: '=', value: 0n }, true],
    [{ type: 'storage', address: ADDRESS, slot: SLOT, op: '=', value: 0x1234n, mask: MAX_UINT256 }, true],
    [{ type: 'storage', address: ADDRESS, slot: SLOT, op: '=', value: 0x34n, mask: 0xffn }, true],
    [{ type: 'storage', address: ADDRESS, slot: SLOT, op: '=', value: 0x12n, mask: 0xffn }, false],
    [{ type: 'flashblock_index', op: '=', value: 0n }, true],
    [{ type: 'timestamp', op: '<=', value: 500n }, true],
    [{ type: 'timestamp', op: '<=', value: 499n }, false],
    [{ type: 'storage_root', address: ADDRESS, op: '=', value: BigInt(`0x${'cd'.repeat(32)}`) }, true],
    [{ type: 'storage_root', address: ADDRESS, op: '=', value: 1n }, false],
  ])('reads what a predicate is about (%#)', (predicate, expected) => {
    expect(areValid([at(9n), predicate])).toBe(expected)
    expect(areValid([at(8n), predicate])).toBe(false)
  })
})

describe('the order of evaluatePredicates', () => {
  const slot = { type: 'storage', address: ADDRESS, slot: SLOT, mask: MAX_UINT256, op: '=', value: 0x1234n } as const
  const balance = { type: 'balance', address: ADDRESS, op: '=', value: 100n } as const

  it.each<[readonly ValidityPredicate[], number]>([
    [[slot, balance, at(8n)], 1],
    [[slot, balance, { type: 'flashblock_index', op: '>', value: 0n }, at(9n)], 2],
    [[slot, { ...balance, value: 99n }, at(9n)], 2],
    [[slot, { ...slot, value: 0n }, slot], 2],
  ])('is from cheap to expensive, up to the first predicate that does not hold (%#)', (predicates, evaluated) => {
    expect(evaluatePredicates(predicates, CONTEXT)).toEqual({ areValid: false, evaluated })
  })

  it('counts all predicates when all hold', () => {
    expect(evaluatePredicates([slot, at(9n), balance, slot], CONTEXT)).toEqual({ areValid: true, evaluated: 4 })
  })
})

describe('lastValidBlock', () => {
  it.each<[readonly ValidityPredicate[], bigint | undefined]>([
    [[at(9n)], 9n],
    [[at(9n, '<')], 8n],
    [[at(9n, '='), at(12n)], 9n],
    [[at(9n, '>='), at(9n, '!=')], undefined],
    [[{ type: 'balance', address: ADDRESS, op: '<', value: 1n }], undefined],
  ])('is the lowest upper bound (%#)', (predicates, expected) => {
    expect(lastValidBlock(predicates)).toBe(expected)
  })
})

describe('the form of a waiting transaction', () => {
  it('keeps the predicates, and the hash and the bytes of the signed transaction', () => {
    const { from: _, ...signed } = signTransfer({ nonce: 3n })
    fc.assert(
      fc.property(fc.array(poolPredicates, { maxLength: 64 }), fc.boolean(), (validity, mustStayValid) => {
        const conditions = { validity, ...(mustStayValid && { mustStayValid }) }
        expect(decodeWaitingTransaction(encodeWaitingTransaction({ ...signed, ...conditions }))).toEqual({
          ...signed,
          ...conditions,
        })
      }),
    )
  })

  it('needs at most PREDICATE_BYTES for a predicate', () => {
    const address = toAddress(`0x${'ff'.repeat(20)}`)
    const words = { slot: bigintToSlot(MAX_UINT256), mask: MAX_UINT256, value: MAX_UINT256 }
    const [largest] = validityItem([{ type: 'storage', address, op: '>=', ...words }]) as readonly RlpSource[]

    expect(encodeRlp(largest!)).toHaveLength(PREDICATE_BYTES)
  })

  it('refuses more predicates than the limit', () => {
    const { raw } = signTransfer({ nonce: 3n })
    const many = encodeTypedRlp(CONDITIONAL_TYPE, [raw, validityItem(Array.from({ length: 1_003 }, () => at(1n)))])

    expect(() => decodeWaitingTransaction(many)).toThrow('too many predicates')
  })
})
