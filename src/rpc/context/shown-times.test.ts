import { expect, test } from 'vitest'
import type { Block } from '../../chain/block/block.ts'
import { createNodeEvents } from '../../node/view/events.ts'
import type { View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'
import { ShownTimes } from './shown-times.ts'

const hashOf = (text: string) => `0x${text}` as Hash
const view = {} as View

interface Flashblock {
  readonly hash: string
  /** Positions of its transactions. */
  readonly from: number
  readonly to: number
  readonly at: number
}

function started(bounds: { readonly maxBlocks?: number; readonly maxFlashblocks?: number } = {}) {
  const events = createNodeEvents()
  let now = 1_000
  const times = new ShownTimes(bounds, { events, clock: { wall: () => now } })
  return {
    flashblock(number: number, index: number, { hash, from, to, at }: Flashblock) {
      now = at
      const place = { header: { number }, hash: hashOf(hash), index, firstTransaction: from }
      const layer = { ...place, transactions: new Array(to - from).fill({}) } as unknown as Layer
      events.emit('flashblock', { view, layer, block: {} as Block })
    },
    sealed(number: number, hash: string, at: number) {
      now = at
      events.emit('sealed', { view, block: { header: { number }, hash: hashOf(hash) } as Block, receipts: [] })
    },
    of: (blockNumber: number, hash: string, index: number) => times.of({ blockNumber, blockHash: hashOf(hash), index }),
  }
}

const UNKNOWN = { flashblock: undefined, preconfirmedAt: undefined, sealedAt: undefined }

test('gives the flashblock of a transaction by its position, and when it and the seal were shown', () => {
  const { flashblock, sealed, of } = started()
  flashblock(7, 0, { hash: 'a0', from: 0, to: 1, at: 2_000 })
  flashblock(7, 1, { hash: 'a1', from: 1, to: 3, at: 2_200 })
  flashblock(7, 2, { hash: 'a1', from: 3, to: 3, at: 2_400 })
  flashblock(7, 3, { hash: 'a3', from: 3, to: 4, at: 2_600 })

  expect(of(7, 'a3', 0)).toEqual({ flashblock: 0, preconfirmedAt: 2_000, sealedAt: undefined })
  expect(of(7, 'a3', 2)).toEqual({ flashblock: 1, preconfirmedAt: 2_200, sealedAt: undefined })

  sealed(7, 'a3', 2_601)

  expect(of(7, 'a3', 3)).toEqual({ flashblock: 3, preconfirmedAt: 2_600, sealedAt: 2_601 })
})

test('gives no times of an unwound block for the one that replaced it', () => {
  const { flashblock, sealed, of } = started()
  flashblock(7, 0, { hash: 'a0', from: 0, to: 1, at: 2_000 })
  sealed(7, 'a0', 2_100)
  expect(of(7, 'b0', 0)).toEqual(UNKNOWN)

  flashblock(7, 0, { hash: 'b0', from: 0, to: 1, at: 9_000 })

  expect(of(7, 'b0', 0)).toEqual({ flashblock: 0, preconfirmedAt: 9_000, sealedAt: undefined })
  expect(of(7, 'a0', 0)).toEqual(UNKNOWN)
})

test('knows the transactions of later flashblocks of a block whose first ones it missed', () => {
  const { flashblock, of } = started()
  flashblock(7, 4, { hash: 'a4', from: 2, to: 3, at: 2_000 })

  expect(of(7, 'a4', 1)).toEqual(UNKNOWN)
  expect(of(7, 'a4', 2)).toEqual({ flashblock: 4, preconfirmedAt: 2_000, sealedAt: undefined })
})

test('forgets the block that was shown first when there are more than the bound', () => {
  const { flashblock, of } = started({ maxBlocks: 2 })
  for (const number of [5, 6, 5, 7]) flashblock(number, 0, { hash: `a${number}`, from: 0, to: 1, at: number * 1_000 })

  expect(of(6, 'a6', 0)).toEqual(UNKNOWN)
  expect([5, 7].map((number) => of(number, `a${number}`, 0).preconfirmedAt)).toEqual([5_000, 7_000])
})

test('forgets whole blocks, oldest first, when they have more flashblocks than the bound', () => {
  const { flashblock, of } = started({ maxFlashblocks: 5 })
  const show = (number: number, count: number) => {
    for (let index = 0; index < count; index++) {
      flashblock(number, index, { hash: `a${number}`, from: index, to: index + 1, at: number * 1_000 + index })
    }
  }
  show(5, 2)
  show(6, 2)
  // The block replaces itself: its earlier flashblocks do not count any more.
  show(6, 3)
  expect(of(5, 'a5', 0).preconfirmedAt).toBe(5_000)

  show(7, 1)

  expect([of(5, 'a5', 0), of(5, 'a5', 1)]).toEqual([UNKNOWN, UNKNOWN])
  expect([of(6, 'a6', 0).preconfirmedAt, of(6, 'a6', 2).preconfirmedAt]).toEqual([6_000, 6_002])
  expect(of(7, 'a7', 0).preconfirmedAt).toBe(7_000)
})

test('keeps the newest block, even if it alone has more flashblocks than the bound', () => {
  const { flashblock, of } = started({ maxFlashblocks: 2 })
  for (const index of [0, 1, 2, 3]) flashblock(5, index, { hash: 'a5', from: index, to: index + 1, at: 5_000 + index })

  expect([0, 3].map((index) => of(5, 'a5', index).preconfirmedAt)).toEqual([5_000, 5_003])
})
