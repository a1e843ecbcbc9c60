import { type Block, createBlock } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { hasUserTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import type { BoundedCache } from '../../primitives/bounded-cache.ts'
import { type Address, type Hash, hexToBytes } from '../../primitives/hex.ts'
import type { KeyValueSnapshot } from '../../storage/key-value.ts'
import type { ChainBelow } from '../chain-below.ts'
import { BlockPrunedError, StatePrunedError } from '../chain-errors.ts'
import type { HolderPart, Snapshot, StoredTransaction, TokenHolder, TransactionLocation } from '../snapshot.ts'
import type { StateDiff } from '../state-diff.ts'
import type { StateReader } from '../state-reader.ts'
import type { TrieNodeSource } from '../trie-node-source.ts'
import {
  hashInHeader,
  headerInHeader,
  readBlockBody,
  readReceipts,
  receiptAt,
  transactionInBody,
} from './encoding/block-values.ts'
import { heightIn } from './encoding/keys.ts'
import { logsFrom, logsOf } from './encoding/log-values.ts'
import type { TableName } from './encoding/tables.ts'
import { BlockMetadataReader, type MetadataChunks } from './logs/block-metadata.ts'
import type { DecodedLogCache } from './logs/log-reader.ts'
import { searchLogIndex } from './logs/log-search.ts'
import { holderPages, holdersFrom, recipientsIn } from './logs/token-holders.ts'
import { type CachingReader, cachingReader } from './readers/caching-reader.ts'
import { readPrelude } from './readers/preludes.ts'
import { forkedReverseDiff, readReverseDiff } from './readers/reverse-diff.ts'
import { forkedState, historicalState, type StateReaderDeps, tipState } from './readers/state-readers.ts'
import { oldestBlock } from './transfer/chain-transfer.ts'
import { stateParts } from './transfer/state-parts.ts'
import { blockContent, blockItem, headerContent, readLocation } from './writes/block-writes.ts'
import { oldestState } from './writes/pruning.ts'
import { trieNodesIn } from './writes/trie-node-writes.ts'
import { finalizedBefore } from './writes/unwinding.ts'

/** Cached accounts, and slots, of the tip. A snapshot lives for about a block time. */
const CACHED_ITEMS = 4_096
const CACHED_HEADERS = 8

/** Caches keyed by block hash, so that a reorg cannot confuse blocks. */
export interface DecodedBlocks {
  readonly blocks: BoundedCache<Hash, Block>
  readonly receipts: BoundedCache<Hash, readonly Receipt[]>
  readonly logs: DecodedLogCache
  readonly metadata: MetadataChunks
}

export interface ChainSnapshotDeps {
  /** Retained by this snapshot and released with its last owner. */
  readonly reader: KeyValueSnapshot<TableName>
  readonly decoded: DecodedBlocks
  /** The chain on which this one begins, if it is a fork. */
  readonly below?: ChainBelow | undefined
}

/** The sealed chain as of one committed block. */
export class ChainSnapshot implements Snapshot {
  readonly number: number
  readonly trieNodes: TrieNodeSource
  readonly below: ChainBelow | undefined
  readonly #reader: KeyValueSnapshot<TableName>
  readonly #decoded: DecodedBlocks
  readonly oldestState: number
  readonly oldestBlock: number
  readonly finalizedBefore: number
  /** Headers of the newest blocks, which most requests read. */
  readonly #headers = new Map<number, { readonly header: Header; readonly hash: Hash }>()
  readonly #metadata: BlockMetadataReader
  #tip: CachingReader | undefined
  #owners = 1

  constructor({ number }: { readonly number: number }, { reader, decoded, below }: ChainSnapshotDeps) {
    this.number = number
    this.#reader = reader
    this.#decoded = decoded
    this.below = below
    this.oldestState = oldestState(reader)
    this.oldestBlock = oldestBlock(reader)
    this.finalizedBefore = finalizedBefore(reader)
    this.trieNodes = trieNodesIn(reader, below?.trieNodes)
    this.#metadata = new BlockMetadataReader({ newest: number }, { reader, chunks: decoded.metadata })
  }

  retain(): void {
    this.#reader.retain()
    this.#owners += 1
  }

  release(): void {
    this.#reader.release()
    this.#owners -= 1
    if (this.#owners > 0) return
    // Later reads throw that the snapshot is released.
    this.#headers.clear()
    this.#metadata.clear()
    this.#tip?.clear()
  }

  header(number: number): Header | undefined {
    const known = this.#headers.get(number)
    if (known !== undefined) return known.header
    const content = this.#headerContent(number)
    if (content === undefined) return undefined
    const header = headerInHeader(content)
    if (number > this.number - CACHED_HEADERS) this.#headers.set(number, { header, hash: hashInHeader(content) })
    return header
  }

  block(number: number): Block | undefined {
    const content = this.#headerContent(number)
    if (content === undefined) return undefined
    const hash = hashInHeader(content)
    const known = this.#decoded.blocks.get(hash)
    if (known !== undefined) return known
    const body = readBlockBody(blockItem(this.#reader, 'bodies', number))
    const block = createBlock({ header: headerInHeader(content), hash, ...body })
    this.#decoded.blocks.offer(hash, block, content.length + body.size)
    return block
  }

  receipts(number: number): readonly Receipt[] | undefined {
    const content = this.#headerContent(number)
    if (content === undefined) return undefined
    const hash = hashInHeader(content)
    const known = this.#decoded.receipts.get(hash)
    if (known !== undefined) return known
    const logs = logsOf(this.#reader, number).map(({ log }) => log)
    const receipts = Object.freeze(readReceipts(blockItem(this.#reader, 'receipts', number), logs))
    this.#decoded.receipts.offer(hash, receipts, sizeOfReceipts(receipts))
    return receipts
  }

  hasUserTransactions(number: number): boolean {
    const content = blockContent(this.#reader, 'bodies', number)
    for (let index = 0; ; index++) {
      const transaction = transactionInBody(content, index)
      if (transaction === undefined) return false
      if (hasUserTransactions({ transactions: [transaction] })) return true
    }
  }

  blockNumber(hash: Hash): number | undefined {
    const value = this.#reader.peek('blockNumbers', hexToBytes(hash))
    return value && heightIn(value)
  }

  blockHash(number: number): Hash | undefined {
    const known = this.#headers.get(number)
    if (known !== undefined) return known.hash
    return this.#hasBlock(number) ? this.#metadata.of(number).blockHash : undefined
  }

  transactionLocation(hash: Hash): TransactionLocation | undefined {
    const value = this.#reader.peek('transactionPlaces', hexToBytes(hash))
    return value && readLocation(value)
  }

  transactionAt({ blockNumber, index }: TransactionLocation): StoredTransaction | undefined {
    const header = this.header(blockNumber)
    if (header === undefined) return undefined
    const reader = this.#reader
    const { blockHash: hash } = this.#metadata.of(blockNumber)
    const transaction =
      this.#decoded.blocks.get(hash)?.transactions[index] ??
      transactionInBody(blockContent(reader, 'bodies', blockNumber), index)
    const receipt =
      this.#decoded.receipts.get(hash)?.[index] ??
      receiptAt(blockContent(reader, 'receipts', blockNumber), index, (first, count) =>
        logsFrom(reader, blockNumber, first, count).map(({ log }) => log),
      )
    return transaction && receipt && { transaction, receipt, index, block: { header, hash } }
  }

  stateAt(number: number): StateReader | undefined {
    // Every block above the snapshot reads it.
    if (number === this.number && this.#tip !== undefined) return this.#tip
    if (!this.#hasBlock(number)) return undefined
    const deps: StateReaderDeps = {
      reader: this.#reader,
      number,
      blockHash: (wanted) => this.blockHash(wanted),
    }
    const { below } = this
    if (number === this.number) {
      const tip = below === undefined ? tipState(deps) : forkedState(deps, below)
      this.#tip ??= cachingReader(tip, CACHED_ITEMS)
      return this.#tip
    }
    this.#assertKept(number)
    return below === undefined ? historicalState(deps) : forkedState(deps, below)
  }

  logs(query: LogQuery, from: number, to: number, checkpoint: () => void = () => {}): Iterable<LogMatch> {
    const range = { from: Math.max(0, from), to: Math.min(to, this.number) }
    if (range.from > range.to) return []
    if (range.from < this.oldestBlock) throw new BlockPrunedError(range.from, this.oldestBlock)
    const { logs: decoded } = this.#decoded
    return searchLogIndex(query, range, { reader: this.#reader, blocks: this.#metadata, decoded, checkpoint })
  }

  get holdersFrom(): number {
    return holdersFrom(this.#reader, this.blockHash(this.number)!) ?? this.number + 1
  }

  holders(token: Address, range: { readonly from: Address; readonly limit: number }): readonly TokenHolder[] {
    return recipientsIn(this.#reader, token, range)
  }

  *holderParts(pageSize: number): Iterable<HolderPart> {
    const from = this.holdersFrom
    for (const holders of holderPages(this.#reader, pageSize)) yield { from, holders }
    yield { from, holders: [] }
  }

  stateParts(partBytes: number): Iterable<StateDiff> {
    return stateParts(this.#reader, partBytes)
  }

  reverseDiff(number: number): StateDiff | undefined {
    if (!this.#hasBlock(number) || number === 0) return undefined
    this.#assertKept(number - 1)
    // Without proofs the trie holds what own blocks wrote, and nothing of the chain below.
    const { below } = this
    if (below?.trieNodes === undefined) return readReverseDiff(this.#reader, number)
    const blockHash = (wanted: number) => this.blockHash(wanted)
    return forkedReverseDiff(this.#reader, number, (before) =>
      forkedState({ reader: this.#reader, number: before, blockHash }, below),
    )
  }

  prelude(number: number): StateDiff | undefined {
    return this.#hasBlock(number) ? readPrelude(this.#reader, number) : undefined
  }

  #headerContent(number: number) {
    return this.#hasBlock(number) ? headerContent(this.#reader, number) : undefined
  }

  #hasBlock(number: number): boolean {
    if (!Number.isSafeInteger(number) || number < 0 || number > this.number) return false
    // Every store has genesis.
    if (number > 0 && number < this.oldestBlock) throw new BlockPrunedError(number, this.oldestBlock)
    return true
  }

  #assertKept(number: number): void {
    if (number < this.oldestState) throw new StatePrunedError(number, this.oldestState)
  }
}

/** Estimated memory. */
function sizeOfReceipts(receipts: readonly Receipt[]): number {
  let bytes = 0
  for (const { logs } of receipts) {
    bytes += 700
    for (const log of logs) bytes += 400 + log.data.length
  }
  return bytes
}
