import { describe, expect, test } from 'vitest'
import { GENESIS_CONTENT, RecordWriter } from '../../../test/support/record-writer.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { EMPTY_BYTES, ZERO_HASH } from '../../primitives/hex.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { applyRecord } from './apply-record.ts'
import { chainState } from './chain-state.ts'
import type { Head } from './head.ts'
import {
  assembleHead,
  changesOf,
  finalizedHeight,
  type HeadContent,
  leavesState,
  MAX_PARTIAL_BLOCKS,
  sealedIn,
  stateAbove,
  withBase,
  withFinality,
  withPending,
} from './head-transitions.ts'

const FINALITY = { depth: 2 }
/** The account that each flashblock of `RecordWriter` changes: its balance is the number of records so far. */
const CHANGED = DEVELOPMENT_ACCOUNTS[9]!.address
const balanceIn = (state: StateReader) => state.account(CHANGED)?.balance ?? 0n

const EMPTY_STATE: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}

/** A store that ends at genesis. */
function baseAt(number = 0, finalizedBefore = 0): Snapshot {
  const base = { number, finalizedBefore, trieNodes: {}, stateAt: () => EMPTY_STATE }
  return { ...GENESIS_CONTENT.base, ...base } as unknown as Snapshot
}

function contentOf(writer: RecordWriter, base = baseAt()): HeadContent {
  let state = chainState({ ...GENESIS_CONTENT, base })
  for (const numbered of writer.records) ({ state } = applyRecord(state, numbered))
  const { pending, ...content } = state.content
  return { ...content, pending: pending! }
}

/** Blocks 1 to 3, with alterations between the first two, and an open block. */
const history = () => new RecordWriter().block(1).alter(70n).block(1).block(1).flashblock().flashblock()

describe('finalizedHeight', () => {
  test.each([
    ['lies behind the newest block by the depth', 100, 100, 0, 98],
    ['is not above the newest stored block', 100, 50, 0, 50],
    ['is not below the block finalized before an unwind', 100, 50, 60, 60],
    ['is 0 on a short chain', 1, 1, 0, 0],
  ])('%s', (_, latest, number, finalizedBefore, expected) => {
    expect(finalizedHeight(latest, { number, finalizedBefore }, FINALITY)).toBe(expected)
  })
})

