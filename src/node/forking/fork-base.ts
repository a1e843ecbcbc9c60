import { createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import {
  BEACON_ROOTS_ADDRESS,
  EMPTY_TRIE_ROOT,
  HISTORY_STORAGE_ADDRESS,
  L1_BLOCK_ADDRESS,
  MESSAGE_PASSER_ADDRESS,
} from '../../chain/constants.ts'
import { hasL1Attributes } from '../../chain/forks/chain-profile.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { IMPLEMENTATION_SLOT } from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import { DEPOSITOR_ADDRESS } from '../../chain/system-transactions/l1-attributes.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import { type Address, bytesToAddress, toHash } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToWord } from '../../primitives/quantity.ts'
import { EMPTY_ACCOUNT } from '../../state/account.ts'
import { emptyDiff } from '../../state/diff.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { AccountChange, StateDiff } from '../../state/state-diff.ts'
import type { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { createStateTrie, openStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'
import type { GenesisBlock } from '../core/genesis-chain.ts'

/** Slots of L1Block in the order of its members, with room for later ones. */
const L1_BLOCK_SLOTS = 12
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

/** Loads what the first transaction of each block reads, so that no block waits for it. */
async function loadL1Block(state: ChainFork['state']): Promise<void> {
  const storageKeys = Array.from({ length: L1_BLOCK_SLOTS }, (_, index) => bigintToHash(BigInt(index)))
  await state.prefetch([
    { address: L1_BLOCK_ADDRESS, storageKeys: [...storageKeys, toHash(IMPLEMENTATION_SLOT)] },
    { address: DEPOSITOR_ADDRESS, storageKeys: [] },
  ])
  const implementation = await whenLoaded(() => state.storage(L1_BLOCK_ADDRESS, IMPLEMENTATION_SLOT))
  for (const contract of [L1_BLOCK_ADDRESS, bytesToAddress(bigintToWord(implementation).subarray(12))]) {
    await whenLoaded(() => state.code(state.account(contract)?.codeHash ?? EMPTY_CODE_HASH))
  }
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
  if (hasL1Attributes(config)) await loadL1Block(state)
  const accounts = new Map<Address, AccountChange>()
  for (const [address, { balance }] of alloc) {
    const before = (await whenLoaded(() => state.account(address))) ?? EMPTY_ACCOUNT
    accounts.set(address, { account: { ...before, balance }, storageCleared: false })
  }
  return { accounts, storage: new Map(), code: new Map() }
}
