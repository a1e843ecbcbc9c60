import { type Block, createBlock } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import { createHeader, type Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_UNCLES_HASH } from '../../chain/constants.ts'
import { maxBlobGasUsed } from '../../chain/fees/blob-fee.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { bloomOf, bloomUnion } from '../../chain/receipt/bloom.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { countSystemTransactions } from '../../chain/system-transactions/l1-attributes.ts'
import { withoutSidecar } from '../../chain/transaction/blob-sidecar.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import type { DepositTransaction, RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { type Bytes, type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import { createLayer, type Layer } from '../../state/layer.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { emptyOrderedTrie, type OrderedTrie } from '../../state/trie/ordered-trie.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Engine, Result, Session } from '../types.ts'
import type { BlockAttributes } from './block-attributes.ts'
import { creditDiff, withdrawalCredits } from './block-credits.ts'
import { blockEnv } from './block-env.ts'
import { BlockTally } from './block-tally.ts'
import { closingMembers } from './closing-members.ts'
import { makeOpeningCalls } from './opening-calls.ts'
import { collectRequests, type RequestsFault } from './requests.ts'

/** A transaction without its state must not hold up the others: the caller loads it, and adds the transaction again. */
const FAILING = { missingState: 'fail' } as const

export interface BlockBuilderDeps {
  readonly engine: Engine
  /** State and trie after the parent or, for a resumed block, after its newest flashblock. */
  readonly state: StateReader
  readonly trie: StateTrie
  /** Whether a block is opened without system calls whose slots are not loaded yet (fork mode). Default: false. */
  readonly skipsMissingCalls?: boolean | undefined
  /** Applies the diff of a flashblock to the trie. Default: synchronously. Others may run while it is awaited. */
  readonly applyDiff?:
    | ((before: StateTrie, diff: StateDiff, block: Pick<Header, 'number'>) => MaybePromise<StateTrie>)
    | undefined
}

export type Inclusion =
  | { readonly kind: 'included'; readonly receipt: Receipt }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

/** An open block, up to flashblock `index`. */
export interface OpenBlock {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly index: number
}

/** Content of a flashblock, and the block so far. */
export interface BuiltFlashblock {
  readonly layer: Layer
  readonly block: Block
  readonly receipts: readonly Receipt[]
  readonly trie: StateTrie
}

const NO_LOGS = bloomOf([])
const ZERO_NONCE = new Uint8Array(8)

/**
 * A block under construction: transactions are executed as they are added, and `flashblock()` returns a header with the
 * real roots of everything so far. `complete()` comes before the last flashblock. One caller at a time.
 */
export class BlockBuilder {
  readonly #attributes: BlockAttributes
  readonly #deps: BlockBuilderDeps
  readonly #session: Session
  readonly #tally: BlockTally
  #trie: StateTrie
  #transactionsTrie: OrderedTrie = emptyOrderedTrie()
  #receiptsTrie: OrderedTrie = emptyOrderedTrie()
  #transactions: readonly RecoveredTransaction[] = []
  #receipts: readonly Receipt[] = []
  #bloom: Bytes = NO_LOGS
  #requests: readonly Bytes[] = []
  #requestsHash = EMPTY_REQUESTS_HASH
  #index = 0
  #isComplete = false
  #addedTransactions: RecoveredTransaction[] = []
  #addedReceipts: Receipt[] = []

  private constructor(attributes: BlockAttributes, deps: BlockBuilderDeps, session: Session) {
    this.#attributes = attributes
    this.#deps = deps
    this.#session = session
    this.#tally = new BlockTally(session, deps.engine.config)
    this.#trie = deps.trie
  }

