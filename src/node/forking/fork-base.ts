import { createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import {
  BEACON_ROOTS_ADDRESS,
  EMPTY_TRIE_ROOT,
  HISTORY_STORAGE_ADDRESS,
  MESSAGE_PASSER_ADDRESS,
} from '../../chain/constants.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import type { Address } from '../../primitives/hex.ts'
import { EMPTY_ACCOUNT } from '../../state/account.ts'
import { emptyDiff } from '../../state/diff.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { createStateTrie, openStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'
import type { GenesisBlock } from '../core/genesis-chain.ts'

const SYSTEM_CONTRACTS = [MESSAGE_PASSER_ADDRESS, BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS] as const

/** The fork block in place of block 0. It is stored as a header: its transactions are read from the other node. */
export function forkBase({ point, reading }: ChainFork): GenesisBlock {
  const content = { header: reading.header, transactions: [], uncles: [], withdrawals: [] }
  const block = createBlock({ ...content, hash: point.hash, size: blockSize(content) })
  return { block, diff: emptyDiff(), trie: createStateTrie() }
}

/**
 * The state trie of the newest block of a store. On a fork block of a node without proofs it is empty: the trie then
 * holds what own blocks changed, and nothing else.
 */
export function storedTrie(snapshot: Snapshot, cache?: TrieNodeCache): StateTrie {
  const { below, number, trieNodes } = snapshot
  const isUnproven = below !== undefined && below.trieNodes === undefined && number === below.number
  return openStateTrie(isUnproven ? EMPTY_TRIE_ROOT : snapshot.header(number)!.stateRoot, trieNodes, cache)
}

/**
 * State changes on top of the fork block: the accounts of genesis, which are those with keys, have their balance there,
 * and keep nonce, code and storage.
 *
 * @throws ForkError
 */
export async function forkAlterations(
  { alloc, config, header }: Pick<Genesis, 'alloc' | 'config' | 'header'>,
  { state }: ChainFork,
): Promise<StateDiff> {
  const baseFeeRecipient = config.layer2?.baseFeeRecipient
  // Every block reads those, and roots depend on the proof of the message passer.
  const read = [...SYSTEM_CONTRACTS, header.miner, ...(baseFeeRecipient === undefined ? [] : [baseFeeRecipient])]
  const addresses = [...new Set([...alloc.keys(), ...read])]
  await state.prefetch(addresses.map((address) => ({ address, storageKeys: [] })))
  const accounts = new Map<Address, AccountChange>()
  for (const [address, { balance }] of alloc) {
    const before = (await whenLoaded(() => state.account(address))) ?? EMPTY_ACCOUNT
    accounts.set(address, { account: { ...before, balance }, storageCleared: false })
  }
  return { accounts, storage: new Map(), code: new Map() }
}
