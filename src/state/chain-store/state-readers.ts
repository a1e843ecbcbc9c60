import { type Address, type Bytes, EMPTY_BYTES, type Hash, hexToBytes, ZERO_HASH } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import type { KeyValueReader } from '../../storage/key-value.ts'
import type { TableName } from '../../storage/tables.ts'
import type { Account } from '../account.ts'
import type { StateReader } from '../state-reader.ts'
import { decodeAccount } from './account-value.ts'
import { historyKey, slotKey, startsWith } from './keys.ts'

/** Where the readers below look, and which block they are after. */
export interface StateReaderParts {
  readonly reader: KeyValueReader<TableName>
  readonly number: number
  /** `undefined` where no such block is known. */
  readonly blockHash: (number: number) => Hash | undefined
}

/** The state at the tip: one look-up per item. */
export function tipState({ reader, number, blockHash }: StateReaderParts): StateReader {
  return {
    account: (address) => decodeAccount(reader.get('accounts', hexToBytes(address))),
    storage: (address, slot) => bytesToBigint(reader.get('storage', slotKey(address, slot)) ?? EMPTY_BYTES),
    code: (hash) => codeOf(reader, hash),
    blockHash: (wanted) => (wanted <= number ? (blockHash(wanted) ?? ZERO_HASH) : ZERO_HASH),
  }
}

/** The state after an older block: one seek per item. */
export function stateAfter(parts: StateReaderParts): StateReader {
  const { reader, number } = parts
  return {
    ...tipState(parts),
    account: (address) => accountAfter(reader, address, number),
    storage: (address, slot) =>
      bytesToBigint(valueAfter(reader, 'storageHistory', slotKey(address, slot), number) ?? EMPTY_BYTES),
  }
}

/** The account after a block. */
export function accountAfter(reader: KeyValueReader<TableName>, address: Address, number: number): Account | undefined {
  return decodeAccount(valueAfter(reader, 'accountHistory', hexToBytes(address), number))
}

function valueAfter(
  reader: KeyValueReader<TableName>,
  table: 'accountHistory' | 'storageHistory',
  item: Bytes,
  number: number,
): Bytes | undefined {
  const entry = reader.seek(table, historyKey(item, number))
  return entry !== undefined && startsWith(entry.key, item) ? entry.value : undefined
}

function codeOf(reader: KeyValueReader<TableName>, hash: Hash): Bytes {
  return reader.get('code', hexToBytes(hash)) ?? EMPTY_BYTES
}
