import { expect, test, vi } from 'vitest'
import { GENESIS, GENESIS_CONTENT, RecordWriter, storeAt } from '../../../test/support/record-writer.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { applyRecord } from './apply-record.ts'
import { type ChainState, chainState, rebased } from './chain-state.ts'

test('the open block reads from the new base, because the old one is released before a head shows the block', () => {
  const { records } = new RecordWriter().flashblock()
  const applied = records.reduce<ChainState>(
    (state, record) => applyRecord(state, record).state,
    chainState(GENESIS_CONTENT),
  )
  const onNewBase = {} as StateTrie
  const withSource = vi.fn(() => onNewBase)
  const open = { ...applied.content.pending!, trie: { withSource } as unknown as StateTrie }
  const state = { ...applied, content: { ...applied.content, pending: open } }
  const base = storeAt(GENESIS.header, GENESIS.hash)

  const { pending } = rebased(state, base, GENESIS_CONTENT.baseTrie).content

  expect(pending!.trie).toBe(onNewBase)
  expect(withSource).toHaveBeenCalledWith(base.trieNodes, GENESIS_CONTENT.baseTrie)
})
