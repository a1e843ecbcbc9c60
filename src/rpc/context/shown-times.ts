import type { Clock } from '../../node/core/clock.ts'
import type { NodeEventEmitter, NodeEvents } from '../../node/view/events.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Blocks whose times are kept: about half an hour of blocks of two seconds. */
const MAX_SHOWN_BLOCKS = 1_024
/**
 * Flashblocks whose times are kept, of all blocks together. A flashblock takes about 200 bytes with its hash, so that
 * the times take at most 4 MB, however many flashblocks a block has.
 */
const MAX_SHOWN_FLASHBLOCKS = 16_384

/** A transaction by its place in a block that a view has. */
export interface ShownPlace {
  readonly blockNumber: number
  /** Of the sealed block, or of the open block so far. */
  readonly blockHash: Hash
  /** Position in the block. */
  readonly index: number
}

/** When this process showed a transaction, in Unix milliseconds; `undefined` where it does not know. */
export interface ShownTransaction {
  /** Index of the flashblock that includes it. */
  readonly flashblock: number | undefined
  readonly preconfirmedAt: number | undefined
  readonly sealedAt: number | undefined
}

interface ShownFlashblock {
  readonly index: number
  /** Of the block so far. */
  readonly hash: Hash
  /** Positions of its transactions in the block: from `first`, below `end`. */
  readonly first: number
  readonly end: number
  readonly at: number
}

interface ShownBlock {
  /** Consecutive, oldest first; the first ones may be missing. */
  readonly flashblocks: ShownFlashblock[]
  seal: { readonly hash: Hash; readonly at: number } | undefined
}

/**
 * When this process showed the flashblocks and seals of recent blocks. Times are found by the hash of the block, so
 * those of an unwound block are never given for the block that replaced it.
 */
export class ShownTimes {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #maxBlocks: number
  readonly #maxFlashblocks: number
  /** By block number, oldest first. */
  readonly #blocks = new Map<number, ShownBlock>()
  /** Flashblocks of all blocks. */
  #flashblockCount = 0

  constructor(
    {
      maxBlocks = MAX_SHOWN_BLOCKS,
      maxFlashblocks = MAX_SHOWN_FLASHBLOCKS,
    }: { readonly maxBlocks?: number; readonly maxFlashblocks?: number },
    { events, clock }: { readonly events: NodeEventEmitter; readonly clock: Pick<Clock, 'wall'> },
  ) {
    this.#maxBlocks = maxBlocks
    this.#maxFlashblocks = maxFlashblocks
    this.#clock = clock
    events.on('flashblock', (event) => this.#onFlashblock(event))
    events.on('sealed', (event) => this.#onSealed(event))
  }

  of({ blockNumber, blockHash, index }: ShownPlace): ShownTransaction {
    const shown = this.#blocks.get(blockNumber)
    const { flashblocks = [], seal } = shown ?? {}
    // Flashblocks only append transactions: one hash proves the places of all transactions before it.
    const isSame = flashblocks.some(({ hash }) => hash === blockHash)
    const found = isSame ? flashblocks.find(({ first, end }) => first <= index && index < end) : undefined
    return {
      flashblock: found?.index,
      preconfirmedAt: found?.at,
      sealedAt: seal?.hash === blockHash ? seal.at : undefined,
    }
  }

  #onFlashblock({ layer }: NodeEvents['flashblock'][0]): void {
    const { header, hash, index, firstTransaction: first, transactions } = layer
    const { flashblocks } = this.#at(header.number, index === 0)
    flashblocks.push({ index, hash, first, end: first + transactions.length, at: this.#clock.wall() })
    this.#flashblockCount += 1
    this.#evict()
  }

  #onSealed({ block: { header, hash } }: NodeEvents['sealed'][0]): void {
    this.#at(header.number, false).seal = { hash, at: this.#clock.wall() }
  }

  #at(number: number, isNew: boolean): ShownBlock {
    const before = this.#blocks.get(number)
    if (before !== undefined && !isNew) return before
    const shown: ShownBlock = { flashblocks: [], seal: undefined }
    this.#forget(number)
    this.#blocks.set(number, shown)
    this.#evict()
    return shown
  }

  /** Forgets the oldest blocks beyond the bounds, but never the newest block. */
  #evict(): void {
    for (const number of this.#blocks.keys()) {
      const isBounded = this.#blocks.size <= this.#maxBlocks && this.#flashblockCount <= this.#maxFlashblocks
      if (isBounded || this.#blocks.size === 1) return
      this.#forget(number)
    }
  }

  #forget(number: number): void {
    this.#flashblockCount -= this.#blocks.get(number)?.flashblocks.length ?? 0
    this.#blocks.delete(number)
  }
}
