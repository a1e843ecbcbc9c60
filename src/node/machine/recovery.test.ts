import { describe, expect, test } from 'vitest'
import { diffOf, GENESIS, GENESIS_CONTENT, RecordWriter } from '../../../test/support/record-writer.ts'
import type { BuiltBlock } from './head.ts'
import { MAX_PARTIAL_BLOCKS } from './head-transitions.ts'
import { recover } from './recovery.ts'
import { RecoveryError } from './recovery-error.ts'

const BASE = { number: 0, hash: GENESIS.hash, trie: GENESIS_CONTENT.baseTrie }
const recoverFrom = ({ records }: RecordWriter) => recover(BASE, records)
const numbersOf = ({ recent }: ReturnType<typeof recover>) => recent.map(({ block }) => block.header.number)
const epoch = (leader: string) => ({ kind: 'epoch', leader, token: new Uint8Array(8) }) as const

describe('a recovered chain', () => {
  test('without records is empty', () => {
    expect(recover(BASE, [])).toEqual({
      recent: [],
      open: undefined,
      altered: undefined,
      partials: [],
      pooled: [],
      dropped: [],
      epoch: undefined,
      sequence: 0,
    })
  })

  test('has the sealed blocks, and the open one apart', () => {
    const recovered = recoverFrom(new RecordWriter().block(1).block(1).flashblock())

    expect(numbersOf(recovered)).toEqual([1, 2])
    expect(recovered.open!.block.header.number).toBe(3)
    expect(recovered.partials).toHaveLength(3)
  })

  test('whose newest block is sealed has no open one, and its alterations apart', () => {
    const recovered = recoverFrom(new RecordWriter().block(1).block(1).alter(7n))

    expect(numbersOf(recovered)).toEqual([1, 2])
    expect(recovered.open).toBeUndefined()
    expect(recovered.altered?.diffs).toHaveLength(1)
    expect(recovered.partials).toHaveLength(2)
  })

  test('whose open block follows alterations has them in that block', () => {
    const { open, altered } = recoverFrom(new RecordWriter().block(1).alter(7n).flashblock())

    expect(open!.prelude?.diffs).toHaveLength(1)
    expect(altered).toBeUndefined()
  })

  test('keeps the partial hashes of 64 sealed blocks', () => {
    const writer = new RecordWriter()
    for (let block = 0; block < MAX_PARTIAL_BLOCKS + 3; block++) writer.block(1)

    expect(recoverFrom(writer).partials).toHaveLength(64)
    expect(recoverFrom(writer.flashblock()).partials).toHaveLength(65)
  })

  test('may begin within the store', () => {
    const writer = new RecordWriter().block(2).block(1).flashblock()
    const [{ block, trie }] = recoverFrom(writer).recent as [BuiltBlock, ...BuiltBlock[]]

    const recovered = recover({ number: 1, hash: block.hash, trie }, writer.records.slice(1))

    expect(numbersOf(recovered)).toEqual([2])
    expect(recovered.open!.block.header.number).toBe(3)
  })

  test('knows the newest leader and the record of its epoch', () => {
    const writer = new RecordWriter().append(epoch('a')).block(1).append(epoch('b')).flashblock()

    expect(recoverFrom(writer)).toMatchObject({ epoch: { leader: 'b', sequence: 5 }, sequence: 6 })
  })
})

describe('after an unwind', () => {
  test('only blocks that remain and later ones are recovered', () => {
    const writer = new RecordWriter().block(1).block(1).block(1).unwind(1).block(1).flashblock()

    const recovered = recoverFrom(writer)

    expect(numbersOf(recovered)).toEqual([1, 2])
    expect(recovered.open!.block.header.number).toBe(3)
  })

  test('records of unwound blocks may extend blocks that the store no longer has', () => {
    const writer = new RecordWriter().block(1).block(1).unwind(0).block(1).flashblock()

    // The records of block 1 were deleted.
    expect(numbersOf(recover(BASE, writer.records.slice(3)))).toEqual([1])
  })

  test('its alterations follow its block, in place of earlier ones', () => {
    const writer = new RecordWriter().block(1).alter(5n).flashblock().unwind(1, diffOf(9n))

    const { altered } = recoverFrom(writer)

    expect(altered?.diffs).toEqual([diffOf(9n)])
    expect(recoverFrom(writer.flashblock()).open!.prelude?.diffs).toEqual([diffOf(9n)])
  })

  test('alterations of the block that it leaves are gone without new ones', () => {
    const writer = new RecordWriter().block(1).alter(5n).unwind(1)

    expect(recoverFrom(writer).altered).toBeUndefined()
  })

  test('alterations of an unwind that a later one undoes are gone', () => {
    const writer = new RecordWriter().block(1).block(1).unwind(1, diffOf(9n)).unwind(0).flashblock()

    const { open, recent } = recoverFrom(writer)

    expect(recent).toEqual([])
    expect(open!.prelude).toBeUndefined()
  })

  test('alterations of an unwind are gone when a later one goes below their block', () => {
    const writer = new RecordWriter().block(1).block(1).block(1).unwind(2, diffOf(9n)).unwind(1).flashblock()

    const recovered = recoverFrom(writer)

    expect(numbersOf(recovered)).toEqual([1])
    expect(recovered.open!.prelude).toBeUndefined()
  })

  test('alterations below the store are part of it', () => {
    const writer = new RecordWriter().block(1).unwind(0, diffOf(9n))
    const { block, trie } = recoverFrom(new RecordWriter().block(1).flashblock()).recent[0]!

    const { altered } = recover({ number: 1, hash: block.hash, trie }, writer.records)

    expect(altered).toBeUndefined()
  })

  test('an open block below the unwound ones contradicts the records', () => {
    const writer = new RecordWriter().block(1).flashblock()
    const { records } = writer.append({ kind: 'unwind', number: 3, hash: GENESIS.hash, alterations: diffOf(9n) })

    expect(() => recover(BASE, records)).toThrow(RecoveryError)
    expect(() => recover(BASE, records)).toThrow('blocks above 3 are unwound, and block 4 is open')
  })

  test('the pool is what the record before it lists', () => {
    const writer = new RecordWriter()
    const [kept, gone] = [writer.transaction(), writer.transaction()]
    writer.append({ kind: 'pool', transactions: [gone] }).append({ kind: 'pool', transactions: [kept] })
    const before = recoverFrom(writer.flashblock())
    const after = recoverFrom(writer.block(1).unwind(0))

    expect(before.pooled).toEqual([gone, kept])
    expect(after.pooled).toEqual([kept])
  })
})

test('dropped transactions leave the recovered pool, with their reasons', () => {
  const writer = new RecordWriter()
  const [kept, gone] = [writer.transaction(), writer.transaction()]
  const dropped = { hash: gone.hash, reason: { code: 'EVICTED' } } as const
  writer.append({ kind: 'pool', transactions: [gone, kept] }).append({ kind: 'drop', transactions: [dropped] })

  expect(recoverFrom(writer)).toMatchObject({ pooled: [kept], dropped: [dropped] })
})
