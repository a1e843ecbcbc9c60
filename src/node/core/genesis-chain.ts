import { type Block, createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { createHeader } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { genesisHeader } from '../../chain/genesis/genesis.ts'
import type { ChainStore } from '../../state/chain-store/chain-store.ts'
import { genesisDiff } from '../../state/genesis-state.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { createStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'

export interface GenesisBlock {
  readonly block: Block
  readonly diff: StateDiff
  readonly trie: StateTrie
}

/** Block 0 with its state and real roots. */
export function buildGenesis(genesis: Genesis): GenesisBlock {
  const diff = genesisDiff(genesis.alloc)
  const trie = createStateTrie().apply(diff)
  // From Isthmus on this member holds the storage root of the message passer, otherwise the root of no withdrawals.
  const hasMessagePasserRoot = layer2RulesAt(genesis.config, genesis.header.timestamp)?.hasMessagePasserRoot === true
  const withdrawalsRoot = hasMessagePasserRoot ? trie.storageRoot(MESSAGE_PASSER_ADDRESS) : undefined
  const header = genesisHeader(genesis, trie.root, withdrawalsRoot)
  const content = {
    header,
    transactions: [],
    uncles: [],
    ...(header.withdrawalsRoot !== undefined && { withdrawals: [] }),
  }
  return { block: { ...content, hash: hashHeader(header), size: blockSize(content) }, diff, trie }
}

/** Block 0 with another timestamp, in Unix seconds. Its state is the same. */
export function genesisAt({ block }: GenesisBlock, timestamp: bigint): Block {
  const content = { ...block, header: createHeader({ ...block.header, timestamp }) }
  return createBlock({ ...content, hash: hashHeader(content.header), size: blockSize(content) })
}

/** Stores block 0 in an empty store. */
export async function storeGenesis(chain: ChainStore, { block, diff, trie }: GenesisBlock): Promise<void> {
  await chain.append({ block, receipts: [], diff, trieNodes: trie.writesSince(createStateTrie()) })
}
