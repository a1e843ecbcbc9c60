import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { hasL1Attributes } from '../../chain/forks/chain-profile.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { ObjectConventions } from '../compat/node-conventions.ts'
import { formatBlock } from '../format/block.ts'
import { withoutLayer2Members } from '../format/layer2-receipt.ts'
import { formatReceipt, formatSingleReceipt } from '../format/receipt.ts'
import { formatIncludedTransaction, NO_POSITION } from '../format/transaction.ts'
import { EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { BLOCK_HASH_PLACEHOLDER, fillTemplate, type JsonTemplate, jsonTemplate } from './json-template.ts'

export interface MemoizedBlocksOptions {
  readonly config: ChainConfig
  /** Bytes of the cached texts: blocks, receipts by block, and code together. */
  readonly maxBytes: number
  readonly objects: ObjectConventions
}

/** The text of an item and the block that it belongs to. */
interface WrittenItem {
  readonly parentHash: Hash
  readonly timestamp: bigint
  readonly baseFeePerGas: bigint | undefined
  readonly index: number
  readonly text: JsonTemplate
}

/** State of a view. */
type State = NonNullable<ReturnType<View['state']>>

type Write = (view: BlockView, index: number) => JsonRecord

/** A hex character takes a byte in a V8 string. */
const BYTES_PER_CHARACTER = 1

/**
 * Memoized JSON of blocks, receipts and code. Items of the open block are encoded at first use, as templates for the
 * block hash, so that the next flashblock costs only what it adds.
 */
export class MemoizedBlocks {
  readonly #config: ChainConfig
  readonly #traits: ObjectConventions
  readonly #texts: BoundedCache<string, string>
  /** By transaction or receipt. */
  readonly #items = new WeakMap<object, WrittenItem>()

  constructor({ config, maxBytes, objects }: MemoizedBlocksOptions) {
    this.#config = config
    this.#traits = objects
    this.#texts = new BoundedCache({ maxBytes })
  }

  /** The block object; null for an unknown block. */
  block(view: View, reference: BlockReference, fullTransactions: boolean): EncodedJson | null {
    const kind = fullTransactions ? 'full' : 'hashes'
    return this.#memoizeBlock(view, reference, kind, (found) => this.blockText(found, fullTransactions))
  }

  /** The receipts of a block; null for an unknown block. */
  receipts(view: View, reference: BlockReference): EncodedJson | null {
    return this.#memoizeBlock(view, reference, 'receipts', (found) => {
      const receipts = found.receipts.map((receipt, index) => this.#item(receipt, found, index, this.#receipt))
      return encodedArray(receipts).text
    })
  }

  /** The receipt of a transaction; null when no block has it. */
  receiptOf(view: View, transactionHash: Hash): EncodedJson | null {
    const blockHash = view.blockHashOfTransaction(transactionHash)
    if (blockHash === undefined) return null
    return this.#memoize(`receipt ${transactionHash} ${blockHash}`, () => {
      // The fees for data follow from the first transaction of the block.
      const stored = hasL1Attributes(this.#config) ? undefined : view.storedTransaction(transactionHash)
      if (stored !== undefined) {
        return JSON.stringify(this.#ofReproduced(formatSingleReceipt(stored, this.#config), stored.block))
      }
      const found = view.transaction(transactionHash)
      // A block has it, so it is not pooled.
      return found?.kind === 'included' ? this.receipt(found.block, found.index).text : 'null'
    })
  }

  /** One receipt of a block. */
  receipt(view: BlockView, index: number): EncodedJson {
    return new EncodedJson(this.#item(view.receipts[index]!, view, index, this.#receipt))
  }

  /** The transaction object at a position of a block; null for an unknown block or position. */
  transaction(view: BlockView | undefined, index: number): EncodedJson | null {
    const transaction = view?.block.transactions[index]
    if (view === undefined || transaction === undefined) return null
    return new EncodedJson(this.#transaction(view, index))
  }

  /** The code of a hash, in hex. */
  code(state: State, codeHash: Hash): EncodedJson {
    return this.#memoize(`code ${codeHash}`, () => `"${bytesToHex(state.code(codeHash))}"`)
  }

  /** The block object of a block that the caller has. */
  blockText(view: BlockView, fullTransactions: boolean): string {
    const { transactions } = view.block
    const texts = fullTransactions
      ? transactions.map((_, index) => this.#transaction(view, index))
      : transactions.map(({ hash }) => `"${hash}"`)
    const milliseconds = blockMilliseconds(view.block)
    const block = formatBlock({ ...view, block: { ...view.block, transactions: [] } }, false, milliseconds)
    // No block was mined with proof of work.
    const frame = JSON.stringify(this.#traits.hasTotalDifficulty ? { ...block, totalDifficulty: '0x0' } : block)
    return frame.replace('"transactions":[]', () => `"transactions":[${texts.join(',')}]`)
  }

  #transaction(view: BlockView, index: number): string {
    const transaction = view.block.transactions[index]!
    if (this.#traits.isForecastWithoutPosition && view.status === 'forecast') {
      return JSON.stringify({ ...writeTransaction(view, index), ...NO_POSITION })
    }
    return this.#item(transaction, view, index, writeTransaction)
  }

  #memoizeBlock(
    view: View,
    reference: BlockReference,
    kind: string,
    write: (found: BlockView) => string,
  ): EncodedJson | null {
    const hash = view.blockHash(reference)
    if (hash === undefined) return null
    // With positions it is the text of the sealed block of the same hash.
    const isForecast =
      this.#traits.isForecastWithoutPosition && view.isForecast && view.head.pending.block.hash === hash
    if (isForecast) return new EncodedJson(write(view.block(reference)!))
    return this.#memoize(`${kind} ${hash}`, () => write(view.block(reference)!))
  }

  #memoize(key: string, write: () => string): EncodedJson {
    let text = this.#texts.get(key)
    if (text === undefined) {
      text = write()
      this.#texts.offer(key, text, text.length * BYTES_PER_CHARACTER + key.length)
    }
    return new EncodedJson(text)
  }

  /** Items of the open block stay cached while it is sealed and stored. */
  #item(item: object, view: BlockView, index: number, write: Write): string {
    const { block } = view
    const existing = this.#items.get(item)
    if (existing !== undefined && belongsTo(existing, block, index)) return fillTemplate(existing.text, block.hash)
    if (view.status === 'sealed') return JSON.stringify(write(view, index))
    const text = jsonTemplate(write({ ...view, block: { ...block, hash: BLOCK_HASH_PLACEHOLDER } }, index))
    const { parentHash, timestamp, baseFeePerGas } = block.header
    this.#items.set(item, { parentHash, timestamp, baseFeePerGas, index, text })
    return fillTemplate(text, block.hash)
  }

  readonly #receipt: Write = (view, index) => this.#ofReproduced(formatReceipt(view, index, this.#config), view.block)

  /** The receipt object of the reproduced node. */
  #ofReproduced(receipt: JsonRecord, { header }: Pick<Block, 'header'>): JsonRecord {
    const { isFailedCreationWithoutAddress, hasLayer2Receipts, hasTimedReceipts } = this.#traits
    const own = hasLayer2Receipts || hasL1Attributes(this.#config) ? receipt : withoutLayer2Members(receipt)
    const timed = hasTimedReceipts ? { ...own, ...timesOf(receipt, header, this.#config) } : own
    const hasAddress = receipt.status !== '0x0' || !isFailedCreationWithoutAddress
    return hasAddress ? timed : { ...timed, contractAddress: null }
  }
}

/** Members of Anvil's receipts about the block. */
function timesOf({ blobGasPrice }: JsonRecord, header: Header, config: ChainConfig): JsonRecord {
  return {
    blobGasPrice: blobGasPrice ?? toQuantity(blockEnv(header, config).blobBaseFee),
    blockTimestamp: Number(header.timestamp),
  }
}

/** A transaction of a forecast, or one that a reorganisation removed, may be included in another block. */
function belongsTo(written: WrittenItem, { header }: Block, index: number): boolean {
  return (
    written.index === index &&
    written.parentHash === header.parentHash &&
    written.timestamp === header.timestamp &&
    written.baseFeePerGas === header.baseFeePerGas
  )
}

function writeTransaction({ block, receipts }: BlockView, index: number): JsonRecord {
  return formatIncludedTransaction(block.transactions[index]!, block, index, receipts[index]?.deposit)
}
