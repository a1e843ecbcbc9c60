import type { Bytes } from '../primitives/hex.ts'
import { StorageError } from './storage-error.ts'

/** Maximum key length in LMDB's pages of 4096 bytes. */
export const MAXIMUM_KEY_BYTES = 1978

export interface WriteOperation<Table extends string = string> {
  readonly table: Table
  readonly key: Bytes
  /** `undefined` deletes the key. */
  readonly value: Bytes | undefined
}

/** Content of a batch that is closed for additions. */
export interface SealedBatch<Table extends string = string> {
  readonly size: number
  /** Tables that it writes to. */
  readonly tables: readonly Table[]
  /** Iterates over the operations in order; the byte arrays are reused. */
  forEach(apply: (table: Table, key: Bytes, value: Bytes | undefined) => void): void
}

/** Operations are packed into chunks of this size. */
const PIECE_BYTES = 64 * 1024
/** Larger values are not copied. */
const COPIED_BYTES = 4 * 1024
/** Header of an operation: table, key length, and value length or a marker. */
const HEAD_BYTES = 8
const DELETED = 0xffff_ffff
const KEPT = 0xffff_fffe
/** Below this, a loop is faster than a call into the runtime. */
const FEW_BYTES = 24

/**
 * Puts and deletes over several tables for one atomic commit; a later operation on a key overrides an earlier one. A
 * block yields tens of thousands over many event loop turns. They are packed into chunks: objects would live long
 * enough for the garbage collector to move each of them twice. Values above 4 KiB are not copied and must not change
 * until the commit resolves.
 *
 * @example const batch = new WriteBatch<TableName>(); batch.put('headers', key, header); await store.commit(batch)
 */
export class WriteBatch<Table extends string = string> {
  readonly #tables: Table[] = []
  readonly #pieces: { readonly bytes: Buffer; end: number }[] = []
  /** Values that are not copied, in order. */
  readonly #kept: Bytes[] = []
  #size = 0
  #sealed = false

  get size(): number {
    return this.#size
  }

  /** @throws StorageError `INVALID_KEY` unless the key has 1 to 1978 bytes */
  put(table: Table, key: Bytes, value: Bytes): void {
    this.add({ table, key, value })
  }

  /** Deleting a missing key is allowed. */
  delete(table: Table, key: Bytes): void {
    this.add({ table, key, value: undefined })
  }

  /** A put or a delete; throws like `put`. */
  add({ table, key, value }: WriteOperation<Table>): void {
    if (this.#sealed) throw new Error('the batch was handed over to be committed: begin a new one')
    // Rejected here: a store that finds it during a commit would have written half of the batch.
    const { length } = key
    if (length === 0 || length > MAXIMUM_KEY_BYTES) {
      throw new StorageError('INVALID_KEY', `a key has 1 to ${MAXIMUM_KEY_BYTES} bytes, got ${length}`)
    }
    const isKept = value !== undefined && value.length > COPIED_BYTES
    const copied = value === undefined || isKept ? undefined : value
    const piece = this.#pieceFor(HEAD_BYTES + length + (copied?.length ?? 0))
    const { bytes } = piece
    bytes.writeUInt16LE(this.#numberOf(table), piece.end)
    bytes.writeUInt16LE(length, piece.end + 2)
    bytes.writeUInt32LE(copied?.length ?? (isKept ? KEPT : DELETED), piece.end + 4)
    piece.end = copy(key, bytes, piece.end + HEAD_BYTES)
    if (copied !== undefined) piece.end = copy(copied, bytes, piece.end)
    if (isKept) this.#kept.push(value)
    this.#size += 1
  }

  /** Closes the batch for additions. */
  seal(): SealedBatch<Table> {
    this.#sealed = true
    return { size: this.#size, tables: this.#tables, forEach: (apply) => this.#forEach(apply) }
  }

  #forEach(apply: (table: Table, key: Bytes, value: Bytes | undefined) => void): void {
    let kept = 0
    for (const { bytes, end } of this.#pieces) {
      for (let at = 0; at < end; ) {
        const table = this.#tables[bytes.readUInt16LE(at)]!
        const length = bytes.readUInt32LE(at + 4)
        const keyEnd = at + HEAD_BYTES + bytes.readUInt16LE(at + 2)
        const key = bytes.subarray(at + HEAD_BYTES, keyEnd)
        const isCopied = length < KEPT
        at = isCopied ? keyEnd + length : keyEnd
        if (isCopied) apply(table, key, bytes.subarray(keyEnd, at))
        else apply(table, key, length === KEPT ? this.#kept[kept++] : undefined)
      }
    }
  }

  #pieceFor(room: number) {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.end + room <= PIECE_BYTES) return last
    const piece = { bytes: Buffer.allocUnsafeSlow(PIECE_BYTES), end: 0 }
    this.#pieces.push(piece)
    return piece
  }

  #numberOf(table: Table): number {
    const known = this.#tables.indexOf(table)
    return known === -1 ? this.#tables.push(table) - 1 : known
  }
}

/** @returns the end of the copy */
function copy(source: Bytes, target: Buffer, at: number): number {
  const { length } = source
  if (length > FEW_BYTES) target.set(source, at)
  else for (let index = 0; index < length; index++) target[at + index] = source[index]!
  return at + length
}
