import { describe, expect, test } from 'vitest'
import { diffOf, GENESIS, GENESIS_CONTENT, RecordWriter } from '../../../test/support/record-writer.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { mergeDiffs } from '../../state/diff.ts'
import type { FlashblockRecord } from '../../state/records/record.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { applyRecord, type Effect, inOneHead } from './apply-record.ts'
import { type ChainState, chainState, isComplete, sealedPart } from './chain-state.ts'
import { checkHints } from './check-hints.ts'

function replay(records: readonly NumberedRecord[]): {
  readonly state: ChainState
  readonly effects: readonly Effect[]
} {
  let state = chainState(GENESIS_CONTENT)
  const effects: Effect[] = []
  for (const numbered of records) {
    const applied = applyRecord(state, numbered)
    state = applied.state
    effects.push(...applied.effects)
  }
  return { state, effects }
}

const stateOf = (writer: RecordWriter) => replay(writer.records).state
const heightsOf = (effect: Effect | undefined) =>
  effect?.kind === 'show' && {
    flashblocks: effect.flashblocks.map(({ block, layer }) => [block.header.number, layer.index]),
    sealed: effect.sealed.map(({ block }) => block.header.number),
  }

describe('inOneHead', () => {
  test('shows the last head with all flashblocks and seals, then does the rest in order', () => {
    const writer = new RecordWriter().block(1).block(1).flashblock()
    writer.append({ kind: 'pool', transactions: [writer.transaction()] })
    const { effects } = replay(writer.records)

    const [show, ...others] = inOneHead(effects)

    expect(show).toMatchObject({ kind: 'show', sequence: 7 })
    expect(heightsOf(show)).toEqual({
      flashblocks: [
        [1, 0],
        [1, 1],
        [2, 0],
        [2, 1],
        [3, 0],
      ],
      sealed: [1, 2],
    })
    expect(others).toEqual(effects.filter(({ kind }) => kind !== 'show'))
    expect(others.map(({ kind }) => kind)).toEqual(['write', 'write', 'pool'])
  })

  test('leaves effects with one head or none as they are', () => {
    const { effects } = replay(new RecordWriter().flashblock().records)

    expect(inOneHead(effects)).toBe(effects)
    const [pool] = replay(new RecordWriter().append({ kind: 'pool', transactions: [] }).records).effects
    expect(inOneHead([pool!])).toEqual([pool])
  })
})

test('an unwind is an effect: the store is unwound where the record is applied', () => {
  const writer = new RecordWriter().block(1).unwind(0)

  expect(replay(writer.records).effects.at(-1)).toEqual({ kind: 'unwind', sequence: 4, record: writer.last })
})

describe('alterations of a sealed block before the next opening', () => {
  // The blocks of the writer change another account.
  const [one, other] = DEVELOPMENT_ACCOUNTS.slice(3, 5).map(({ address }) => address)

  test('become the prelude of the next block, one after the other', () => {
    const writer = new RecordWriter().block(1).alter(5n, one).alter(7n, other)
    const { content, isSealed } = stateOf(writer)

    expect(isSealed).toBe(true)
    expect(mergeDiffs(content.altered!.diffs).accounts.size).toBe(2)
    // The header of the next block has the state root after both.
    const { pending } = stateOf(writer.flashblock()).content
    expect(mergeDiffs(pending!.prelude!.diffs).accounts.size).toBe(2)
    expect(pending!.block.header.number).toBe(2)
  })

  test('after an unwind leave the partial hashes of the remaining blocks', () => {
    const writer = new RecordWriter().block(1).block(2).unwind(1)
    const before = stateOf(writer).content.partials

    expect(stateOf(writer.alter(5n)).content.partials).toEqual(before)
    expect(before).toHaveLength(1)
  })

  test('belong to the sealed part of the chain', () => {
    const writer = new RecordWriter().block(1).alter(5n)
    const { blocks, altered } = sealedPart(stateOf(writer))

    expect(blocks.map(({ block }) => block.header.number)).toEqual([1])
    expect(altered?.diffs).toHaveLength(1)
    const opened = sealedPart(stateOf(writer.flashblock()))
    expect(opened.blocks.map(({ block }) => block.header.number)).toEqual([1])
    expect(opened.altered?.diffs).toHaveLength(1)
  })
})

test('an alteration names the block that has transactions already', () => {
  const writer = new RecordWriter().flashblock().flashblock(1)
  const diff = { accounts: new Map(), storage: new Map(), code: new Map() }
  const record = { kind: 'alter', number: 0, hash: GENESIS.hash, diff } as const

  expect(() => applyRecord(stateOf(writer), { sequence: 3, record })).toThrow('below block 1, which has transactions')
})

describe('isComplete', () => {
  test.each<[string, RecordWriter, boolean]>([
    ['without an open block', new RecordWriter(), false],
    ['before its last flashblock', new RecordWriter().flashblock().flashblock(), false],
    ['with its last flashblock', new RecordWriter().flashblock().flashblock(1, true), true],
    ['after an opening that is its last flashblock', new RecordWriter().block(2).flashblock(0, true), true],
    ['once it is sealed', new RecordWriter().flashblock().seal(), true],
  ])('%s', (_, writer, expected) => {
    expect(isComplete(stateOf(writer))).toBe(expected)
  })
})

