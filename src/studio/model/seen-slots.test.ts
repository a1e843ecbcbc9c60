import { expect, test } from 'vitest'
import { EMPTY_TIMELINE, type TimelineBlock } from '../../live/timeline.ts'
import { seenBlock, seenSlotOf, seenSlots, slotCounts } from './seen-slots.ts'

function block(number: number, slots: readonly (readonly string[])[]): TimelineBlock {
  return {
    number,
    hash: `0xh${number}`,
    parentHash: '0xp',
    payloadId: `p${number}`,
    timestamp: 0n,
    gasLimit: 1n,
    gasUsed: 0n,
    transactionCount: 0,
    isPartial: false,
    isSealed: false,
    sealedAt: undefined,
    slots: slots.map((hashes, index) => ({
      index,
      hash: `0xh${number}`,
      arrivedAt: 0,
      transactionCount: hashes.length,
      gasUsed: 0n,
      latenessMs: undefined,
      transactions: hashes.map((hash) => ({ hash, to: undefined, value: 0n, selector: '' })),
    })),
  }
}

const timeline = {
  ...EMPTY_TIMELINE,
  slotsPerBlock: 3,
  sealed: [block(4, [['0xa'], [], ['0xb', '0xc']])],
  open: block(5, [[], ['0xd']]),
}

test('places the transactions of a block by the number of each flashblock, also those whose hash it did not keep', () => {
  const hashes = ['0xa', '0xb', '0xc']
  const slots = seenSlots(timeline, { number: 4, hash: '0xh4', hashes })
  expect([...slots]).toEqual([
    ['0xa', 0],
    ['0xb', 2],
    ['0xc', 2],
  ])
  expect(slotCounts(slots, undefined)).toEqual([
    { index: 0, transactionCount: 1 },
    { index: 2, transactionCount: 2 },
  ])
  const old = { ...timeline, sealed: timeline.sealed.map((one) => ({ ...one, slots: one.slots.map(withoutHashes) })) }
  expect([...seenSlots(old, { number: 4, hash: '0xh4', hashes })]).toEqual([...slots])
  expect(seenSlotOf(old, { number: 4, hash: '0xc', index: 2 })).toBe(2)
})

test('names the flashblock of a transaction, and none of one that it does not know', () => {
  expect(seenSlotOf(timeline, { number: 5, hash: '0xd', index: undefined })).toBe(1)
  expect(seenSlotOf(timeline, { number: 5, hash: '0xd', index: 0 })).toBe(1)
  expect(seenSlotOf(timeline, { number: 5, hash: '0xe', index: 1 })).toBeUndefined()
  expect(seenSlotOf(timeline, { number: 9, hash: '0xa', index: 0 })).toBeUndefined()
})

test('uses hashes only where flashblocks of the block are missing', () => {
  const [sealed] = timeline.sealed
  const partial = { ...timeline, sealed: [{ ...sealed!, slots: sealed!.slots.slice(1) }] }
  const place = { number: 4, hash: '0xh4', hashes: ['0xa', '0xb', '0xc'] }
  expect([...seenSlots(partial, place)]).toEqual([
    ['0xb', 2],
    ['0xc', 2],
  ])
  expect(seenSlotOf(partial, { number: 4, hash: '0xb', index: 1 })).toBe(2)
})

test('the open block has a new hash with each flashblock, a sealed one must match', () => {
  expect(seenSlots(timeline, { number: 5, hash: '0xother', hashes: ['0xd'] }).size).toBe(1)
  expect(seenSlots(timeline, { number: 4, hash: '0xother', hashes: ['0xa'] }).size).toBe(0)
})

test('a chain without flashblocks has none', () => {
  const whole = { ...EMPTY_TIMELINE, slotsPerBlock: 1, open: block(5, [['0xd']]) }
  expect(seenSlots(whole, { number: 5, hash: '0xh5', hashes: ['0xd'] }).size).toBe(0)
  expect(seenSlotOf(whole, { number: 5, hash: '0xd', index: 0 })).toBeUndefined()
})

function withoutHashes<Slot extends object>(slot: Slot): Slot & { readonly transactions: readonly never[] } {
  return { ...slot, transactions: [] }
}

test('finds the open block by its height, and a sealed one by its hash too', () => {
  expect(seenBlock(timeline, { number: 5, hash: undefined })).toBe(timeline.open)
  expect(seenBlock(timeline, { number: 4, hash: '0xh4' })).toBe(timeline.sealed[0])
  expect(seenBlock(timeline, { number: 4, hash: '0xother' })).toBeUndefined()
})

test('counts a flashblock without transactions that this page saw', () => {
  const counts = slotCounts(new Map([['0xd', 1]]), timeline.open)
  expect(counts).toEqual([
    { index: 0, transactionCount: 0 },
    { index: 1, transactionCount: 1 },
  ])
})
