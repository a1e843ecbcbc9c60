import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffOf, GENESIS, GENESIS_CONTENT, RecordWriter, storeAt } from '../../../test/support/record-writer.ts'
import { createHeader, type Header } from '../../chain/block/header.ts'
import type { BuiltFlashblock } from '../../engine/block/build-block.ts'
import type { Hash } from '../../primitives/hex.ts'
import { mergeDiffs } from '../../state/diff.ts'
import type { ChainRecord, FlashblockRecord } from '../../state/records/record.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { applyRecord, type Effect } from './apply-record.ts'
import { type ChainState, chainState, rebased } from './chain-state.ts'
import type { BuiltBlock } from './head.ts'
import { recover } from './recovery.ts'
import { RecoveryError } from './recovery-error.ts'

interface Replayed {
  readonly state: ChainState
  readonly effects: readonly Effect[]
}

/** Replays records in batches. Within a batch, each record but the last is reduced with its successor known. */
function replay(parts: readonly (readonly NumberedRecord[])[], from = chainState(GENESIS_CONTENT)): Replayed {
  let state = from
  const effects: Effect[] = []
  for (const part of parts) {
    for (const [index, numbered] of part.entries()) {
      const applied = applyRecord(state, numbered, { next: part[index + 1]?.record })
      state = applied.state
      effects.push(...applied.effects)
    }
  }
  return { state, effects }
}

const blockOf = ({ block, receipts, layers, prelude, trie }: BuiltBlock) => ({
  hash: block.hash,
  size: block.size,
  transactions: block.transactions.map(({ hash }) => hash),
  gas: receipts.map(({ cumulativeGasUsed }) => cumulativeGasUsed),
  layers: layers.map(({ hash, index, firstTransaction }) => [hash, index, firstTransaction]),
  prelude: prelude && { diff: mergeDiffs(prelude.diffs), root: prelude.trie.root },
  root: trie.root,
})

function chainOf({ content: { recent, pending, partials } }: Pick<ChainState, 'content'>) {
  return {
    recent: recent.map(blockOf),
    pending: pending && blockOf(pending),
    partials: partials.map((map) => [...map.values()].map(({ hash, transactionCount }) => [hash, transactionCount])),
  }
}

function visible(state: ChainState) {
  const { roots, isSealed, content } = state
  return {
    ...chainOf(state),
    sequence: content.sequence,
    isSealed,
    roots: roots && [roots.transactions.root, roots.receipts.root, roots.gasUsed],
  }
}

const hashOf = ({ layer, block }: BuiltFlashblock) => [block.hash, layer.index]

/** All flashblocks in the order in which they are shown, then those that wait for their seal. */
function flashblocksOf({ state, effects }: Replayed) {
  const shown = effects.flatMap((effect) => (effect.kind === 'show' ? effect.flashblocks : []))
  return [...shown, ...state.withheld.flashblocks].map(hashOf)
}

const reduce = (writer: RecordWriter) => replay([writer.records])

describe('a flashblock of index 0 on an open block of the same height', () => {
  test('replaces it if it has no transactions', () => {
    const writer = new RecordWriter().block().flashblock().replacement()

    const { state, effects } = reduce(writer)

    const { header } = writer.last as FlashblockRecord
    expect(state.content.pending!.block.header).toEqual(header)
    expect(state.content.pending!.layers).toHaveLength(1)
    expect(state.content.partials.map(({ size }) => size)).toEqual([0, 2])
    expect(effects.at(-1)).toMatchObject({ kind: 'show', flashblocks: [{ block: { header } }], sealed: [] })
  })

  test('leads to the same chain as without the replaced one', () => {
    const writer = new RecordWriter().block().flashblock().replacement().flashblock(2).seal().flashblock()
    const replaced = writer.records.findIndex(({ record }, index) => {
      const next = writer.records[index + 1]?.record
      return record.kind === 'flashblock' && next?.kind === 'flashblock' && record.index === 0 && next.index === 0
    })
    const without = writer.records.filter((_, index) => index !== replaced)

    expect(chainOf(reduce(writer).state)).toEqual(chainOf(replay([without]).state))
  })

  test('is refused if it has transactions', () => {
    const writer = new RecordWriter().flashblock().flashblock(1).replacement()

    expect(() => reduce(writer)).toThrow(/is not sealed/)
  })
})

