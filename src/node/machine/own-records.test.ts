import { expect, test } from 'vitest'
import { GENESIS, GENESIS_CONTENT, RecordWriter, storeAt } from '../../../test/support/record-writer.ts'
import type { Hash } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { applyRecord } from './apply-record.ts'
import { type ChainState, chainState } from './chain-state.ts'
import { RecoveryError } from './recovery-error.ts'

// A node's own records may begin below its newest stored block: what they say of stored blocks are only the hashes
// that clients may still know.

function replay(records: readonly NumberedRecord[], from: ChainState): ChainState {
  return records.reduce((state, numbered) => applyRecord(state, numbered).state, from)
}

/** Own records of a chain whose store ends at block `number`. */
function ownState(writer: RecordWriter, number: number): ChainState {
  const whole = replay(writer.records, chainState(GENESIS_CONTENT))
  const { block, trie } = whole.content.recent[number - 1]!
  const base = storeAt(block.header, block.hash)
  return chainState({ ...GENESIS_CONTENT, base, baseTrie: trie }, { isOwn: true })
}

const partialsOf = ({ content }: ChainState) => content.partials.map((hashes) => [...hashes.keys()])

test('flashblocks of stored blocks leave the hashes that they had, with replaced openings', () => {
  const writer = new RecordWriter().flashblock().replacement().flashblock().block(0).block(3).flashblock()
  const whole = replay(writer.records, chainState(GENESIS_CONTENT))

  const own = replay(writer.records, ownState(writer, 2))

  expect(partialsOf(own)).toEqual(partialsOf(whole))
  expect(own.content.recent).toEqual([])
  expect(own.content.pending!.block.hash).toBe(whole.content.pending!.block.hash)
  expect(own.content.sequence).toBe(writer.records.length)
})

test('a sealed block of the store is no open block: the next opening follows the store', () => {
  const writer = new RecordWriter().block(1).flashblock()
  const stored = replay(writer.records.slice(0, -1), ownState(writer, 1))

  expect(stored).toMatchObject({ isSealed: false, stored: undefined })
  expect(stored.content.pending).toBeUndefined()
  expect(replay(writer.records.slice(-1), stored).content.pending!.block.header.number).toBe(2)
})

test('an alteration below the store changes nothing there, and ends the block that it follows', () => {
  const writer = new RecordWriter().flashblock().alter(7n).flashblock().block(0).flashblock()
  const own = ownState(writer, 1)

  const [opening, alteration] = writer.records
  const opened = replay([opening!], own)
  const altered = replay([alteration!], opened)

  expect(opened.content.partials).toHaveLength(1)
  expect(altered.content.partials).toEqual([])
  expect(altered.stored).toBeUndefined()
  expect(replay([alteration!], own)).toBe(own)
  expect(partialsOf(replay(writer.records, own))).toEqual(
    partialsOf(replay(writer.records, chainState(GENESIS_CONTENT))),
  )
})

test('an alteration of the newest stored block is applied', () => {
  const writer = new RecordWriter().block(1).alter(7n).flashblock()
  const [alteration, opening] = writer.records.slice(-2)

  const altered = replay([alteration!], ownState(writer, 1))

  expect(altered.content.altered?.diffs).toHaveLength(1)
  expect(replay([opening!], altered).content.pending!.prelude?.diffs).toHaveLength(1)
})

test('a follower applies an alteration below its base to no block', () => {
  const writer = new RecordWriter().block(1).flashblock()
  const { content } = ownState(writer, 1)
  const diff = { accounts: new Map(), storage: new Map(), code: new Map() }
  const record = { kind: 'alter', number: 0, hash: GENESIS.hash, diff } as const

  expect(() => applyRecord(chainState(content), { sequence: 1, record })).toThrow(/is not the newest/)
})

const unwindTo = (state: ChainState, number: number, hash: Hash) =>
  applyRecord(state, { sequence: 99, record: { kind: 'unwind', number, hash } }).state

test('an own unwind to another block at a height leaves nothing of the chain above the store', () => {
  const writer = new RecordWriter().block(1).block(1).flashblock()
  const own = replay(writer.records, ownState(writer, 1))

  const known = unwindTo(own, 2, own.content.recent[0]!.block.hash)
  const other = unwindTo(own, 2, bigintToHash(7n))

  expect(known.content.recent.map(({ block }) => block.header.number)).toEqual([2])
  expect(known.content.partials).toHaveLength(2)
  expect(other.content).toMatchObject({ recent: [], partials: [], pending: undefined })
})

test.each([
  ['its oldest block or a later one is known', 5, 7, true],
  ['the oldest block is known', 7, 7, true],
  ['a block below it is not: another chain begins there', 8, 7, false],
  ['block 0 is known', 8, 0, true],
])('an unwind on a store that begins at a height: %s', (_, oldestBlock, number, isKnown) => {
  const hash = bigintToHash(9n)
  const base = { number: 9, oldestBlock, blockHash: () => hash } as unknown as Snapshot
  const state = chainState({ ...GENESIS_CONTENT, base, partials: [new Map(), new Map(), new Map(), new Map()] })

  const unwind = () => unwindTo(state, number, hash)

  if (isKnown) expect(unwind().content.partials).toHaveLength(Math.max(0, 4 - (9 - number)))
  else expect(unwind).toThrow(RecoveryError)
})

test.each<[string, (records: readonly NumberedRecord[]) => readonly NumberedRecord[]]>([
  ['a gap', ([opening, , second]) => [opening!, second!]],
  ['a flashblock of another block', (records) => [records[0]!, records.at(-2)!]],
])('%s in the records of a stored block is an error', (_, choose) => {
  const writer = new RecordWriter().block(2).flashblock().flashblock().flashblock().seal().flashblock()
  const own = ownState(writer, 2)

  expect(() => replay(choose(writer.records), own)).toThrow(RecoveryError)
})
