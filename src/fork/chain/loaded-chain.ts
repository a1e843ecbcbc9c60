import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { ChainBelow } from '../../state/chain-below.ts'
import { MissingStateError } from '../../state/missing-state.ts'
import type { TransactionLocation } from '../../state/snapshot.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { TrieNodeSource } from '../../state/trie-node-source.ts'
import { ForkError } from '../source/fork-error.ts'
import type { ForkPoint } from '../source/fork-point.ts'
import { AbsentHashes } from './absent-hashes.ts'
import { cachedBytes } from './block-reading.ts'
import type { ForkedChain } from './forked-chain.ts'
import type { HeaderReading } from './header-reading.ts'

const MAX_BYTES = 16 * 2 ** 20
const HEADER_BYTES = 1_000
const LOOK_UP_BYTES = 200
const STATES = 32
/** Blocks that one range loads at once. */
const RANGE_BATCH = 64

export interface LoadedChainOptions {
  readonly point: ForkPoint
  /** The header of the fork block. */
  readonly reading: HeaderReading
}

export interface LoadedChainDeps {
  readonly chain: ForkedChain
  readonly clock: Pick<MonotonicClock, 'monotonic'>
  readonly state: StateReader
  readonly trieNodes: TrieNodeSource | undefined
  /** State after an earlier block. */
  readonly stateAt: (point: ForkPoint) => StateReader
}

/** The forked chain for synchronous readers. What is not loaded throws a MissingStateError, and its `load` reads it. */
export class LoadedChain implements ChainBelow {
  readonly number: number
  readonly state: StateReader
  readonly trieNodes: TrieNodeSource | undefined
  readonly #point: ForkPoint
  readonly #deps: LoadedChainDeps
  readonly #headers = new BoundedCache<number, HeaderReading>({ maxBytes: MAX_BYTES })
  readonly #blocks = new BoundedCache<number, Block>({ maxBytes: MAX_BYTES })
  readonly #receipts = new BoundedCache<number, readonly Receipt[]>({ maxBytes: MAX_BYTES })
  readonly #numbers = new BoundedCache<Hash, number>({ maxBytes: MAX_BYTES })
  readonly #locations = new BoundedCache<Hash, TransactionLocation>({ maxBytes: MAX_BYTES })
  readonly #absentBlocks: AbsentHashes
  readonly #absentTransactions: AbsentHashes
  readonly #logs = new BoundedCache<string, readonly LogMatch[]>({ maxBytes: MAX_BYTES })
  readonly #states = new BoundedCache<number, StateReader>({ maxBytes: STATES })

  constructor({ point, reading }: LoadedChainOptions, deps: LoadedChainDeps) {
    this.number = point.number
    this.state = deps.state
    this.trieNodes = deps.trieNodes
    this.#point = point
    this.#deps = deps
    this.#absentBlocks = new AbsentHashes(deps)
    this.#absentTransactions = new AbsentHashes(deps)
    this.#putHeader(reading)
  }

