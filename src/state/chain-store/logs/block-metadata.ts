import type { LogMatch } from '../../../chain/receipt/log-query.ts'
import type { BoundedCache } from '../../../primitives/bounded-cache.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { hashInHeader, timestampInHeader } from '../encoding/block-values.ts'
import { CorruptValueError, checkedContent } from '../encoding/checked-value.ts'
import { blockKey } from '../encoding/keys.ts'
import type { TableName } from '../tables.ts'

/** What all logs of a block say of it. */
export type BlockMetadata = Pick<LogMatch, 'blockNumber' | 'blockHash' | 'blockTimestamp'>

/** Places of blocks that follow one another, by position; one is absent until it is asked for. */
export type MetadataChunk = (BlockMetadata | undefined)[]

/** By the hash of the last block in the chunk: it vouches for all blocks before it, whatever was reorganised. */
export type MetadataChunks = BoundedCache<Hash, MetadataChunk>

export const BLOCKS_PER_CHUNK = 64
/** In memory, about. */
const CHUNK_BYTES = 300 * BLOCKS_PER_CHUNK

interface Deps {
  readonly reader: KeyValueReader<TableName>
  readonly chunks: MetadataChunks
}

/** Hash and time of the blocks of one snapshot, without a look at each header. */
export class BlockMetadataReader {
  readonly #newest: number
  readonly #deps: Deps
  readonly #hashes = new Map<number, Hash>()
  #chunk: MetadataChunk = []
  #chunkNumber = -1

  constructor({ newest }: { readonly newest: number }, deps: Deps) {
    this.#newest = newest
    this.#deps = deps
  }

  /** @throws CorruptValueError also when there is no such block */
  of(number: number): BlockMetadata {
    const chunkNumber = Math.floor(number / BLOCKS_PER_CHUNK)
    if (chunkNumber !== this.#chunkNumber) {
      this.#chunk = this.#chunkAt(chunkNumber)
      this.#chunkNumber = chunkNumber
    }
    const index = number % BLOCKS_PER_CHUNK
    this.#chunk[index] ??= this.#read(number)
    return this.#chunk[index]
  }

  clear(): void {
    this.#hashes.clear()
    this.#chunk = []
    this.#chunkNumber = -1
  }

  #chunkAt(chunkNumber: number): MetadataChunk {
    const last = Math.min((chunkNumber + 1) * BLOCKS_PER_CHUNK - 1, this.#newest)
    let hash = this.#hashes.get(last)
    if (hash === undefined) {
      hash = hashInHeader(this.#header(last))
      this.#hashes.set(last, hash)
    }
    const { chunks } = this.#deps
    const known = chunks.get(hash)
    if (known !== undefined) return known
    // As long as it is going to be: a list that grows from its end is slower to read.
    const chunk: MetadataChunk = new Array(BLOCKS_PER_CHUNK).fill(undefined)
    chunks.set(hash, chunk, CHUNK_BYTES)
    return chunk
  }

  #read(blockNumber: number): BlockMetadata {
    const content = this.#header(blockNumber)
    return { blockNumber, blockHash: hashInHeader(content), blockTimestamp: timestampInHeader(content) }
  }

  /** To be decoded at once. */
  #header(number: number): Bytes {
    const key = blockKey(number)
    const value = this.#deps.reader.peek('headers', key)
    if (value === undefined) throw new CorruptValueError('headers', key, 'is missing')
    return checkedContent('headers', key, value)
  }
}