describe('a head', () => {
  test('has the blocks above its base, and the sealed tags', () => {
    const head = assembleHead(contentOf(history()), FINALITY)

    expect(head.recent.map(({ block }) => block.header.number)).toEqual([1, 2, 3])
    expect(head.sealed).toEqual({ latest: 3, safe: 0, finalized: 0 })
    expect(head.pending).toMatchObject({ index: 1, block: { header: { number: 4 } } })
    expect(sealedIn(head, 2)).toBe(head.recent[1])
    expect(sealedIn({ ...head, base: baseAt(5) }, 7)).toBe(head.recent[1])
  })

  test('without recent blocks has the tags of its base, and keeps blocks finalized', () => {
    const content = contentOf(new RecordWriter().flashblock())

    const head = assembleHead({ ...content, base: baseAt(7, 3) }, FINALITY)

    expect(head.sealed).toEqual({ latest: 7, safe: 7, finalized: 5 })
    expect(assembleHead({ ...content, base: baseAt(7, 6) }, FINALITY).sealed.finalized).toBe(6)
    expect(assembleHead(content, FINALITY, { finalizedBefore: 9 }).sealed.finalized).toBe(9)
  })

  test('has the state after each block, with the alterations that follow it', () => {
    const head = assembleHead(contentOf(history()), FINALITY)

    // Each flashblock and alteration sets the balance: to the number of records before it, or to 70, and one more.
    expect(head.recent.map(({ state }) => balanceIn(state))).toEqual([71n, 6n, 9n])
    expect(balanceIn(head.pending.state)).toBe(12n)
    expect(balanceIn(head.baseState)).toBe(0n)
    expect(head.recent[1]!.prelude?.diffs).toHaveLength(1)
  })

  test('has the state of its base with the alterations of the first block above it', () => {
    const head = assembleHead(contentOf(new RecordWriter().alter(70n).block(1).flashblock()), FINALITY)
    const pendingOnly = assembleHead(contentOf(new RecordWriter().alter(70n).flashblock()), FINALITY)

    expect(balanceIn(head.baseState)).toBe(71n)
    expect(balanceIn(pendingOnly.baseState)).toBe(71n)
    expect(pendingOnly.pending.prelude?.trie.root).not.toBe(GENESIS_CONTENT.baseTrie.root)
  })

  test('knows the hashes of its blocks', () => {
    const head = assembleHead(contentOf(history()), FINALITY)
    const [first, second] = head.recent

    expect(head.recent[2]!.state.blockHash(1)).toBe(first!.block.hash)
    expect(head.pending.state.blockHash(2)).toBe(second!.block.hash)
  })

  test('has the blocks of the head before as they are, except the newest, whose alterations may be new', () => {
    const writer = history()
    const before = assembleHead(contentOf(writer), FINALITY)
    const content = { ...contentOf(writer), baseTrie: before.baseTrie, base: before.base, recent: before.recent }

    const next = assembleHead(content, FINALITY, { before })

    expect(next.recent.slice(0, 2)).toEqual(before.recent.slice(0, 2))
    expect(next.recent[0]).toBe(before.recent[0])
    expect(next.recent[1]).toBe(before.recent[1])
    expect(next.recent[2]).not.toBe(before.recent[2])
  })

  test.each<[string, (content: HeadContent) => HeadContent]>([
    ['base', (content) => ({ ...content, base: { ...content.base } as Snapshot })],
    ['successor', (content) => ({ ...content, recent: content.recent.slice(0, 1) })],
    [
      'block',
      (content) => ({ ...content, recent: content.recent.map((built) => ({ ...built, block: { ...built.block } })) }),
    ],
  ])('has new blocks on another %s', (_, change) => {
    const before = assembleHead(contentOf(history()), FINALITY)
    const { base, baseTrie, recent } = before

    const next = assembleHead(change({ ...contentOf(history()), base, baseTrie, recent }), FINALITY, { before })

    expect(next.recent[0]).not.toBe(before.recent[0])
    expect(balanceIn(next.recent[0]!.state)).toBe(next.recent.length === 1 ? 2n : 71n)
  })

  test('has a new block beside one that stays', () => {
    const before = assembleHead(contentOf(history()), FINALITY)
    const { base, baseTrie } = before
    const [first, ...others] = before.recent
    const recent = [{ ...first!, block: { ...first!.block } }, ...others]

    const next = assembleHead({ ...contentOf(history()), base, baseTrie, recent }, FINALITY, { before })

    expect(next.recent[0]!.block).toBe(recent[0]!.block)
    expect(next.recent[1]).toBe(before.recent[1])
  })

  test('with another open block shows its state on the same blocks', () => {
    const head = assembleHead(contentOf(history()), FINALITY)
    const { pending } = contentOf(history().flashblock())

    const other = withPending(head, pending)

    expect(other.recent).toBe(head.recent)
    expect(other.pending.index).toBe(2)
    expect(balanceIn(other.pending.state)).toBe(13n)
    expect(other.sealed).toBe(head.sealed)
  })

  test('with other finality keeps everything else', () => {
    const head = assembleHead(contentOf(history()), FINALITY)

    const other = withFinality(head, { safe: 2, finalized: 1 })

    expect(other).toEqual({ ...head, sealed: { latest: 3, safe: 2, finalized: 1 } })
    expect(Object.keys(other)).toEqual(Object.keys(head))
  })

  test('on a newer base has only the blocks above it', () => {
    const content = contentOf(history())
    const base = baseAt(2)

    const moved = withBase(content, base, content.recent[1]!.trie)

    expect(moved.recent.map(({ block }) => block.header.number)).toEqual([3])
    expect(moved).toMatchObject({ base, baseTrie: content.recent[1]!.trie })
  })
})

test('the hashes of partial blocks are kept for the open block and 64 sealed ones', () => {
  const writer = new RecordWriter()
  for (let block = 0; block < MAX_PARTIAL_BLOCKS + 5; block++) writer.block(1)

  const { partials } = contentOf(writer.flashblock().flashblock())

  expect(partials).toHaveLength(65)
  expect(partials.map(({ size }) => size)).toEqual(new Array(65).fill(1))
})

describe('the state above a base', () => {
  test('is that of the base without blocks and alterations', () => {
    expect(stateAbove(baseAt(), [])).toBe(EMPTY_STATE)
    expect(stateAbove(baseAt(), contentOf(history()).recent, undefined, 0)).toBe(EMPTY_STATE)
  })

  test('includes the given number of blocks', () => {
    const { recent } = contentOf(history())

    expect(balanceIn(stateAbove(baseAt(), recent, undefined, 1))).toBe(2n)
    expect(balanceIn(stateAbove(baseAt(), recent))).toBe(9n)
  })
})

describe('the changes of a block', () => {
  const [, altered, plain] = contentOf(history()).recent

  test('begin with the alterations before it', () => {
    const changes = changesOf(altered!)

    expect(changes.map(({ diff }) => diff.accounts.get(CHANGED)?.account?.balance)).toEqual([71n, 5n, 6n])
    expect(changesOf(plain!)).toBe(plain!.layers)
  })

  test.each<[string, Partial<Head['recent'][number]>, boolean]>([
    ['leave the state if there are none', { prelude: undefined, layers: [] }, true],
    ['are its alterations', { layers: [] }, false],
    ['are those of its flashblocks', { prelude: undefined }, false],
  ])('%s', (_, members, expected) => {
    expect(leavesState({ ...altered!, ...members })).toBe(expected)
  })

  test.each([
    ['without transactions', 0, true],
    ['with a transaction that changes nothing', 1, false],
  ])('are none in a flashblock without changes, %s', (_, index, expected) => {
    const layer = { ...plain!.layers[index]!, diff: emptyDiff() }
    expect(leavesState({ prelude: undefined, layers: [layer] })).toBe(expected)
  })
})
