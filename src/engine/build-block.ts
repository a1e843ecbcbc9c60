import type { Block } from '../chain/block.ts'
import { blockSize } from '../chain/block-codec.ts'
import { bloomOf, bloomUnion } from '../chain/bloom.ts'
import {
  BEACON_ROOTS_ADDRESS,
  EMPTY_REQUESTS_HASH,
  EMPTY_UNCLES_HASH,
  HISTORY_STORAGE_ADDRESS,
  MESSAGE_PASSER_ADDRESS,
} from '../chain/constants.ts'
import { dataFootprint } from '../chain/data-footprint.ts'
import type { Header } from '../chain/header.ts'
import { hashHeader } from '../chain/header-codec.ts'
import type { Receipt } from '../chain/receipt.ts'
import { encodeReceipt } from '../chain/receipt-codec.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../chain/transaction.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, hexToBytes, ZERO_HASH } from '../primitives/hex.ts'
import { createLayer, type Layer } from '../state/layer.ts'
import type { StateReader } from '../state/state-reader.ts'
import { emptyOrderedTrie, type OrderedTrie } from '../state/trie/ordered-trie.ts'
import type { StateTrie } from '../state/trie/state-trie.ts'
import { blockEnv } from './block-env.ts'
import { createReceipt } from './create-receipt.ts'
import type { Engine, InvalidTransaction, Session } from './types.ts'

/** Header members that are fixed when a block is opened. */
export interface BlockAttributes {
  readonly parentHash: Hash
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly miner: Address
  readonly mixHash: Hash
  readonly extraData: Bytes
  readonly parentBeaconBlockRoot: Hash
}

export interface BlockBuilderParts {
  readonly engine: Engine
  /** State and trie after the parent; of a resumed block, after its newest flashblock. */
  readonly state: StateReader
  readonly trie: StateTrie
}

export type Inclusion =
  | { readonly kind: 'included'; readonly receipt: Receipt }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** A block that is open already, up to its flashblock `index`. */
export interface OpenBlock {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly index: number
}

/** What a flashblock adds, and the block as it stands with it. */
export interface Flashblock {
  readonly layer: Layer
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly trie: StateTrie
}

/**
 * One layer-2 block in the making: transactions are executed as they are added, and at any time `flashblock()` makes a
 * header with real roots of everything so far. One caller at a time.
 */
export class BlockBuilder {
  readonly #attributes: BlockAttributes
  readonly #parts: BlockBuilderParts
  readonly #session: Session
  #trie: StateTrie
  #transactionsTrie: OrderedTrie = emptyOrderedTrie()
  #receiptsTrie: OrderedTrie = emptyOrderedTrie()
  #transactions: readonly RecoveredTransaction[] = []
  #receipts: readonly Receipt[] = []
  #bloom: Bytes = bloomOf([])
  #gasUsed = 0
  #footprint = 0
  #logCount = 0
  #index = 0
  #addedTransactions: RecoveredTransaction[] = []
  #addedReceipts: Receipt[] = []

  private constructor(attributes: BlockAttributes, parts: BlockBuilderParts, session: Session) {
    this.#attributes = attributes
    this.#parts = parts
    this.#session = session
    this.#trie = parts.trie
  }

  /** Opens a block and makes its system calls (EIP-4788, EIP-2935). */
  static async open(attributes: BlockAttributes, parts: BlockBuilderParts): Promise<BlockBuilder> {
    const env = blockEnv(unrootedHeader(attributes), parts.engine.config)
    const builder = new BlockBuilder(attributes, parts, parts.engine.open(env, parts.state))
    await builder.#session.systemCall(BEACON_ROOTS_ADDRESS, hexToBytes(attributes.parentBeaconBlockRoot))
    await builder.#session.systemCall(HISTORY_STORAGE_ADDRESS, hexToBytes(attributes.parentHash))
    return builder
  }

  /** Goes on with a block that was open before, after its newest flashblock; nothing in it is executed again. */
  static resume(open: OpenBlock, parts: BlockBuilderParts): BlockBuilder {
    const { block, receipts, index } = open
    const { header, transactions } = block
    const session = parts.engine.open(blockEnv(header, parts.engine.config), parts.state)
    const builder = new BlockBuilder(attributesOf(header), parts, session)
    builder.#transactions = transactions
    builder.#receipts = receipts
    builder.#transactionsTrie = builder.#transactionsTrie.append(transactions.map(({ raw }) => raw))
    builder.#receiptsTrie = builder.#receiptsTrie.append(receipts.map(encodeReceipt))
    builder.#bloom = header.logsBloom
    builder.#gasUsed = header.gasUsed
    builder.#footprint = header.blobGasUsed ?? 0
    builder.#logCount = receipts.reduce((count, { logs }) => count + logs.length, 0)
    builder.#index = index + 1
    return builder
  }

