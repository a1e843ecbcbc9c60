import type { LogMatch } from '../../../chain/receipt/log-query.ts'
import type { BoundedCache } from '../../../primitives/bounded-cache.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { hashInHeader, timestampInHeader } from '../encoding/block-values.ts'
import { CorruptValueError, checkedContent } from '../encoding/checked-value.ts'
import { blockKey } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

/** Block members of a log entry. */
export type BlockMetadata = Pick<LogMatch, 'blockNumber' | 'blockHash' | 'blockTimestamp'>

/** Consecutive blocks by position; absent until read. */
export type MetadataChunk = (BlockMetadata | undefined)[]

/** Keyed by the hash of the last block in the chunk, which commits to the blocks before it. */
export type MetadataChunks = BoundedCache<Hash, MetadataChunk>

const BLOCKS_PER_CHUNK = 64
/** Estimated memory. */
const CHUNK_BYTES = 300 * BLOCKS_PER_CHUNK

interface Deps {
  readonly reader: KeyValueReader<TableName>
  readonly chunks: MetadataChunks
}

/** Hash and timestamp of the blocks of one snapshot, cached in chunks so that headers are not decoded per log. */
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
    // Allocated at full length: a growing array is slower to read.
    const chunk: MetadataChunk = new Array(BLOCKS_PER_CHUNK).fill(undefined)
    chunks.set(hash, chunk, CHUNK_BYTES)
    return chunk
  }

  #read(blockNumber: number): BlockMetadata {
    const content = this.#header(blockNumber)
    return { blockNumber, blockHash: hashInHeader(content), blockTimestamp: timestampInHeader(content) }
  }

  /** Must be decoded before the next read. */
  #header(number: number): Bytes {
    const key = blockKey(number)
    const value = this.#deps.reader.peek('headers', key)
    if (value === undefined) throw new CorruptValueError('headers', key, 'is missing')
    return checkedContent('headers', key, value)
  }
}