describe('each kind of record', () => {
  test('a flashblock opens a block, and the next ones extend it', () => {
    const { state, effects } = reduce(new RecordWriter().flashblock().flashblock(2).flashblock(3))

    const { pending, sequence } = state.content
    expect(pending!.block.transactions).toHaveLength(5)
    expect(pending!.layers.map(({ index, firstTransaction }) => [index, firstTransaction])).toEqual([
      [0, 0],
      [1, 0],
      [2, 2],
    ])
    expect(sequence).toBe(3)
    expect(effects.map((effect) => effect.kind === 'show' && effect.flashblocks.map(hashOf))).toEqual(
      flashblocksOf({ state, effects }).map((flashblock) => [flashblock]),
    )
  })

  test('the hash of a block before its newest flashblock names a partial block', () => {
    const writer = new RecordWriter().flashblock().flashblock(2)
    const before = reduce(writer).state.content.pending!.block

    const { partials } = reduce(writer.flashblock()).state.content

    expect(partials[0]!.get(before.hash)).toMatchObject({ hash: before.hash, transactionCount: 2 })
  })

  test('a sealed block shows with the opening of the next one', () => {
    const { state, effects } = reduce(new RecordWriter().block().flashblock())

    const last = effects.at(-2)
    expect(last).toMatchObject({ kind: 'show', sequence: 5, sealed: [state.content.recent[0]] })
    expect(last?.kind === 'show' && last.flashblocks).toHaveLength(2)
    expect(effects.at(-1)).toEqual({ kind: 'write', sequence: 5, number: 1 })
    expect(state).toMatchObject({ isSealed: false, withheld: { flashblocks: [], sealed: [] } })
  })

  test('blocks of a single flashblock each are shown and stored together', () => {
    const { records } = new RecordWriter().flashblock().seal().flashblock().seal().flashblock().seal().flashblock()

    const { effects } = replay([records])

    const [show, ...writes] = effects
    expect(show?.kind === 'show' && show.flashblocks.map(({ block }) => block.header.number)).toEqual([1, 2, 3, 4])
    expect(show?.kind === 'show' && show.sealed.map(({ block }) => block.header.number)).toEqual([1, 2, 3])
    expect(writes.map((effect) => effect.kind === 'write' && effect.number)).toEqual([1, 2, 3])
  })

  test('a seal that is not known yet does not delay its flashblock', () => {
    const { records } = new RecordWriter().block().flashblock()

    const { effects } = replay(records.map((numbered) => [numbered]))

    const shows = effects.filter((effect) => effect.kind === 'show')
    expect(shows.map(({ flashblocks }) => flashblocks.length)).toEqual([1, 1, 1, 1])
    expect(shows.at(-1)!.sealed.map(({ block }) => block.header.number)).toEqual([1])
  })

  test('pool, drop and epoch records are effects that leave the chain as it is', () => {
    const writer = new RecordWriter().flashblock()
    const transaction = writer.transaction()
    const records: ChainRecord[] = [
      { kind: 'pool', transactions: [transaction] },
      { kind: 'drop', transactions: [{ hash: transaction.hash, reason: { code: 'EVICTED' } }] },
      { kind: 'epoch', leader: 'a', token: new Uint8Array(8) },
    ]
    const { state } = reduce(writer)

    for (const record of records) {
      const reduced = applyRecord(state, { sequence: 2, record })

      expect(reduced.state).toBe(state)
      expect(reduced.effects).toMatchObject([{ kind: record.kind, sequence: 2 }])
    }
  })

  test('an unwind removes the blocks above its target, the open one, and their partial hashes', () => {
    const writer = new RecordWriter().block(1).block(3)
    const kept = visible(reduce(writer).state)
    writer.block(2).flashblock().flashblock()

    const { state } = reduce(writer.unwind(2))

    const { recent, pending, sequence } = state.content
    expect(recent.map(blockOf)).toEqual([...kept.recent, kept.pending])
    expect(chainOf(state).partials).toEqual(kept.partials)
    expect({ pending, sequence }).toEqual({ pending: undefined, sequence: writer.records.length })
    expect(visible(reduce(writer.flashblock()).state).recent).toEqual([...kept.recent, kept.pending])
  })

  test('a second unwind before the next opening keeps the partial hashes of the remaining blocks', () => {
    const writer = new RecordWriter().block(1)
    const { partials } = chainOf(reduce(writer).state)

    const { state } = reduce(writer.block(2).block(3).unwind(2).unwind(1))

    expect(chainOf(state).partials).toEqual(partials)
  })

  test('an unwind below the base continues on the unwound store', () => {
    const writer = new RecordWriter().block()
    const above = replay([writer.flashblock().records]).state
    const [first] = above.content.recent
    const stored = { base: storeAt(first!.block.header, first!.block.hash), baseTrie: first!.trie }
    const known: Snapshot = { ...stored.base, blockHash: (n) => (n === 0 ? GENESIS.hash : stored.base.blockHash(n)) }
    const state = rebased(above, known, stored.baseTrie)
    const unwinding = writer.unwind(0).records.at(-1)!
    const opening = writer.flashblock().records.at(-1)!

    const unwound = applyRecord(state, unwinding).state

    expect(state.content.recent).toEqual([])
    expect(() => applyRecord(unwound, opening)).toThrow(RecoveryError)
    const onStore = rebased(unwound, GENESIS_CONTENT.base, GENESIS_CONTENT.baseTrie)
    expect(applyRecord(onStore, opening).state.content.pending?.block.header.number).toBe(1)
  })

  test('own records may begin within a stored block', () => {
    const writer = new RecordWriter().block(3).block(1).flashblock()
    const whole = reduce(writer).state.content
    const [first, second] = whole.recent
    const content = { ...GENESIS_CONTENT, base: storeAt(first!.block.header, first!.block.hash), baseTrie: first!.trie }

    for (let dropped = 0; dropped <= 5; dropped++) {
      const { state } = replay([writer.records.slice(dropped)], chainState(content, { isOwn: true }))

      expect(state.content.recent.map(blockOf)).toEqual([blockOf(second!)])
      expect(state.content.pending?.block.hash).toBe(whole.pending?.block.hash)
    }
  })
})

