import { type Address, type Bytes, EMPTY_BYTES, hexToBytes } from '../../primitives/hex.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import type { KeyValueReader } from '../../storage/key-value.ts'
import { clearsStorage } from '../diff.ts'
import type { AccountChange, StateDiff } from '../state-diff.ts'
import { sameBytes } from '../trie/slot-changes.ts'
import { encodeAccountValue } from './encoding/account-value.ts'
import { type ChangedValue, encodeChanges } from './encoding/block-changes.ts'
import { blockKey, historyKey, slotKey, withPrefix } from './encoding/keys.ts'
import type { TableName } from './tables.ts'
import { put, putOrRemove, type Write } from './write.ts'

/**
 * State writes of block `number`: values at the tip, values after the block in history, and values before it in its
 * change set. Values that did not change are omitted.
 *
 * @param reader of the state before the block
 */
export function* stateWrites(reader: KeyValueReader<TableName>, number: number, diff: StateDiff): Iterable<Write> {
  const accounts: ChangedValue[] = []
  const storage: ChangedValue[] = []
  for (const [address, change] of diff.accounts) {
    const key = hexToBytes(address)
    const before = reader.get('accounts', key) ?? EMPTY_BYTES
    const after = encodeAccountValue(change.account)
    if (!sameBytes(before, after)) {
      accounts.push([key, before])
      yield putOrRemove('accounts', key, after)
      yield put('accountHistory', historyKey(key, number), after)
    }
    for (const { key, before, after } of slotChanges(reader, address, change, diff)) {
      storage.push([key, before])
      yield putOrRemove('storage', key, after)
      // Zeros are stored explicitly, so that a reader needs one seek and no knowledge of cleared storage.
      yield put('storageHistory', historyKey(key, number), after)
    }
  }
  const code: Bytes[] = []
  for (const [hash, bytes] of diff.code) {
    const key = hexToBytes(hash)
    if (reader.get('code', key) !== undefined) continue
    code.push(key)
    yield put('code', key, bytes)
  }
  // Genesis has no predecessor.
  if (number > 0) yield put('changes', blockKey(number), encodeChanges({ accounts, storage, code }))
}

interface SlotChange {
  /** Address and slot. */
  readonly key: Bytes
  readonly before: Bytes
  readonly after: Bytes
}

function* slotChanges(
  reader: KeyValueReader<TableName>,
  address: Address,
  change: AccountChange,
  diff: StateDiff,
): Iterable<SlotChange> {
  const written = new Set<string>()
  // A deleted account has no storage, whatever was written before its deletion.
  for (const [slot, value] of change.account === undefined ? [] : (diff.storage.get(address) ?? [])) {
    const key = slotKey(address, slot)
    const before = reader.get('storage', key) ?? EMPTY_BYTES
    const after = bigintToBytes(value)
    if (clearsStorage(change)) written.add(keyText(key))
    if (!sameBytes(before, after)) yield { key, before, after }
  }
  if (!clearsStorage(change)) return
  for (const { key, value } of reader.range('storage', withPrefix(hexToBytes(address)))) {
    if (!written.has(keyText(key))) yield { key, before: value, after: EMPTY_BYTES }
  }
}

function keyText(key: Bytes): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}