describe('hints', () => {
  /** A record, the state before it, and the flashblock as a leader built it. */
  function led(writer: RecordWriter) {
    const before = replay(writer.records.slice(0, -1)).state
    const numbered = writer.records.at(-1)!
    const { effects } = applyRecord(before, numbered)
    const [show] = effects
    if (show?.kind !== 'show') throw new Error('nothing is shown')
    return { before, numbered, built: show.flashblocks.at(-1)! }
  }

  test('a built flashblock is used as it is', () => {
    const { before, numbered, built } = led(new RecordWriter().flashblock().flashblock())

    const { state } = applyRecord(before, numbered, { built })

    expect(state.content.pending!.block).toBe(built.block)
    expect(state.content.pending!.layers.at(-1)).toBe(built.layer)
    expect(state.content.pending!.trie).toBe(built.trie)
  })

  test.each<[string, RecordWriter]>([
    ['an opening', new RecordWriter().block(1).flashblock()],
    ['an opening after an alteration', new RecordWriter().block(1).alter(5n).flashblock()],
    ['another flashblock', new RecordWriter().flashblock().flashblock(2)],
  ])('that say what the record says of %s pass the check', (_, writer) => {
    const { before, numbered, built } = led(writer)
    const hints = { built }

    expect(() => checkHints(before, numbered, hints, applyRecord(before, numbered, hints))).not.toThrow()
  })

  test('that say the same of a seal, an alteration, an unwind and the pool pass the check', () => {
    const writer = new RecordWriter().block(1).alter(5n).unwind(0)
    writer.append({ kind: 'pool', transactions: [writer.transaction()] })
    let state = chainState(GENESIS_CONTENT)
    for (const numbered of writer.records) {
      const applied = applyRecord(state, numbered)
      expect(() => checkHints(state, numbered, {}, applied)).not.toThrow()
      state = applied.state
    }
  })

  type Applied = ReturnType<typeof applyRecord>
  const withContent = ({ state, effects }: Applied, content: Partial<ChainState['content']>): Applied => ({
    state: { ...state, content: { ...state.content, ...content } },
    effects,
  })
  const lastShow = ({ effects }: Applied) => effects.find((effect) => effect.kind === 'show')!

  test.each<[part: string, (applied: Applied) => Applied]>([
    ['sequence', (applied) => withContent(applied, { sequence: 99 })],
    ['recent', (applied) => withContent(applied, { recent: [] })],
    ['pending', (applied) => withContent(applied, { pending: undefined })],
    ['partials', (applied) => withContent(applied, { partials: applied.state.content.partials.slice(1) })],
    ['partials', (applied) => withContent(applied, { partials: applied.state.content.partials.map(() => new Map()) })],
    ['isSealed', (applied) => ({ ...applied, state: { ...applied.state, isSealed: true } })],
    [
      'withheld',
      (applied) => ({
        ...applied,
        state: { ...applied.state, withheld: { flashblocks: lastShow(applied).flashblocks, sealed: [] } },
      }),
    ],
    ['effects', (applied) => ({ ...applied, effects: [] })],
    [
      'effects',
      (applied) => ({ ...applied, effects: [{ ...lastShow(applied), flashblocks: [] }, ...applied.effects.slice(1)] }),
    ],
    [
      'effects',
      (applied) => {
        const show = lastShow(applied)
        const flashblocks = show.flashblocks.map((built) => ({ ...built, layer: { ...built.layer, index: 9 } }))
        return { ...applied, effects: [{ ...show, flashblocks }, ...applied.effects.slice(1)] }
      },
    ],
    [
      'pending',
      (applied) => {
        const pending = applied.state.content.pending!
        const layers = pending.layers.map((layer) => ({ ...layer, firstTransaction: 5 }))
        return withContent(applied, { pending: { ...pending, layers } })
      },
    ],
    [
      'pending',
      (applied) => {
        const pending = applied.state.content.pending!
        const layers = pending.layers.map((layer) => ({ ...layer, diff: { ...layer.diff, accounts: new Map() } }))
        return withContent(applied, { pending: { ...pending, layers } })
      },
    ],
    [
      'recent',
      (applied) => {
        const [block] = applied.state.content.recent
        return withContent(applied, { recent: [{ ...block!, receipts: [] }] })
      },
    ],
  ])('with another %s than a follower finds fail the check', (part, change) => {
    const { before, numbered } = led(new RecordWriter().block(1).flashblock())
    const applied = change(applyRecord(before, numbered))

    expect(() => checkHints(before, numbered, {}, applied)).toThrow(new RegExp(`another chain: ${part} differ`))
  })

  test('with the root of an alteration, but another one, fail the check', () => {
    const writer = new RecordWriter().block(1)
    const { state: before } = replay(writer.records)
    const numbered = writer.alter(5n).records.at(-1)!
    const applied = applyRecord(before, numbered)
    const { altered } = applied.state.content

    const changed = withContent(applied, { altered: { ...altered!, diffs: [diffOf(6n)] } })

    expect(() => checkHints(before, numbered, {}, changed)).toThrow(/another chain: altered differ/)
  })

  test('with another alteration than a follower finds fail the check', () => {
    const writer = new RecordWriter().block(1)
    const { state: before } = replay(writer.records)
    const numbered = writer.alter(5n).records.at(-1)!
    const other = replay(new RecordWriter().block(1).alter(6n).records)

    const applied = { state: { ...other.state }, effects: [] }

    expect(() => checkHints(before, numbered, {}, applied)).toThrow(/another chain: altered differ/)
  })
})

test('a wrong state root is reported with the one that the records give', () => {
  const writer = new RecordWriter().flashblock()
  const record = writer.last as FlashblockRecord
  const header = { ...record.header, stateRoot: GENESIS.hash }

  expect(() => applyRecord(chainState(GENESIS_CONTENT), { sequence: 1, record: { ...record, header } })).toThrow(
    `gives the state root ${record.header.stateRoot}, its header has ${GENESIS.hash}`,
  )
})
