import type { Bytes } from '../primitives/hex.ts'
import { StorageError } from './storage-error.ts'

/** What LMDB's pages of 4096 bytes have room for, in bytes. */
export const MAXIMUM_KEY_BYTES = 1978

export interface WriteOperation<Table extends string = string> {
  readonly table: Table
  readonly key: Bytes
  /** `undefined` deletes the key. */
  readonly value: Bytes | undefined
}

/** What a batch holds when nothing is added any more. */
export interface SealedBatch<Table extends string = string> {
  readonly size: number
  /** Those that it writes to. */
  readonly tables: readonly Table[]
  /** Tells the operations in their order; the same bytes each time. */
  forEach(apply: (table: Table, key: Bytes, value: Bytes | undefined) => void): void
}

/** Operations stand side by side in pieces of so many bytes. */
const PIECE_BYTES = 64 * 1024
/** What is larger is not copied. */
const COPIED_BYTES = 4 * 1024
/** Of an operation: table, length of the key, and of the value or one of these. */
const HEAD_BYTES = 8
const DELETED = 0xffff_ffff
const KEPT = 0xffff_fffe
/** Below that a loop is faster than a call of the runtime. */
const FEW_BYTES = 24

/**
 * Puts and deletes over several tables, for one atomic commit. A later operation on a key overrules an earlier one. A block
 * brings tens of thousands, over many turns: they are copied into a few pieces of memory, as objects for each would wait for
 * the commit long enough for the garbage collector to move all of them twice. Values of more than 4 KiB are not copied: they
 * must stay as they are until the commit has resolved.
 *
 * @example const batch = new WriteBatch<TableName>(); batch.put('headers', key, header); await store.commit(batch)
 */
export class WriteBatch<Table extends string = string> {
  readonly #tables: Table[] = []
  readonly #pieces: { readonly bytes: Buffer; end: number }[] = []
  /** Values that are not copied, in the order of their operations. */
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

  /** Deleting what is not there is fine. */
  delete(table: Table, key: Bytes): void {
    this.add({ table, key, value: undefined })
  }

  /** A put or a delete; errors as `put`. */
  add({ table, key, value }: WriteOperation<Table>): void {
    if (this.#sealed) throw new Error('the batch was handed over to be committed: begin a new one')
    // Refused here, since a store that finds it half-way through a commit has written the first half.
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

  /** For the store: none can be added from now on. */
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

/** @returns where the copy ends */
function copy(source: Bytes, target: Buffer, at: number): number {
  const { length } = source
  if (length > FEW_BYTES) target.set(source, at)
  else for (let index = 0; index < length; index++) target[at + index] = source[index]!
  return at + length
}
