import { type Address, type Bytes, EMPTY_BYTES, type Hash, hexToBytes, ZERO_HASH } from '../../../primitives/hex.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { Account } from '../../account.ts'
import type { ChainBelow } from '../../chain-below.ts'
import type { StateReader } from '../../state-reader.ts'
import { decodeAccountValue } from '../encoding/account-value.ts'
import { clearedKey, historyKey, slotKey, startsWith, withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

/** Length of address and slot. */
const SLOT_KEY_BYTES = 20 + 32

/** Source of the readers below, and the block whose state they read. */
export interface StateReaderDeps {
  readonly reader: KeyValueReader<TableName>
  readonly number: number
  /** `undefined` for an unknown block. */
  readonly blockHash: (number: number) => Hash | undefined
}

/** The state at the tip: one look-up per item. */
export function tipState({ reader, number, blockHash }: StateReaderDeps): StateReader {
  return {
    account: (address) => decodeAccountValue(reader.get('accounts', hexToBytes(address))),
    storage: (address, slot) => bytesToBigint(reader.get('storage', slotKey(address, slot)) ?? EMPTY_BYTES),
    hasStorage: (address) => hasSlots(reader, address),
    code: (hash) => codeOf(reader, hash),
    blockHash: (wanted) => (wanted <= number ? (blockHash(wanted) ?? ZERO_HASH) : ZERO_HASH),
  }
}

/** The state after an older block: one seek per item. */
export function historicalState(deps: StateReaderDeps): StateReader {
  const { reader, number } = deps
  return {
    ...tipState(deps),
    account: (address) => accountAfter(reader, address, number),
    storage: (address, slot) =>
      bytesToBigint(valueAfter(reader, 'storageHistory', slotKey(address, slot), number) ?? EMPTY_BYTES),
    hasStorage: (address) => hadSlots(reader, address, number),
  }
}

/**
 * The state after a block of a store that begins on a fork block: what no own block changed is that of the fork block.
 * History alone is read, because it also has what was deleted.
 */
export function forkedState(deps: StateReaderDeps, below: ChainBelow): StateReader {
  const { reader, number, blockHash } = deps
  const isCleared = (address: Address) =>
    valueAfter(reader, 'accountHistory', clearedKey(hexToBytes(address)), number) !== undefined
  return {
    account: (address) => {
      const value = valueAfter(reader, 'accountHistory', hexToBytes(address), number)
      return value === undefined ? below.state.account(address) : decodeAccountValue(value)
    },
    storage: (address, slot) => {
      const value = valueAfter(reader, 'storageHistory', slotKey(address, slot), number)
      if (value !== undefined) return bytesToBigint(value)
      return isCleared(address) ? 0n : below.state.storage(address, slot)
    },
    hasStorage: (address) =>
      hadSlots(reader, address, number) || (!isCleared(address) && below.state.hasStorage(address)),
    code: (hash) => reader.get('code', hexToBytes(hash)) ?? below.state.code(hash),
    blockHash: (wanted) => {
      if (wanted > number) return ZERO_HASH
      return wanted <= below.number ? below.state.blockHash(wanted) : (blockHash(wanted) ?? ZERO_HASH)
    },
  }
}

/** The account after a block. */
export function accountAfter(reader: KeyValueReader<TableName>, address: Address, number: number): Account | undefined {
  return decodeAccountValue(valueAfter(reader, 'accountHistory', hexToBytes(address), number))
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

function hasSlots(reader: KeyValueReader<TableName>, address: Address): boolean {
  const [first] = reader.range('storage', { ...withPrefix(hexToBytes(address)), limit: 1 })
  return first !== undefined
}

/** Two seeks for each slot ever written, until one was not zero. */
function hadSlots(reader: KeyValueReader<TableName>, address: Address, number: number): boolean {
  const prefix = hexToBytes(address)
  let entry = reader.seek('storageHistory', prefix)
  while (entry !== undefined && startsWith(entry.key, prefix)) {
    // Not `slice`: on a Buffer it would share memory with the key.
    const item = Uint8Array.from(entry.key.subarray(0, SLOT_KEY_BYTES))
    const value = valueAfter(reader, 'storageHistory', item, number)
    if (value !== undefined && value.length > 0) return true
    const { to } = withPrefix(item)
    entry = to === undefined ? undefined : reader.seek('storageHistory', to)
  }
  return false
}

function codeOf(reader: KeyValueReader<TableName>, hash: Hash): Bytes {
  return reader.get('code', hexToBytes(hash)) ?? EMPTY_BYTES
}
