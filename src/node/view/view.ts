import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { PoolTransaction, RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { delegationOf } from '../../engine/transaction/delegation.ts'
import type { PoolView, SenderState } from '../../pool/types.ts'
import type { Address, Bytes, Hash, Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { Account } from '../../state/account.ts'
import type { ChainBelow } from '../../state/chain-below.ts'
import type { StoredTransaction, TransactionLocation } from '../../state/snapshot.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Head, LayeredBlock, PartialBlock } from '../machine/head.ts'
import { stateAfterFlashblock } from '../machine/head-transitions.ts'
import { trieBefore } from '../store/store-unwinding.ts'
import type { BlockReference } from './block-reference.ts'
import { storedLogs } from './stored-logs.ts'

/** Number of blocks below the newest one whose tries are computed in one step (see `old-tries.ts` for others). */
export const PROOF_WINDOW = 128

/** A block as one request sees it. */
export interface BlockView {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /**
   * `open`: not sealed yet. `forecast`: would be mined now. `superseded`: named by a partial hash that a later
   * flashblock replaced.
   */
  readonly status: 'sealed' | 'open' | 'forecast' | 'superseded'
}

/** A transaction in a block or in the pool. */
export type TransactionView =
  | {
      readonly kind: 'included'
      readonly transaction: RecoveredTransaction
      readonly receipt: Receipt
      readonly index: number
      readonly block: BlockView
    }
  | { readonly kind: 'pooled'; readonly transaction: PoolTransaction }

/**
 * The state that a request, or a batch, captures once. Immutable: all reads show the same instant, so `pending`,
 * `latest`, logs, receipts and nonces are consistent.
 */
export class View {
  readonly head: Head
  readonly pool: PoolView
  /**
   * Whether the pending block is the forecast of the block that would be mined now (ADR 0017), which no record and no
   * other thread has. The pool still contains its transactions.
   */
  readonly isForecast: boolean

  constructor(head: Head, pool: PoolView, { isForecast = false }: { readonly isForecast?: boolean } = {}) {
    this.head = head
    this.pool = pool
    this.isForecast = isForecast
  }

  /**
   * Keeps the view's snapshot while a caller awaits between reads. Every `retain` needs a `release`. Reads without an
   * `await` between them need neither.
   */
  retain(): void {
    this.head.base.retain()
  }

  release(): void {
    this.head.base.release()
  }

  /** The oldest blocks with state, and with block data (besides genesis). */
  oldest(): { readonly state: number; readonly block: number } {
    const { oldestState, oldestBlock } = this.head.base
    return { state: oldestState, block: oldestBlock }
  }

  /** Height of a tag or number, which may be above the chain; `undefined` for an unknown hash. */
  number(reference: BlockReference): number | undefined {
    const { sealed, pending } = this.head
    if (reference.kind === 'number') return reference.number
    if (reference.kind === 'hash') return this.block(reference)?.block.header.number
    switch (reference.tag) {
      case 'pending':
        return pending.block.header.number
      case 'earliest':
        return 0
      default:
        return sealed[reference.tag]
    }
  }

  /** `undefined`: no such block. */
  block(reference: BlockReference): BlockView | undefined {
    if (reference.kind === 'hash') return this.#blockByHash(reference.hash)
    // A number refers to a sealed block. Only the tag `pending` or a partial hash refers to the open block.
    if (isPending(reference)) return this.#open()
    return this.#sealed(this.number(reference)!)
  }

  /** Does not read the block's transactions; `undefined`: no such block. */
  header(reference: BlockReference): Header | undefined {
    const { pending } = this.head
    if (isPending(reference)) return pending.block.header
    if (reference.kind === 'hash') {
      if (pending.block.hash === reference.hash) return pending.block.header
      const number = this.#heightOf(reference.hash)
      return number === undefined ? this.block(reference)?.block.header : this.#sealedHeader(number)
    }
    return this.#sealedHeader(this.number(reference)!)
  }

  /** The hash of a block, without reading the block. For a partial hash, the partial block's own. */
  blockHash(reference: BlockReference): Hash | undefined {
    const { pending, recent, base } = this.head
    const below = this.#below
    if (isPending(reference)) return pending.block.hash
    if (reference.kind === 'hash') {
      const { hash } = reference
      if (pending.block.hash === hash || this.#heightOf(hash) !== undefined) return hash
      return this.block(reference)?.block.hash
    }
    const number = this.number(reference)!
    if (below !== undefined && number < below.number) return below.blockHash(number)
    if (number <= base.number) return base.blockHash(number)
    return recent.find(({ block }) => block.header.number === number)?.block.hash
  }

  /** State after a block, without reading it; `undefined` if unknown, or a partial hash of a block sealed since. */
  state(reference: BlockReference): StateReader | undefined {
    const { pending } = this.head
    if (isPending(reference)) return pending.state
    if (reference.kind === 'hash') {
      const open = stateAfterFlashblock(this.head, reference.hash)
      const number = open === undefined ? this.#heightOf(reference.hash) : undefined
      return number === undefined ? open : this.#stateAt(number)
    }
    return this.#stateAt(this.number(reference)!)
  }

  stateOf(view: BlockView): StateReader | undefined {
    const { pending } = this.head
    if (view.status === 'superseded') return stateAfterFlashblock(this.head, view.block.hash)
    return view.status === 'sealed' ? this.#stateAt(view.block.header.number) : pending.state
  }

  /**
   * The state trie after a block; `undefined` if it is superseded or more than `PROOF_WINDOW` below the newest stored
   * block.
   */
  trieOf(view: BlockView): StateTrie | undefined {
    const { base, recent, pending } = this.head
    if (view.status === 'superseded') return undefined
    if (view.status !== 'sealed') return pending.trie
    const { number } = view.block.header
    if (number > base.number) return recent.find(({ block }) => block.header.number === number)?.trie
    if (base.number - number > PROOF_WINDOW || number < (this.forkBlock ?? 0)) return undefined
    return trieBefore(base, this.head.baseTrie, number)
  }

  account(state: StateReader, address: Address): Account | undefined {
    return state.account(address)
  }

  storage(state: StateReader, address: Address, slot: Slot): bigint {
    return state.storage(address, slot)
  }

  /** Empty for an account without code. */
  code(state: StateReader, address: Address): Bytes {
    const account = state.account(address)
    return account === undefined ? new Uint8Array(0) : state.code(account.codeHash)
  }

  /** Looks in blocks first, then in the pool: included transactions leave the pool in the same step. */
  transaction(hash: Hash): TransactionView | undefined {
    const { pending, recent, base } = this.head
    for (const layered of [pending, ...recent]) {
      const index = positionIn(layered, hash)
      if (index !== undefined) {
        return included(layered === pending ? this.#open() : sealed(layered), index)
      }
    }
    const location = base.transactionLocation(hash)
    if (location !== undefined) return included(this.#sealed(location.blockNumber)!, location.index)
    const entry = this.pool.get(hash)
    if (entry !== undefined) return { kind: 'pooled', transaction: entry.transaction }
    const place = this.#below?.transactionLocation(hash)
    return place && included(this.#sealed(place.blockNumber)!, place.index)
  }

  /** Whether a flashblock of the open block contains the transaction. */
  isInOpenBlock(hash: Hash): boolean {
    return positionIn(this.head.pending, hash) !== undefined
  }

  /**
   * A transaction of a stored block, without reading the rest of the block; `undefined` if the store does not have it.
   */
  storedTransaction(hash: Hash): StoredTransaction | undefined {
    const { base } = this.head
    const location = base.transactionLocation(hash)
    if (location !== undefined) return base.transactionAt(location)
    const place = this.#placeBelow(hash)
    const found = place && this.#sealed(place.blockNumber)
    if (place === undefined || found === undefined) return undefined
    const { block, receipts } = found
    const { index } = place
    return { transaction: block.transactions[index]!, receipt: receipts[index]!, index, block }
  }

  /** The hash of the block that includes a transaction, without reading the block; `undefined`: none. */
  blockHashOfTransaction(hash: Hash): Hash | undefined {
    const place = this.#placeBelow(hash)
    return place === undefined ? this.ownBlockHashOf(hash) : this.#below?.blockHash(place.blockNumber)
  }

  /** A transaction of another node's blocks. Own blocks and the pool are searched first, since they need no network. */
  #placeBelow(hash: Hash): TransactionLocation | undefined {
    const below = this.#below
    if (below === undefined || this.pool.get(hash) !== undefined) return undefined
    return this.ownBlockHashOf(hash) === undefined ? below.transactionLocation(hash) : undefined
  }

  /** As `blockHashOfTransaction`, among the blocks of this node. */
  ownBlockHashOf(hash: Hash): Hash | undefined {
    const { pending, recent, base } = this.head
    const layered = [pending, ...recent].find((block) => positionIn(block, hash) !== undefined)
    if (layered !== undefined) return layered.block.hash
    const location = base.transactionLocation(hash)
    return location && base.blockHash(location.blockNumber)
  }

  /** Matching logs of blocks `from` to `to`; the open block is latest + 1. `checkpoint` may throw to end the search. */
  logs(query: LogQuery, from: number, to: number, checkpoint?: () => void): Iterable<LogMatch> {
    const { base } = this.head
    const below = this.#below
    if (below !== undefined && from <= below.number) return this.#logsFromBelow(below, query, from, to)
    if (to > base.number) return this.#logsToLayers(query, from, to, checkpoint)
    return storedLogs(base, below, query, from, to, checkpoint)
  }

  /** The last block that another node serves, on which this chain is forked; `undefined` without a fork. */
  get forkBlock(): number | undefined {
    return this.#below?.number
  }

  /** Loads what other reads of a range need at once, where blocks are those of another node (fork mode). */
  requireBlocks(from: number, to: number): void {
    this.#below?.requireBlocks(from, to)
  }

  /** The same for headers alone. */
  requireHeaders(from: number, to: number): void {
    this.#below?.requireHeaders(from, to)
  }

  *#logsFromBelow(below: ChainBelow, query: LogQuery, from: number, to: number): Iterable<LogMatch> {
    yield* below.logs(query, from, Math.min(to, below.number))
    if (to > below.number) yield* this.logs(query, below.number + 1, to)
  }

  *#logsToLayers(query: LogQuery, from: number, to: number, checkpoint?: () => void): Iterable<LogMatch> {
    const { base, recent, pending } = this.head
    if (from <= base.number) yield* storedLogs(base, this.#below, query, from, base.number, checkpoint)
    for (const layered of [...recent, pending]) {
      const number = layered.block.header.number
      if (from <= number && number <= to) yield* logsOfBlock(query, layered.block, layered.receipts)
    }
  }

  /** State after the newest flashblock plus the sender's pending transactions. */
  pendingNonce(address: Address): bigint {
    const nonce = this.head.pending.state.account(address)?.nonce ?? 0n
    return this.pool.nextNonce(address, nonce)
  }

  #open(): BlockView {
    const { block, receipts } = this.head.pending
    return { block, receipts, status: this.isForecast ? 'forecast' : 'open' }
  }

  /** Reads a sealed block. */
  #heightOf(hash: Hash): number | undefined {
    const { base, recent } = this.head
    const own = recent.find(({ block }) => block.hash === hash)?.block.header.number ?? base.blockNumber(hash)
    if (own !== undefined || this.#below === undefined || this.partial(hash) !== undefined) return own
    return this.#below.blockNumber(hash)
  }

  /** A block as of a flashblock that another one followed, by its hash then. */
  partial(hash: Hash): PartialBlock | undefined {
    for (const ofBlock of this.head.partials) {
      const partial = ofBlock.get(hash)
      if (partial !== undefined) return partial
    }
    return undefined
  }

  get #below(): ChainBelow | undefined {
    return this.head.base.below
  }

  /** A sealed block above the store. */
  #recent(number: number): LayeredBlock | undefined {
    return this.head.recent.find(({ block }) => block.header.number === number)
  }

  #sealedHeader(number: number): Header | undefined {
    const { base } = this.head
    const below = this.#below
    if (below !== undefined && number <= below.number) return below.header(number)
    return number <= base.number ? base.header(number) : this.#recent(number)?.block.header
  }

  #stateAt(number: number): StateReader | undefined {
    const { base, baseState } = this.head
    const below = this.#below
    if (number === base.number) return baseState
    if (below !== undefined && number < below.number) return below.stateAt(number)
    return number < base.number ? base.stateAt(number) : this.#recent(number)?.state
  }

  #sealed(number: number): BlockView | undefined {
    const { base } = this.head
    if (number > base.number) {
      const layered = this.#recent(number)
      return layered && sealed(layered)
    }
    const below = this.#below
    const source = below !== undefined && number <= below.number ? below : base
    const block = source.block(number)
    return block && { block, receipts: source.receipts(number)!, status: 'sealed' }
  }

  #blockByHash(hash: Hash): BlockView | undefined {
    const { base, recent, pending } = this.head
    if (pending.block.hash === hash) return this.#open()
    const layered = recent.find(({ block }) => block.hash === hash)
    if (layered !== undefined) return sealed(layered)
    const number = base.blockNumber(hash)
    if (number !== undefined) return this.#sealed(number)
    const partial = this.partial(hash)
    if (partial !== undefined) return this.#prefix(partial)
    const below = this.#below?.blockNumber(hash)
    return below === undefined ? undefined : this.#sealed(below)
  }

  /** Transactions are only appended, so the block of an earlier flashblock is a prefix of the later one. */
  #prefix(partial: PartialBlock): BlockView | undefined {
    const { number } = partial.header
    const { pending } = this.head
    const whole = pending.block.header.number === number ? this.#open() : this.#sealed(number)
    if (whole === undefined) return undefined
    const transactions = whole.block.transactions.slice(0, partial.transactionCount)
    return {
      block: { ...whole.block, header: partial.header, hash: partial.hash, transactions, size: partial.size },
      receipts: whole.receipts.slice(0, partial.transactionCount),
      status: 'superseded',
    }
  }
}

function isPending(reference: BlockReference): boolean {
  return reference.kind === 'tag' && reference.tag === 'pending'
}

function sealed(layered: LayeredBlock): BlockView {
  return { block: layered.block, receipts: layered.receipts, status: 'sealed' }
}

function positionIn(layered: LayeredBlock, hash: Hash): number | undefined {
  for (const layer of layered.layers) {
    const index = layer.positions.get(hash)
    if (index !== undefined) return index
  }
  return undefined
}

function included(block: BlockView, index: number): TransactionView {
  const transaction = block.block.transactions[index]!
  return { kind: 'included', transaction, receipt: block.receipts[index]!, index, block }
}

/** The sender's account as the pool judges it. */
export function senderState(state: StateReader, address: Address): SenderState {
  const account = state.account(address)
  if (account === undefined) return { nonce: 0n, balance: 0n, code: 'none' }
  const { nonce, balance, codeHash } = account
  if (codeHash === EMPTY_CODE_HASH) return { nonce, balance, code: 'none' }
  const isDelegation = delegationOf(state.code(codeHash)) !== undefined
  return { nonce, balance, code: isDelegation ? 'delegation' : 'contract' }
}