  /**
   * Opens a block, makes its system calls (EIP-4788, EIP-2935) and executes its system transactions and deposits.
   *
   * @throws if the block has no room for them
   */
  static async open(attributes: BlockAttributes, deps: BlockBuilderDeps): Promise<BlockBuilder> {
    const { excessBlobGas, systemTransactions = [], deposits = [] } = attributes
    const env = blockEnv({ ...unrootedHeader(attributes), excessBlobGas }, deps.engine.config)
    const builder = new BlockBuilder(attributes, deps, deps.engine.open(env, deps.state, FAILING))
    await makeOpeningCalls(builder.#session, attributes, deps.engine.config, {
      skipsMissing: deps.skipsMissingCalls === true,
    })
    for (const transaction of [...systemTransactions, ...deposits]) await builder.#addDeposit(transaction)
    return builder
  }

  /** Resumes an open block after a flashblock that is not its last one, without executing anything again. */
  static resume(open: OpenBlock, deps: BlockBuilderDeps): BlockBuilder {
    const { block, receipts, index } = open
    const { header, transactions } = block
    const session = deps.engine.open(blockEnv(header, deps.engine.config), deps.state, FAILING)
    const builder = new BlockBuilder(attributesOf(block), deps, session)
    builder.#transactions = transactions
    builder.#receipts = receipts
    builder.#transactionsTrie = builder.#transactionsTrie.append(transactions.map(({ raw }) => raw))
    builder.#receiptsTrie = builder.#receiptsTrie.append(receipts.map(encodeReceipt))
    builder.#bloom = header.logsBloom
    builder.#tally.gasUsed = header.gasUsed
    builder.#tally.blobGasUsed = header.blobGasUsed ?? 0
    builder.#tally.logCount = receipts.reduce((count, { logs }) => count + logs.length, 0)
    builder.#index = index + 1
    return builder
  }

  get gasUsed(): number {
    return this.#tally.gasUsed
  }

  get attributes(): BlockAttributes {
    return this.#attributes
  }

  /** State after the transactions that were added so far. */
  get state(): StateReader {
    return this.#session.state
  }

  /** After the newest flashblock. */
  get trie(): StateTrie {
    return this.#trie
  }

  /** Whether the block has no transactions besides those of the system. */
  get isEmpty(): boolean {
    const { systemTransactions = [] } = this.#attributes
    return this.#transactions.length + this.#addedTransactions.length === systemTransactions.length
  }

  /** Requests to the consensus layer (EIP-7685), each with its type byte; set by `complete()`. */
  get requests(): readonly Bytes[] {
    return this.#requests
  }

  /**
   * Executes the next transaction; an `invalid` one changes nothing. `room`: gas left in the block.
   *
   * @throws MissingStateError on a state that is read on demand; nothing changes then
   */
  add(transaction: RecoveredTransaction, room: bigint): MaybePromise<Inclusion> {
    const blobGas = this.#tally.blobGasOf(transaction)
    const { config } = this.#deps.engine
    const limit = maxBlobGasUsed(this.#attributes.gasLimit, config, this.#session.env.blobSchedule)
    const remaining = limit - BigInt(this.#tally.blobGasUsed)
    if (BigInt(blobGas) > remaining) {
      return { kind: 'invalid', error: { code: 'BLOCK_GAS_EXCEEDED', gasLimit: BigInt(blobGas), remaining } }
    }
    return mapMaybe(this.#session.execute(transaction, room), (result) => this.#include(transaction, result, blobGas))
  }

  async #addDeposit(transaction: DepositTransaction): Promise<void> {
    const room = this.#attributes.gasLimit - BigInt(this.#tally.gasUsed)
    const outcome = await whenLoaded(() => this.add(transaction, room))
    if (outcome.kind === 'included') return
    const { number } = this.#attributes
    throw new Error(`block ${number} cannot begin: ${invalidTransactionMessage(outcome.error)}`)
  }

  #include(transaction: RecoveredTransaction, result: Result, blobGas: number): Inclusion {
    if (result.kind === 'invalid') return result
    const receipt = this.#tally.add(transaction, result, blobGas)
    this.#addedTransactions.push(withoutSidecar(transaction))
    this.#addedReceipts.push(receipt)
    return { kind: 'included', receipt }
  }

  /**
   * Adds withdrawals and requests, which end a layer-1 block; nothing may be added after it, and the next flashblock is
   * the last one. The state stays as it is on layer 2.
   *
   * @returns why the block is invalid
   */
  async complete(): Promise<RequestsFault | undefined> {
    const session = this.#session
    session.apply(creditDiff(withdrawalCredits(this.#attributes.withdrawals), session.state))
    const receipts = [...this.#receipts, ...this.#addedReceipts]
    const outcome = await collectRequests(session, this.#deps.engine.config, receipts)
    if (outcome.kind === 'failed') return outcome.fault
    this.#requests = outcome.requests
    this.#requestsHash = outcome.hash ?? EMPTY_REQUESTS_HASH
    this.#isComplete = true
    return undefined
  }

  /** Ends the current flashblock and returns it with all roots. Not with an asynchronous `applyDiff`. */
  flashblock(): BuiltFlashblock {
    const steps = this.flashblockSteps()
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (step.value !== undefined) throw new Error('others apply diffs for this block: take its flashblocks in steps')
    }
  }

  /**
   * As `flashblock()` in steps, between which the caller can yield; nothing may be added before the last. Yields
   * promises to await.
   */
  *flashblockSteps(): Generator<Promise<unknown> | undefined, BuiltFlashblock> {
    const transactions = this.#addedTransactions
    const receipts = this.#addedReceipts
    this.#addedTransactions = []
    this.#addedReceipts = []
    const firstTransaction = this.#transactions.length
    const diff = this.#session.takeDiff()
    const applied = this.#applied(diff)
    // A rejection surfaces at the step that awaits it.
    applied?.catch(() => {})
    yield
    this.#transactionsTrie = this.#transactionsTrie.append(transactions.map(({ raw }) => raw))
    const transactionsRoot = this.#transactionsTrie.root
    yield
    this.#receiptsTrie = this.#receiptsTrie.append(receipts.map(encodeReceipt))
    const receiptsRoot = this.#receiptsTrie.root
    yield applied
    const stateRoot = this.#trie.root
    this.#transactions = Object.freeze([...this.#transactions, ...transactions])
    this.#receipts = Object.freeze([...this.#receipts, ...receipts])
    if (receipts.length > 0) this.#bloom = bloomUnion([this.#bloom, ...receipts.map(({ logsBloom }) => logsBloom)])
    const header = this.#header({ stateRoot, transactionsRoot, receiptsRoot })
    const hash = hashHeader(header)
    const { withdrawals } = this.#attributes
    const content = { header, transactions: this.#transactions, uncles: [], withdrawals }
    const block = createBlock({ hash, size: blockSize(content), ...content })
    const layer = createLayer({
      header,
      hash,
      index: this.#index++,
      firstTransaction,
      transactions,
      receipts,
      diff,
      withdrawals,
      isLast: this.#isComplete,
    })
    return { layer, block, receipts: this.#receipts, trie: this.#trie }
  }

  close(): void {
    this.#session.close()
  }

  /** Advances the trie: synchronously, or when the returned promise settles. */
  #applied(diff: StateDiff): Promise<void> | undefined {
    const { applyDiff } = this.#deps
    const after = applyDiff?.(this.#trie, diff, this.#attributes) ?? this.#trie.apply(diff)
    if (after instanceof Promise) {
      return after.then((trie) => {
        this.#trie = trie
      })
    }
    this.#trie = after
    // Computed on first access: in this step.
    void after.root
    return undefined
  }

  #header(roots: Pick<Header, 'stateRoot' | 'transactionsRoot' | 'receiptsRoot'>): Header {
    const { env } = this.#session
    const { withdrawals, excessBlobGas, parentBeaconBlockRoot } = this.#attributes
    const end = { used: this.#tally, withdrawals, requestsHash: this.#requestsHash, trie: this.#trie }
    return createHeader({
      ...unrootedHeader(this.#attributes),
      ...roots,
      ...closingMembers(env, end),
      logsBloom: this.#bloom,
      ...(rulesOf(env.fork).hasBlobFee && { excessBlobGas, parentBeaconBlockRoot }),
    })
  }
}

function attributesOf(block: Block): BlockAttributes {
  const { header, transactions, withdrawals = [] } = block
  const systemTransactions = transactions.slice(0, countSystemTransactions(transactions)) as DepositTransaction[]
  return {
    parentHash: header.parentHash,
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    excessBlobGas: header.excessBlobGas ?? 0n,
    miner: header.miner,
    mixHash: header.mixHash,
    extraData: header.extraData,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
    withdrawals,
    systemTransactions,
  }
}

/** The header of an empty block; each flashblock fills in the roots. */
export function unrootedHeader(attributes: BlockAttributes): Header {
  const none = '0x' as Hash
  return {
    parentHash: attributes.parentHash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: attributes.miner,
    stateRoot: none,
    transactionsRoot: none,
    receiptsRoot: none,
    logsBloom: NO_LOGS,
    difficulty: 0n,
    number: attributes.number,
    gasLimit: attributes.gasLimit,
    gasUsed: 0,
    timestamp: attributes.timestamp,
    extraData: attributes.extraData,
    mixHash: attributes.mixHash,
    nonce: ZERO_NONCE,
    baseFeePerGas: attributes.baseFeePerGas,
  }
}
