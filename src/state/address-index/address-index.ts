import { join } from 'node:path'
import { type Address, type Bytes, type Hash, hexToBytes, hexWithin } from '../../primitives/hex.ts'
import { type KeyValueReader, type KeyValueStore, withSnapshot } from '../../storage/key-value.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { blockKey, heightIn } from '../chain-store/encoding/keys.ts'

/** Folder of the index in the data directory of a chain. It can be deleted: it is built again. */
const FOLDER = 'addresses'
const TABLES = ['blocks', 'appearances'] as const
type Table = (typeof TABLES)[number]

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
const HEIGHT_BYTES = 6
const INDEX_BYTES = 4
/** Entries of one read. */
const PAGE = 256

/** The transactions of a block in which an address appears. */
interface BlockAppearances {
  readonly number: number
  /** The block that was indexed; a reorganisation may have replaced it. */
  readonly hash: Hash
  /** Positions in the block, ascending. */
  readonly indexes: readonly number[]
}

interface AppearanceRange {
  readonly address: Address
  /** The first block of the search. */
  readonly start: number
  readonly direction: 'older' | 'newer'
}

/**
 * The blocks in which each address appears, in a database beside that of the chain. A search costs what it finds,
 * whatever the length of the chain. Entries of replaced blocks stay until their height is indexed again, so readers
 * compare hashes.
 */
export class AddressIndex {
  readonly #store: KeyValueStore<Table>

  private constructor(store: KeyValueStore<Table>) {
    this.#store = store
  }

  /**
   * @param directory of the chain
   * @throws StorageError when there is none to read
   */
  static open(directory: string, { readOnly }: { readonly readOnly: boolean }): AddressIndex {
    // What is lost with the power is indexed again.
    return new AddressIndex(openLmdbStore({ path: join(directory, FOLDER), tables: TABLES, readOnly, sync: false }))
  }

  /** The newest indexed block; -1: none. */
  get newest(): number {
    return withSnapshot(this.#store, newestIn)
  }

  /** The hash of an indexed block. */
  hashOf(number: number): Hash | undefined {
    return this.#block(number)?.hash
  }

  /**
   * The lowest block from which on all blocks up to this one are indexed. Blocks whose state was pruned before they
   * could be indexed leave a gap.
   */
  oldestBelow(number: number): number | undefined {
    return this.#block(number)?.oldest
  }

  #block(number: number): { readonly hash: Hash; readonly oldest: number } | undefined {
    if (number < 0) return undefined
    const value = withSnapshot(this.#store, (reader) => reader.get('blocks', blockKey(number)))
    if (value === undefined) return undefined
    const hash = hexWithin(value, 0, HASH_BYTES) as Hash
    return { hash, oldest: Buffer.from(value).readUIntBE(HASH_BYTES, HEIGHT_BYTES) }
  }

  /** Adds a block, which becomes the newest one: later ones are removed. */
  async write(number: number, hash: Hash, appearances: ReadonlyMap<Address, readonly number[]>): Promise<void> {
    const batch = new WriteBatch<Table>()
    for (let later = this.newest; later > number; later--) batch.delete('blocks', blockKey(later))
    const block = Buffer.alloc(HASH_BYTES + HEIGHT_BYTES)
    block.set(hexToBytes(hash))
    block.writeUIntBE(this.oldestBelow(number - 1) ?? number, HASH_BYTES, HEIGHT_BYTES)
    batch.put('blocks', blockKey(number), block)
    for (const [address, indexes] of appearances) {
      const value = Buffer.alloc(HASH_BYTES + INDEX_BYTES * indexes.length)
      value.set(hexToBytes(hash))
      for (const [at, index] of indexes.entries()) value.writeUInt32BE(index, HASH_BYTES + INDEX_BYTES * at)
      batch.put('appearances', appearanceKey(address, number), value)
    }
    await this.#store.commit(batch)
  }

  /** Blocks from `start` on, read in pages. */
  *find({ address, start, direction }: AppearanceRange): Generator<BlockAppearances> {
    const isOlder = direction === 'older'
    let next = start
    for (;;) {
      const range = isOlder
        ? { from: appearanceKey(address, 0), to: appearanceKey(address, next + 1), reverse: true, limit: PAGE }
        : { from: appearanceKey(address, next), to: appearanceKey(address, Number.MAX_SAFE_INTEGER), limit: PAGE }
      const page = withSnapshot(this.#store, (reader) =>
        Array.from(reader.range('appearances', range), ({ key, value }) => decode(key, value)),
      )
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      next = isOlder ? last.number - 1 : last.number + 1
    }
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

function newestIn(reader: KeyValueReader<Table>): number {
  const [last] = reader.range('blocks', { reverse: true, limit: 1 })
  return last === undefined ? -1 : heightIn(last.key)
}

function appearanceKey(address: Address, number: number): Bytes {
  return Buffer.concat([hexToBytes(address), blockKey(number)])
}

function decode(key: Bytes, value: Bytes): BlockAppearances {
  const bytes = Buffer.from(value)
  const count = (bytes.length - HASH_BYTES) / INDEX_BYTES
  return {
    number: heightIn(key, ADDRESS_BYTES),
    hash: hexWithin(bytes, 0, HASH_BYTES) as Hash,
    indexes: Array.from({ length: count }, (_, at) => bytes.readUInt32BE(HASH_BYTES + INDEX_BYTES * at)),
  }
}
