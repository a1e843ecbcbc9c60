import { crc32 } from 'node:zlib'
import { type Bytes, bytesToHex } from '../../../primitives/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem, type RlpSource } from '../../../primitives/rlp.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { TableName } from './tables.ts'

/** A stored value fails its checksum or does not decode. */
export class CorruptValueError extends Error {
  readonly code = 'CORRUPT_VALUE'
  override readonly name = 'CorruptValueError'
  readonly table: TableName
  readonly key: Bytes
  /** Completes a sentence that starts with table and key. */
  readonly reason: string

  constructor(table: TableName, key: Bytes, reason: string) {
    super(
      `the database is damaged: table ${table}, key ${bytesToHex(key)} ${reason}; restore the data directory from a copy, or remove it and import the chain again`,
    )
    this.table = table
    this.key = key
    this.reason = reason
  }
}

const CHECKSUM_BYTES = 4

/** An item's RLP behind its CRC-32: LMDB has no checksums. */
export function encodeChecked(item: RlpSource): Bytes {
  return withChecksum(encodeRlp(item))
}

/** The content of `parts` behind its checksum. */
export function withChecksum(...parts: readonly Bytes[]): Bytes {
  const length = parts.reduce((sum, part) => sum + part.length, CHECKSUM_BYTES)
  const value = Buffer.allocUnsafe(length)
  let end = CHECKSUM_BYTES
  for (const part of parts) {
    value.set(part, end)
    end += part.length
  }
  value.writeUInt32BE(crc32(value.subarray(CHECKSUM_BYTES)))
  return value
}

/**
 * The bytes behind the checksum.
 *
 * @throws CorruptValueError when it does not match
 */
export function checkedContent(table: TableName, key: Bytes, value: Bytes): Bytes {
  const content = value.subarray(CHECKSUM_BYTES)
  const checksum = Buffer.from(value.buffer, value.byteOffset, value.length)
  if (value.length < CHECKSUM_BYTES || checksum.readUInt32BE() !== crc32(content)) {
    throw new CorruptValueError(table, key, 'does not match its checksum')
  }
  return content
}

/**
 * Decodes a value of `encodeChecked`; `undefined` for a missing key.
 *
 * @throws CorruptValueError
 */
export function readChecked(reader: KeyValueReader<TableName>, table: TableName, key: Bytes): RlpItem | undefined {
  const value = reader.get(table, key)
  return value === undefined ? undefined : decodeRlp(checkedContent(table, key, value))
}
