import { type Block, createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { createHeader, type Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { emptyDiff } from '../../state/diff.ts'
import { createLayer } from '../../state/layer.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { BlockAttributes } from './block-attributes.ts'
import { type BuiltFlashblock, unrootedHeader } from './build-block.ts'

// A development node that mines many empty blocks at once makes no opening calls in them: each would cost as much as a
// small transaction. Such a block has no transactions, and the state root of its parent.

const NONE: readonly never[] = Object.freeze([])

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
  const { hasBlobFee, hasRequests } = rulesOf(forkAt(config, attributes.number, attributes.timestamp))
  const { excessBlobGas, parentBeaconBlockRoot } = attributes
  const unrooted = unrootedHeader(attributes)
  // Members by name: a hundred thousand of them are made at once, and spreading takes longer than hashing the header.
  const header = createHeader({
    parentHash: unrooted.parentHash,
    sha3Uncles: unrooted.sha3Uncles,
    miner: unrooted.miner,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: unrooted.logsBloom,
    difficulty: unrooted.difficulty,
    number: unrooted.number,
    gasLimit: unrooted.gasLimit,
    gasUsed: 0,
    timestamp: unrooted.timestamp,
    extraData: unrooted.extraData,
    mixHash: unrooted.mixHash,
    nonce: unrooted.nonce,
    baseFeePerGas: unrooted.baseFeePerGas,
    withdrawalsRoot,
    blobGasUsed: hasBlobFee ? 0 : undefined,
    excessBlobGas: hasBlobFee ? excessBlobGas : undefined,
    parentBeaconBlockRoot: hasBlobFee ? parentBeaconBlockRoot : undefined,
    requestsHash: hasRequests ? EMPTY_REQUESTS_HASH : undefined,
  })
  const hash = hashHeader(header)
  const size = blockSize({ header, transactions: NONE, uncles: NONE, withdrawals: NONE })
  const block = createBlock({ hash, size, header, transactions: NONE, uncles: NONE, withdrawals: NONE })
  const layer = createLayer({
    header,
    hash,
    index: 0,
    firstTransaction: 0,
    transactions: NONE,
    receipts: NONE,
    diff: emptyDiff(),
    withdrawals: NONE,
    isLast: true,
  })
  return { layer, block, receipts: layer.receipts, trie }
}
