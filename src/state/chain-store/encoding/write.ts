import type { Bytes } from '../../../primitives/hex.ts'
import type { WriteOperation } from '../../../storage/write-batch.ts'
import type { TableName } from './tables.ts'

/** A write of a chain update. Updates are lazy sequences, so that the consumer can yield in between. */
export type Write = WriteOperation<TableName>

export function put(table: TableName, key: Bytes, value: Bytes): Write {
  return { table, key, value }
}

export function remove(table: TableName, key: Bytes): Write {
  return { table, key, value: undefined }
}

/** An empty value means absence and is not stored. */
export function putOrRemove(table: TableName, key: Bytes, value: Bytes): Write {
  return value.length === 0 ? remove(table, key) : put(table, key, value)
}