describe('records out of order', () => {
  const opened = () => new RecordWriter().flashblock().flashblock()
  const sealed = () => new RecordWriter().block(1)
  const flashblock = (writer: RecordWriter) => writer.flashblock().records.pop()!.record as FlashblockRecord
  const seal = (writer: RecordWriter) => writer.seal().records.pop()!.record
  const hash = GENESIS.header.stateRoot
  const alter = (hash: Hash): ChainRecord => ({ kind: 'alter', number: 0, hash, diff: diffOf(1n) })

  test.each<[violation: string, writer: RecordWriter, record: (writer: RecordWriter) => ChainRecord, error: RegExp]>([
    ['a flashblock before any opening', new RecordWriter(), () => flashblock(opened()), /only the end is recorded/],
    ['an opening on an open block', opened(), () => flashblock(sealed()), /is not sealed/],
    ['a flashblock on a sealed block', sealed(), () => flashblock(opened()), /is sealed/],
    ['a flashblock twice', opened(), (writer) => writer.last, /comes where flashblock 2 should/],
    ['a flashblock after a gap', opened(), (writer) => flashblock(writer.flashblock().flashblock()), /flashblock 2/],
    ['a flashblock of another block', opened(), () => flashblock(sealed().flashblock().flashblock()), /flashblock 2/],
    ['an opening on another parent', sealed(), () => flashblock(new RecordWriter().block(2)), /opens block 2 on/],
    ['a seal without a block', new RecordWriter(), () => seal(opened()), /seals a block that is not open/],
    ['a seal twice', sealed(), (writer) => writer.last, /seals a block that is not open/],
    ['a seal of another block', opened(), () => seal(opened().flashblock()), /the open block is/],
    ['an unwind to an unknown block', sealed(), () => ({ kind: 'unwind', number: 0, hash }), /is not here/],
    ['an unwind to a higher block', sealed(), () => ({ kind: 'unwind', number: 2, hash }), /is not here/],
    ['an alteration of an older block', sealed().flashblock(), () => alter(GENESIS.hash), /is not the newest/],
    ['an alteration below transactions', opened(), () => alter(GENESIS.hash), /has transactions/],
  ])('rejects %s', (_, writer, record, error) => {
    const { state } = replay([[...writer.records]])
    const before = visible(state)

    expect(() => applyRecord(state, { sequence: 9, record: record(writer) })).toThrow(error)
    expect(visible(state)).toEqual(before)
  })

  test.each<[member: keyof Header, change: Partial<Header>]>([
    ['stateRoot', { stateRoot: GENESIS.hash }],
    ['transactionsRoot', { transactionsRoot: GENESIS.hash }],
    ['receiptsRoot', { receiptsRoot: GENESIS.hash }],
    ['logsBloom', { logsBloom: new Uint8Array(256).fill(1) }],
    ['gasUsed', { gasUsed: 1 }],
  ])('rejects a flashblock whose header has another %s', (_, change) => {
    const writer = opened()
    const { state } = reduce(writer)
    const record = flashblock(writer)

    const changed = { ...record, header: createHeader({ ...record.header, ...change }) }

    expect(() => applyRecord(state, { sequence: 3, record: changed })).toThrow(RecoveryError)
    expect(applyRecord(state, { sequence: 3, record }).state.content.sequence).toBe(3)
  })
})

