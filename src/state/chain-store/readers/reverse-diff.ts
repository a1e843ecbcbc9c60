import { type Address, bytesToAddress, bytesToHash, type Slot, slotOfHash } from '../../../primitives/hex.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { AccountChange, StateDiff } from '../../state-diff.ts'
import type { StateReader } from '../../state-reader.ts'
import { decodeAccountValue } from '../encoding/account-value.ts'
import { ADDRESS_BYTES, readChanges } from '../encoding/block-changes.ts'
import type { TableName } from '../encoding/tables.ts'
import { hasPrelude } from './preludes.ts'
import { accountAfter } from './state-readers.ts'

/**
 * A diff from the state after block `number` to the one before it. It has no code: accounts refer to it by hash.
 *
 * @throws CorruptValueError
 */
export function readReverseDiff(reader: KeyValueReader<TableName>, number: number): StateDiff {
  const changes = readChanges(reader, number)
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, Map<Slot, bigint>>()
  for (const [key, before] of changes.accounts) {
    // The mark of cleared storage.
    if (key.length > ADDRESS_BYTES) continue
    accounts.set(bytesToAddress(key), changeTo(decodeAccountValue(before)))
  }
  for (const [key, before] of changes.storage) {
    const address = bytesToAddress(key.subarray(0, ADDRESS_BYTES))
    const slots = storage.get(address) ?? new Map<Slot, bigint>()
    storage.set(address, slots.set(slotOfHash(bytesToHash(key.subarray(ADDRESS_BYTES))), bytesToBigint(before)))
  }
  for (const address of storage.keys()) {
    // Only its storage changed: the account before the block equals the one after it.
    if (!accounts.has(address)) accounts.set(address, changeTo(accountAfter(reader, address, number)))
  }
  return Object.freeze({ accounts, storage, code: new Map() })
}

/**
 * As `readReverseDiff` in a store that begins on a block of another node, which has values that the tables lack.
 *
 * @throws MissingStateError
 */
export function forkedReverseDiff(
  reader: KeyValueReader<TableName>,
  number: number,
  stateAt: (number: number) => StateReader,
): StateDiff {
  const changes = readChanges(reader, number)
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, Map<Slot, bigint>>()
  // History of the parent has the values of a prelude, and those before it are wanted.
  const before = stateAt(hasPrelude(reader, number) ? number - 2 : number - 1)
  for (const [key, value] of changes.accounts) {
    const address = bytesToAddress(key.subarray(0, ADDRESS_BYTES))
    if (key.length > ADDRESS_BYTES && accounts.has(address)) continue
    accounts.set(address, changeTo(decodeAccountValue(value) ?? before.account(address)))
  }
  for (const [key, value] of changes.storage) {
    const address = bytesToAddress(key.subarray(0, ADDRESS_BYTES))
    const slot = slotOfHash(bytesToHash(key.subarray(ADDRESS_BYTES)))
    const slots = storage.get(address) ?? new Map<Slot, bigint>()
    storage.set(address, slots.set(slot, value.length > 0 ? bytesToBigint(value) : before.storage(address, slot)))
    if (!accounts.has(address)) accounts.set(address, changeTo(before.account(address)))
  }
  return Object.freeze({ accounts, storage, code: new Map() })
}

function changeTo(account: AccountChange['account']): AccountChange {
  return Object.freeze({ account, storageCleared: account === undefined })
}
