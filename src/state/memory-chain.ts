import type { Block } from '../chain/block.ts'
import { logsOfBlock } from '../chain/block-logs.ts'
import type { FoundLog, LogQuery } from '../chain/log-query.ts'
import type { Receipt } from '../chain/receipt.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, type Slot, ZERO_HASH } from '../primitives/hex.ts'
import type { Account } from './account.ts'
import { bloomTest } from './bloom-query.ts'
import { MemoryHistory } from './memory-history.ts'
import type { Snapshot, TransactionPlace } from './snapshot.ts'
import type { StateDiff } from './state-diff.ts'
import type { StateReader } from './state-reader.ts'
import type { StateTrie } from './trie/state-trie.ts'

/** State tries of so many blocks are kept, and the one of genesis: they share nodes, but old ones pin old nodes. */
export const KEPT_TRIES = 128

/** A block that does not continue the chain; the chain is as it was. */
export class BlockOutOfOrderError extends Error {
  readonly code = 'BLOCK_OUT_OF_ORDER'
  override readonly name = 'BlockOutOfOrderError'
}

/**
 * The sealed chain from genesis on, in memory. It only grows, so a snapshot is a height and costs nothing to take.
 *
 * @example
 * const chain = new MemoryChain()
 * chain.append(genesis, [], diff, createStateTrie().apply(diff))
 * chain.snapshot().stateAt(0)
 */
export class MemoryChain {
  readonly #chain: Chain = {
    blocks: [],
    receipts: [],
    numbers: new Map(),
    places: new Map(),
    history: new MemoryHistory(),
    tries: new Map(),
  }

  /**
   * Adds the next sealed block, genesis first, with what it changed and the state trie after it.
   *
   * @throws BlockOutOfOrderError when the block is not the next one or its parent is not the newest one
   */
  append(block: Block, receipts: readonly Receipt[], diff: StateDiff, trie: StateTrie): void {
    const { blocks, numbers, places, history, tries } = this.#chain
    const { number, parentHash } = block.header
    if (number !== blocks.length) {
      throw new BlockOutOfOrderError(`block ${blocks.length} comes next, got block ${number}`)
    }
    if (number > 0 && parentHash !== blocks[number - 1]!.hash) {
      throw new BlockOutOfOrderError(`block ${number} has the parent ${parentHash}, not ${blocks[number - 1]!.hash}`)
    }
    blocks.push(block)
    this.#chain.receipts.push(receipts)
    numbers.set(block.hash, number)
    for (const [index, { hash }] of block.transactions.entries()) places.set(hash, { blockNumber: number, index })
    history.append(number, diff)
    tries.set(number, trie)
    if (number > KEPT_TRIES) tries.delete(number - KEPT_TRIES)
  }

  /**
   * All that is known now; blocks added later do not show.
   *
   * @throws BlockOutOfOrderError when not even genesis is there
   */
  snapshot(): Snapshot {
    if (this.#chain.blocks.length === 0) throw new BlockOutOfOrderError('the chain is empty: append genesis first')
    return new MemorySnapshot(this.#chain, this.#chain.blocks.length - 1)
  }
}

interface Chain {
  readonly blocks: Block[]
  readonly receipts: (readonly Receipt[])[]
  readonly numbers: Map<Hash, number>
  readonly places: Map<Hash, TransactionPlace>
  readonly history: MemoryHistory
  readonly tries: Map<number, StateTrie>
}

class MemorySnapshot implements Snapshot {
  readonly number: number
  readonly #chain: Chain

  constructor(chain: Chain, number: number) {
    this.#chain = chain
    this.number = number
  }

  retain(): void {}

  release(): void {}

  block(number: number): Block | undefined {
    return number <= this.number ? this.#chain.blocks[number] : undefined
  }

  receipts(number: number): readonly Receipt[] | undefined {
    return number <= this.number ? this.#chain.receipts[number] : undefined
  }

  blockNumber(hash: Hash): number | undefined {
    const number = this.#chain.numbers.get(hash)
    return number !== undefined && number <= this.number ? number : undefined
  }

  transactionPlace(hash: Hash): TransactionPlace | undefined {
    const place = this.#chain.places.get(hash)
    return place !== undefined && place.blockNumber <= this.number ? place : undefined
  }

  stateAt(number: number): StateReader | undefined {
    return this.block(number) === undefined ? undefined : new MemoryState(this.#chain, number)
  }

  *logs(query: LogQuery, from: number, to: number): Iterable<FoundLog> {
    const mayMatch = bloomTest(query)
    for (let number = Math.max(0, from); number <= Math.min(to, this.number); number++) {
      const block = this.#chain.blocks[number]!
      if (mayMatch(block.header.logsBloom)) yield* logsOfBlock(query, block, this.#chain.receipts[number]!)
    }
  }

  trieAt(number: number): StateTrie | undefined {
    return number <= this.number ? this.#chain.tries.get(number) : undefined
  }
}

class MemoryState implements StateReader {
  readonly #chain: Chain
  readonly #number: number

  constructor(chain: Chain, number: number) {
    this.#chain = chain
    this.#number = number
  }

  account(address: Address): Account | undefined {
    return this.#chain.history.account(address, this.#number)
  }

  storage(address: Address, slot: Slot): bigint {
    return this.#chain.history.storage(address, slot, this.#number)
  }

  code(hash: Hash): Bytes {
    return this.#chain.history.code(hash) ?? EMPTY_BYTES
  }

  blockHash(number: number): Hash {
    return number <= this.#number ? (this.#chain.blocks[number]?.hash ?? ZERO_HASH) : ZERO_HASH
  }
}
