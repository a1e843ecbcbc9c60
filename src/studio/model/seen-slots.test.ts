import { expect, test } from 'vitest'
import { EMPTY_TIMELINE, type TimelineBlock } from '../../live/timeline.ts'
import { seenSlotOf, seenSlots, slotCounts } from './seen-slots.ts'

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
    slots: slots.map((hashes, index) => ({
      index,
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

test('remembers in which flashblock of a block a transaction arrived', () => {
  const slots = seenSlots(timeline, 4, '0xh4')
  expect([...slots]).toEqual([
    ['0xa', 0],
    ['0xb', 2],
    ['0xc', 2],
  ])
  expect(slotCounts(slots)).toEqual([
    { index: 0, transactionCount: 1 },
    { index: 2, transactionCount: 2 },
  ])
  expect([seenSlotOf(timeline, 5, '0xd'), seenSlotOf(timeline, 4, '0xd'), seenSlotOf(timeline, 9, '0xa')]).toEqual([
    1,
    undefined,
    undefined,
  ])
})

test('the open block has a new hash with each flashblock, a sealed one must match', () => {
  expect(seenSlots(timeline, 5, '0xother').size).toBe(1)
  expect(seenSlots(timeline, 4, '0xother').size).toBe(0)
})

test('a chain without flashblocks has none', () => {
  const whole = { ...EMPTY_TIMELINE, slotsPerBlock: 1, open: block(5, [['0xd']]) }
  expect([seenSlots(whole, 5, '0xh5').size, seenSlotOf(whole, 5, '0xd')]).toEqual([0, undefined])
})
