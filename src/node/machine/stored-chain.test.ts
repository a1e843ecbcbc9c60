import { describe, expect, test } from 'vitest'
import { GENESIS_CONTENT, RecordWriter, storeAt } from '../../../test/support/record-writer.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { applyRecord } from './apply-record.ts'
import { chainState } from './chain-state.ts'
import { type FollowedContent, onNewestBase } from './followed-content.ts'
import type { Head } from './head.ts'
import { removedBlockSteps, removedBlocks } from './unwinding.ts'

function contentOf(writer: RecordWriter): FollowedContent {
  let state = chainState(GENESIS_CONTENT)
  for (const numbered of writer.records) ({ state } = applyRecord(state, numbered))
  return state.content
}

describe('a follower whose store has newer blocks', () => {
  const content = contentOf(new RecordWriter().block(1).block(1).block(1).flashblock())

  /** A store with a newest block, whose hash may be another one. */
  function move(newest: number, hash = content.recent[newest - 1]?.block.hash) {
    let released = 0
    const base = { ...storeAt({ number: newest } as never, hash as never), trieNodes: {}, release: () => released++ }
    let taken = 0
    const snapshot = () => {
      taken++
      return base as unknown as Snapshot
    }
    const chain = { newest: () => ({ number: newest }), snapshot }
    const moved = onNewestBase(content, chain as unknown as Pick<ChainStore, 'snapshot' | 'newest'>)
    return { moved, base, taken, released }
  }

  test('continues above the newest of them', () => {
    const { moved, base, released } = move(2)

    expect(moved.base).toBe(base)
    expect(moved.baseTrie.root).toBe(content.recent[1]!.trie.root)
    expect(moved.recent.map(({ block }) => block.header.number)).toEqual([3])
    expect(released).toBe(0)
  })

  test('may have all its sealed blocks there', () => {
    expect(move(3).moved.recent).toEqual([])
  })

  test.each([
    ['no newer block', 0],
    ['a block above its own', 4],
  ])('keeps its base if the store has %s', (_, newest) => {
    expect(move(newest)).toMatchObject({ moved: content, taken: 0 })
  })

  test('keeps its base, and releases the snapshot, if the store is on another chain', () => {
    const { moved, released } = move(2, bigintToHash(7n))

    expect(moved).toBe(content)
    expect(released).toBe(1)
  })

  test('keeps its base without sealed blocks of its own', () => {
    const opened = contentOf(new RecordWriter().flashblock())
    const chain = { newest: () => ({ number: 1 }), snapshot: () => expect.unreachable() }

    expect(onNewestBase(opened, chain as unknown as Pick<ChainStore, 'snapshot' | 'newest'>)).toBe(opened)
  })
})

describe('unwound blocks', () => {
  const { recent, pending } = contentOf(new RecordWriter().block(1).block(1).flashblock())

  type Stored = 'empty' | 'system transactions' | 'user transactions' | 'logs'

  /** A head on a store of blocks with this content, genesis first, and two blocks above it. */
  function headOn(stored: readonly Stored[]): Head {
    const kindAt = (height: number) => stored[height]!
    const base = {
      number: stored.length - 1,
      header: (height: number) => ({
        transactionsRoot: kindAt(height) === 'empty' ? EMPTY_TRIE_ROOT : bigintToHash(1n),
        logsBloom: new Uint8Array(256).fill(kindAt(height) === 'logs' ? 1 : 0, 0, 1),
      }),
      hasUserTransactions: (height: number) => kindAt(height) === 'user transactions',
      block: (height: number) => ({ header: { number: height } }),
      receipts: () => [],
    }
    return { base, recent, pending } as unknown as Head
  }

  const heightsOf = (head: Head, number: number) =>
    removedBlocks(head, number).map(({ block, wasSealed }) => (wasSealed ? block.header.number : 'open'))

  test('come newest first, with the open one', () => {
    const head = headOn(['empty', 'user transactions', 'logs', 'user transactions'])

    // The blocks above the store have the heights 1 and 2 here.
    expect(heightsOf(head, 1)).toEqual(['open', 2, 3, 2])
    expect(heightsOf(head, 0)).toEqual(['open', 2, 1, 3, 2, 1])
    expect(heightsOf(head, 3)).toEqual(['open'])
    expect(removedBlocks(head, 1)[1]!.receipts).toBe(recent[1]!.receipts)
  })

  test('leave stored blocks out that have neither user transactions nor logs, except the lowest', () => {
    const head = headOn(['empty', 'empty', 'user transactions', 'system transactions', 'empty', 'logs'])

    expect(heightsOf(head, 0).slice(3)).toEqual([5, 2, 1])
    expect(heightsOf(head, 2).slice(1)).toEqual([5, 3])
  })

  test('of a long chain are all there at once without steps', () => {
    expect(heightsOf(headOn(new Array(200).fill('user transactions')), 0)).toHaveLength(202)
  })

  test('are collected in steps of 64 stored blocks', () => {
    const steps = removedBlockSteps(headOn(new Array(200).fill('empty')), 0)
    let yields = 0
    while (steps.next().done !== true) yields++

    expect(yields).toBe(3)
  })
})
