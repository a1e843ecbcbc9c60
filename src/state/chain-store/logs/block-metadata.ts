import type { FoundLog } from '../../../chain/receipt/log-query.ts'
import type { BoundedCache } from '../../../primitives/bounded-cache.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { hashInHeader, timestampInHeader } from '../encoding/block-values.ts'
import { CorruptValueError, checkedContent } from '../encoding/checked-value.ts'
import { blockKey } from '../encoding/keys.ts'
import type { TableName } from '../tables.ts'

/** What all logs of a block say of it. */
export type BlockPlace = Pick<FoundLog, 'blockNumber' | 'blockHash' | 'blockTimestamp'>

/** Places of blocks that follow one another, by position; one is absent until it is asked for. */
export type PlaceChunk = (BlockPlace | undefined)[]

/** By the hash of the last block in the chunk: it vouches for all blocks before it, whatever was reorganised. */
export type PlaceChunks = BoundedCache<Hash, PlaceChunk>

export const BLOCKS_PER_CHUNK = 64
/** In memory, about. */
const CHUNK_BYTES = 300 * BLOCKS_PER_CHUNK

interface Parts {
  readonly reader: KeyValueReader<TableName>
  readonly chunks: PlaceChunks
}

/** Hash and time of the blocks of one snapshot, without a look at each header. */
export class BlockPlaces {
  readonly #newest: number
  readonly #parts: Parts
  readonly #hashes = new Map<number, Hash>()
  #chunk: PlaceChunk = []
  #chunkNumber = -1

  constructor({ newest }: { readonly newest: number }, parts: Parts) {
    this.#newest = newest
    this.#parts = parts
  }

  /** @throws CorruptValueError also when there is no such block */
  of(number: number): BlockPlace {
    const chunkNumber = Math.floor(number / BLOCKS_PER_CHUNK)
    if (chunkNumber !== this.#chunkNumber) {
      this.#chunk = this.#chunkAt(chunkNumber)
      this.#chunkNumber = chunkNumber
    }
    const index = number % BLOCKS_PER_CHUNK
    this.#chunk[index] ??= this.#read(number)
    return this.#chunk[index]
  }

  forget(): void {
    this.#hashes.clear()
    this.#chunk = []
    this.#chunkNumber = -1
  }

  #chunkAt(chunkNumber: number): PlaceChunk {
    const last = Math.min((chunkNumber + 1) * BLOCKS_PER_CHUNK - 1, this.#newest)
    let hash = this.#hashes.get(last)
    if (hash === undefined) {
      hash = hashInHeader(this.#header(last))
      this.#hashes.set(last, hash)
    }
    const { chunks } = this.#parts
    const known = chunks.get(hash)
    if (known !== undefined) return known
    // As long as it is going to be: a list that grows from its end is slower to read.
    const chunk: PlaceChunk = new Array(BLOCKS_PER_CHUNK).fill(undefined)
    chunks.set(hash, chunk, CHUNK_BYTES)
    return chunk
  }

  #read(blockNumber: number): BlockPlace {
    const content = this.#header(blockNumber)
    return { blockNumber, blockHash: hashInHeader(content), blockTimestamp: timestampInHeader(content) }
  }

  /** To be decoded at once. */
  #header(number: number): Bytes {
    const key = blockKey(number)
    const value = this.#parts.reader.peek('headers', key)
    if (value === undefined) throw new CorruptValueError('headers', key, 'is missing')
    return checkedContent('headers', key, value)
  }
}