  block(number: number): Block | undefined {
    if (!this.#has(number)) return undefined
    const known = this.#blocks.get(number)
    if (known !== undefined) return known
    throw new MissingStateError(`block ${number}`, async () => {
      await this.#loadBlock(number)
    })
  }

  receipts(number: number): readonly Receipt[] {
    const block = this.block(number)
    if (block === undefined || block.transactions.length === 0) return []
    const known = this.#receipts.get(number)
    if (known !== undefined) return known
    throw new MissingStateError(`the receipts of block ${number}`, () => this.#loadReceipts(block))
  }

  header(number: number): Header | undefined {
    return this.#reading(number)?.header
  }

  blockHash(number: number): Hash | undefined {
    return this.#reading(number)?.hash
  }

  blockNumber(hash: Hash): number | undefined {
    const known = this.#numbers.get(hash)
    if (known !== undefined || this.#absentBlocks.has(hash)) return known
    throw new MissingStateError(`the block ${hash}`, async () => {
      const reading = await unlessOffline(this.#deps.chain.header(hash))
      if (reading === undefined) this.#absentBlocks.add(hash)
      else this.#putHeader(reading)
    })
  }

  transactionLocation(hash: Hash): TransactionLocation | undefined {
    const known = this.#locations.get(hash)
    if (known !== undefined || this.#absentTransactions.has(hash)) return known
    throw new MissingStateError(`the transaction ${hash}`, async () => {
      const place = await unlessOffline(this.#deps.chain.transaction(hash))
      if (place === undefined) this.#absentTransactions.add(hash)
      else this.#putBlock(place.block)
    })
  }

  logs(query: LogQuery, from: number, to: number, isBrief = false): readonly LogMatch[] {
    const range = { from: Math.max(0, from), to: Math.min(to, this.number) }
    if (range.from > range.to) return []
    const key = JSON.stringify([query.addresses, query.topics, range.from, range.to])
    const known = this.#logs.get(key)
    if (known !== undefined) return known
    throw new MissingStateError(`the logs of blocks ${range.from} to ${range.to}`, async () => {
      const logs = await this.#deps.chain.logs(query, range, isBrief)
      // Kept even if it is larger than the cache: the caller reads it again at once.
      this.#logs.set(key, logs, Math.min(MAX_BYTES, key.length + sizeOfLogs(logs)))
    })
  }

  stateAt(number: number): StateReader | undefined {
    if (number === this.number) return this.state
    const known = this.#states.get(number)
    if (known !== undefined) return known
    const reading = this.#reading(number)
    if (reading === undefined) return undefined
    const { hash, header } = reading
    const state = this.#deps.stateAt({ chainId: this.#point.chainId, number, hash, stateRoot: header.stateRoot })
    this.#states.set(number, state, 1)
    return state
  }

  requireBlocks(from: number, to: number): void {
    const missing: number[] = []
    for (let number = Math.max(0, from); number <= Math.min(to, this.number); number++) {
      if (this.#blocks.get(number) === undefined || !this.#hasReceipts(number)) missing.push(number)
    }
    if (missing.length === 0) return
    throw new MissingStateError(`blocks ${missing[0]} to ${missing.at(-1)}`, async () => {
      for (let start = 0; start < missing.length; start += RANGE_BATCH) {
        await Promise.all(missing.slice(start, start + RANGE_BATCH).map((number) => this.#loadWithReceipts(number)))
      }
    })
  }

  requireHeaders(from: number, to: number): void {
    const missing: number[] = []
    for (let number = Math.max(0, from); number <= Math.min(to, this.number); number++) {
      if (this.#headers.get(number) === undefined) missing.push(number)
    }
    if (missing.length === 0) return
    throw new MissingStateError(`the headers of blocks ${missing[0]} to ${missing.at(-1)}`, async () => {
      await Promise.all(missing.map((number) => this.#loadHeader(number)))
    })
  }

  #has(number: number): boolean {
    return Number.isSafeInteger(number) && number >= 0 && number <= this.number
  }

  #hasReceipts(number: number): boolean {
    return this.#blocks.get(number)?.transactions.length === 0 || this.#receipts.get(number) !== undefined
  }

  #reading(number: number): HeaderReading | undefined {
    if (!this.#has(number)) return undefined
    const known = this.#headers.get(number)
    if (known !== undefined) return known
    throw new MissingStateError(`the header of block ${number}`, () => this.#loadHeader(number))
  }

  async #loadHeader(number: number): Promise<void> {
    const reading = await this.#deps.chain.header(number)
    if (reading !== undefined) this.#putHeader(reading)
  }

  async #loadBlock(number: number): Promise<Block | undefined> {
    const block = await this.#deps.chain.block(number)
    if (block !== undefined) this.#putBlock(block)
    return block
  }

  async #loadReceipts(block: Block): Promise<void> {
    const receipts = await this.#deps.chain.receipts(block)
    const logs = receipts.reduce((count, receipt) => count + receipt.logs.length, 0)
    this.#receipts.set(block.header.number, receipts, Math.min(MAX_BYTES, 700 * receipts.length + 400 * logs))
  }

  async #loadWithReceipts(number: number): Promise<void> {
    const block = await this.#loadBlock(number)
    if (block !== undefined && block.transactions.length > 0) await this.#loadReceipts(block)
  }

  #putHeader(reading: HeaderReading): void {
    const { number } = reading.header
    this.#headers.set(number, reading, HEADER_BYTES)
    this.#numbers.set(reading.hash, number, LOOK_UP_BYTES)
  }

  #putBlock(block: Block): void {
    const { header, hash } = block
    this.#putHeader({ header, hash, isVerified: block.foreign === undefined })
    this.#blocks.set(header.number, block, Math.min(MAX_BYTES, cachedBytes(block)))
    for (const [index, transaction] of block.transactions.entries()) {
      this.#locations.set(transaction.hash, { blockNumber: header.number, index }, LOOK_UP_BYTES)
    }
  }
}

/** Offline, a hash that the cache lacks counts as unknown: it may be that of an own transaction that is pending. */
async function unlessOffline<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ForkError && error.code === 'FORK_OFFLINE') return undefined
    throw error
  }
}

function sizeOfLogs(logs: readonly LogMatch[]): number {
  return logs.reduce((sum, { log }) => sum + 600 + log.data.length, 0)
}