describe('any history', () => {
  /** An unwind with alterations is a kind of its own here. */
  type Kind = ChainRecord['kind'] | 'revert'
  type Step = { readonly kind: Kind; readonly size: number }
  type Write = (writer: RecordWriter, size: number) => void
  const KINDS: Readonly<Record<Kind, { readonly weight: number; readonly write: Write }>> = {
    flashblock: { weight: 3, write: (writer, size) => writer.flashblock(size) },
    seal: { weight: 3, write: (writer) => writer.seal().flashblock() },
    alter: { weight: 2, write: alterAndOpen },
    unwind: { weight: 1, write: (writer, size) => writer.unwind(Math.max(0, writer.latest - size)).flashblock() },
    revert: {
      weight: 1,
      write: (writer, size) => writer.unwind(Math.max(0, writer.latest - size), diffOf(999n)).flashblock(),
    },
    pool: { weight: 1, write: (writer) => writer.append({ kind: 'pool', transactions: [writer.transaction()] }) },
    drop: {
      weight: 1,
      write(writer) {
        const { hash } = writer.transaction()
        writer.append({ kind: 'drop', transactions: [{ hash, reason: { code: 'EXPIRED' } }] })
      },
    },
    epoch: {
      weight: 1,
      write: (writer, size) => writer.append({ kind: 'epoch', leader: 'a', token: new Uint8Array(size) }),
    },
  }
  const kinds = Object.entries(KINDS).map(([kind, { weight }]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))
  const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ kind: fc.oneof(...kinds), size: fc.nat({ max: 4 }) }), {
    maxLength: 40,
  })

  /** The applicable steps, in order; a history ends with an open block. */
  function written(plan: readonly Step[]): RecordWriter {
    const writer = new RecordWriter().flashblock()
    for (const { kind, size } of plan) KINDS[kind].write(writer, size)
    return writer
  }

  function alterAndOpen(writer: RecordWriter, size: number): void {
    const before = writer.records.length
    writer.alter(BigInt(size) * 7n)
    if (writer.records.length > before) writer.flashblock()
  }

  test('replays to the same state in any batches as at once', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.nat({ max: 60 })), (plan, cuts) => {
        const { records } = written(plan)
        const ends = [...new Set(cuts.filter((cut) => cut < records.length))].sort((a, b) => a - b)
        const parts = [0, ...ends].map((from, index) => records.slice(from, ends[index]))

        const [whole, split] = [replay([records]), replay(parts)]

        expect(visible(split.state)).toEqual(visible(whole.state))
        expect(flashblocksOf(split)).toEqual(flashblocksOf(whole))
      }),
      { numRuns: 100 },
    )
  })

  test('continues from the initial state of a replay as from its final state', () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 60 }), (plan, cut) => {
        const { records } = written(plan)
        // A snapshot and a restart have no sealed open block.
        const end = records.findIndex(
          ({ record }, index) => index >= cut % records.length && record.kind === 'flashblock',
        )
        const { state } = replay([records.slice(0, end + 1)])
        const rest = records.slice(end + 1)

        expect(visible(replay([rest], chainState(state.content)).state)).toEqual(visible(replay([rest], state).state))
      }),
      { numRuns: 100 },
    )
  })

  test('recovers the chain that a replay gives, without the unwound blocks', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { records } = written(plan)
        const { number } = GENESIS.header

        const { recent, open, partials, sequence } = recover(
          { number, hash: GENESIS.hash, trie: GENESIS_CONTENT.baseTrie },
          records,
        )

        const { state } = replay([records])
        expect(chainOf({ content: { ...state.content, recent, pending: open, partials } })).toEqual(chainOf(state))
        expect(sequence).toBe(records.length)
      }),
      { numRuns: 100 },
    )
  })
})
