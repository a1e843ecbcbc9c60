import type { Bytes } from '../../primitives/hex.ts'
import type { WriteOperation } from '../../storage/write-batch.ts'
import type { TableName } from './tables.ts'

/**
 * What a change of the chain writes. It is made as a lazy sequence, so that whoever collects it can let others have
 * their turn in between.
 */
export type Write = WriteOperation<TableName>

export function put(table: TableName, key: Bytes, value: Bytes): Write {
  return { table, key, value }
}

export function remove(table: TableName, key: Bytes): Write {
  return { table, key, value: undefined }
}

/** No bytes stand for nothing, which is not stored. */
export function putOrRemove(table: TableName, key: Bytes, value: Bytes): Write {
  return value.length === 0 ? remove(table, key) : put(table, key, value)
}