  get gasUsed(): number {
    return this.#gasUsed
  }

  get attributes(): BlockAttributes {
    return this.#attributes
  }

  /** Executes a transaction as the block's next; nothing changed when it is `invalid`. `room`: gas that is free. */
  async add(transaction: RecoveredTransaction, room: bigint): Promise<Inclusion> {
    const footprint = this.#footprintOf(transaction)
    const { gasLimit } = this.#attributes
    if (BigInt(this.#footprint + footprint) > gasLimit) {
      const remaining = gasLimit - BigInt(this.#footprint)
      return { kind: 'invalid', error: { code: 'BLOCK_GAS_EXCEEDED', gasLimit: BigInt(footprint), remaining } }
    }
    const result = await this.#session.execute(transaction, room)
    if (result.kind === 'invalid') return result
    const before = { gasUsed: this.#gasUsed, logCount: this.#logCount }
    const receipt = createReceipt(transaction, result, before, { blobGasUsed: footprint })
    this.#gasUsed = receipt.cumulativeGasUsed
    this.#logCount += receipt.logs.length
    if (transaction.type !== DEPOSIT_TYPE) this.#footprint += footprint
    this.#addedTransactions.push(transaction)
    this.#addedReceipts.push(receipt)
    return { kind: 'included', receipt }
  }

  /** Closes the part since the last flashblock and gives it, with all roots up to here. */
  flashblock(): Flashblock {
    const transactions = this.#addedTransactions
    const receipts = this.#addedReceipts
    this.#addedTransactions = []
    this.#addedReceipts = []
    const firstTransaction = this.#transactions.length
    const diff = this.#session.takeDiff()
    this.#trie = this.#trie.apply(diff)
    this.#transactionsTrie = this.#transactionsTrie.append(transactions.map(({ raw }) => raw))
    this.#receiptsTrie = this.#receiptsTrie.append(receipts.map(encodeReceipt))
    this.#transactions = Object.freeze([...this.#transactions, ...transactions])
    this.#receipts = Object.freeze([...this.#receipts, ...receipts])
    for (const receipt of receipts) this.#bloom = bloomUnion([this.#bloom, receipt.logsBloom])
    const header = this.#header()
    const hash = hashHeader(header)
    const block: Block = Object.freeze({
      header,
      hash,
      transactions: this.#transactions,
      uncles: [],
      withdrawals: [],
      size: blockSize({ header, transactions: this.#transactions, uncles: [], withdrawals: [] }),
    })
    const layer = createLayer({ header, hash, index: this.#index++, firstTransaction, transactions, receipts, diff })
    return { layer, block, receipts: this.#receipts, trie: this.#trie }
  }

  close(): void {
    this.#session.close()
  }

  #header(): Header {
    return Object.freeze({
      ...unrootedHeader(this.#attributes),
      stateRoot: this.#trie.root,
      transactionsRoot: this.#transactionsTrie.root,
      receiptsRoot: this.#receiptsTrie.root,
      logsBloom: this.#bloom,
      gasUsed: this.#gasUsed,
      withdrawalsRoot: this.#trie.storageRoot(MESSAGE_PASSER_ADDRESS),
      blobGasUsed: this.#footprint,
    })
  }

  #footprintOf(transaction: RecoveredTransaction): number {
    const scalar = this.#parts.engine.config.layer2?.daFootprintGasScalar ?? 0
    return scalar === 0 ? 0 : dataFootprint(transaction.raw, scalar)
  }
}

function attributesOf(header: Header): BlockAttributes {
  return {
    parentHash: header.parentHash,
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    miner: header.miner,
    mixHash: header.mixHash,
    extraData: header.extraData,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
  }
}

/** The header of the block before anything is in it; roots are filled in by each flashblock (spec-facts 7.2). */
function unrootedHeader(attributes: BlockAttributes): Omit<Header, 'withdrawalsRoot'> {
  const none = '0x' as Hash
  return {
    parentHash: attributes.parentHash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: attributes.miner,
    stateRoot: none,
    transactionsRoot: none,
    receiptsRoot: none,
    logsBloom: EMPTY_BYTES,
    difficulty: 0n,
    number: attributes.number,
    gasLimit: attributes.gasLimit,
    gasUsed: 0,
    timestamp: attributes.timestamp,
    extraData: attributes.extraData,
    mixHash: attributes.mixHash,
    nonce: new Uint8Array(8),
    baseFeePerGas: attributes.baseFeePerGas,
    blobGasUsed: 0,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: attributes.parentBeaconBlockRoot,
    requestsHash: EMPTY_REQUESTS_HASH,
  }
}
