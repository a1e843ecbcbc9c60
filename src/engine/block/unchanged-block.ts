import { type Block, createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { createHeader, type Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { bloomOf } from '../../chain/receipt/bloom.ts'
import { emptyDiff } from '../../state/diff.ts'
import { createLayer } from '../../state/layer.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { BlockAttributes } from './block-attributes.ts'
import { type BuiltFlashblock, unrootedHeader } from './build-block.ts'

// A development node that mines many empty blocks at once makes no opening calls in them: each would cost as much as a
// small transaction. Such a block has no transactions, and the state root of its parent.

/** Whether a block leaves the state as it is: it made no opening calls. Layer 2 only. */
export function isUnchangedBlock(
  { header, transactions }: Pick<Block, 'header' | 'transactions'>,
  parent: Pick<Header, 'stateRoot'>,
  { layer2 }: ChainConfig,
): boolean {
  return layer2 !== undefined && transactions.length === 0 && header.stateRoot === parent.stateRoot
}

/** A block without transactions and opening calls, as its only flashblock. @param trie after the parent */
export function unchangedBlock(
  attributes: BlockAttributes,
  { stateRoot, withdrawalsRoot }: Pick<Header, 'stateRoot' | 'withdrawalsRoot'>,
  { config, trie }: { readonly config: ChainConfig; readonly trie: StateTrie },
): BuiltFlashblock {
  const rules = rulesOf(forkAt(config, attributes.number, attributes.timestamp))
  const header = createHeader({
    ...unrootedHeader(attributes),
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: bloomOf([]),
    ...(withdrawalsRoot !== undefined && { withdrawalsRoot }),
    ...(rules.hasBlobFee && {
      blobGasUsed: 0,
      excessBlobGas: attributes.excessBlobGas,
      parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
    }),
    ...(rules.hasRequests && { requestsHash: EMPTY_REQUESTS_HASH }),
  })
  const hash = hashHeader(header)
  const content = { header, transactions: [], uncles: [], withdrawals: [] }
  const block = createBlock({ hash, size: blockSize(content), ...content })
  const layer = createLayer({
    header,
    hash,
    index: 0,
    firstTransaction: 0,
    transactions: [],
    receipts: [],
    diff: emptyDiff(),
  })
  return { layer, block, receipts: layer.receipts, trie }
}
