import { type Address, type Bytes, EMPTY_BYTES, hexToBytes } from '../../../primitives/hex.ts'
import { bigintToBytes } from '../../../primitives/quantity.ts'
import type { Entry, KeyValueReader, Range } from '../../../storage/key-value.ts'
import { clearsStorage, isEmptyDiff } from '../../diff.ts'
import { diffItem } from '../../records/diff-codec.ts'
import type { AccountChange, StateDiff } from '../../state-diff.ts'
import { sameBytes } from '../../trie/entry-change.ts'
import { encodeAccountValue } from '../encoding/account-value.ts'
import { type ChangedValue, type ChangeSet, encodeChanges, NO_CHANGES } from '../encoding/block-changes.ts'
import { encodeChecked } from '../encoding/checked-value.ts'
import { blockKey, clearedKey, historyKey, slotKey, withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, putOrRemove, type Write } from '../encoding/write.ts'

/** State changes of a block. */
export interface BlockStateChanges {
  readonly number: number
  /** Changes from outside between the parent and the block. */
  readonly prelude?: StateDiff | undefined
  /** Of the whole block, on top of the prelude. */
  readonly diff: StateDiff
  /**
   * The store begins on a block of another node. What a block changes is then written even if these tables do not show
   * a change, because the value before may be in the chain below. Default: false.
   */
  readonly isForked?: boolean | undefined
}

const WAS_CLEARED = Uint8Array.of(1)

/**
 * State writes of consecutive blocks: values at the tip, values after each block in history, and values before it in
 * its change set. Values that did not change are omitted. A prelude counts as history of the parent, at which it is
 * read, and as a change of its block, whose unwinding undoes it.
 *
 * @param reader of the state before the first block
 */
export function* stateWrites(reader: KeyValueReader<TableName>, blocks: readonly BlockStateChanges[]): Iterable<Write> {
  const altered = new AlteredTables(reader)
  for (const [index, { number, prelude, diff, isForked = false }] of blocks.entries()) {
    if (number > 0 && prelude === undefined && isEmptyDiff(diff)) {
      yield put('changes', blockKey(number), NO_CHANGES)
      continue
    }
    // The keys of a prelude are unique: the first prelude never reads its own writes.
    const tables = index === 0 ? reader : altered
    const outside = prelude && (yield* altered.through(diffWrites(tables, number - 1, prelude, isForked)))
    const inside = diffWrites(altered, number, diff, isForked)
    // Nothing reads what the last block wrote.
    const changes = yield* index + 1 < blocks.length ? altered.through(inside) : inside
    if (prelude !== undefined) yield put('preludes', blockKey(number), encodeChecked(diffItem(prelude)))
    // Genesis has no predecessor.
    if (number > 0) {
      const all = outside === undefined ? changes : mergedChanges(outside, changes)
      yield put('changes', blockKey(number), encodeChanges(all))
    }
  }
}

/** @param number of the block after which history has the values @returns the changes, with the values before them */
function* diffWrites(
  reader: StateTables,
  number: number,
  diff: StateDiff,
  isForked: boolean,
): Generator<Write, ChangeSet> {
  const accounts: ChangedValue[] = []
  const storage: ChangedValue[] = []
  for (const [address, change] of diff.accounts) {
    const key = hexToBytes(address)
    const before = reader.get('accounts', key) ?? EMPTY_BYTES
    const after = encodeAccountValue(change.account)
    if (isForked || !sameBytes(before, after)) {
      accounts.push([key, before])
      yield putOrRemove('accounts', key, after)
      yield put('accountHistory', historyKey(key, number), after)
    }
    if (isForked && clearsStorage(change)) {
      accounts.push([clearedKey(key), EMPTY_BYTES])
      yield put('accountHistory', historyKey(clearedKey(key), number), WAS_CLEARED)
    }
    for (const { key, before, after } of slotChanges(reader, address, change, { diff, isForked })) {
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
  return { accounts, storage, code }
}

/** The changes of a prelude and of its block as one: the values before it are those before the prelude. */
function mergedChanges(first: ChangeSet, second: ChangeSet): ChangeSet {
  return {
    accounts: [...first.accounts, ...unlessIn(first.accounts, second.accounts)],
    storage: [...first.storage, ...unlessIn(first.storage, second.storage)],
    code: [...first.code, ...second.code],
  }
}

function unlessIn(known: readonly ChangedValue[], values: readonly ChangedValue[]): readonly ChangedValue[] {
  if (values.length === 0) return values
  const keys = new Set(known.map(([key]) => keyText(key)))
  return values.filter(([key]) => !keys.has(keyText(key)))
}

type StateTables = Pick<KeyValueReader<TableName>, 'get' | 'range'>

/** Tables that `diffWrites` reads. */
const READ_TABLES: ReadonlySet<TableName> = new Set<TableName>(['accounts', 'storage', 'code'])

/** The state tables with the writes of a prelude and of earlier blocks that are not committed yet. */
class AlteredTables implements StateTables {
  readonly #reader: StateTables
  /** By table and key. */
  readonly #written = new Map<TableName, Map<string, Write>>()

  constructor(reader: StateTables) {
    this.#reader = reader
  }

  /** Passes writes on, and reads them from now on. */
  *through<Result>(writes: Generator<Write, Result>): Generator<Write, Result> {
    for (;;) {
      const next = writes.next()
      if (next.done === true) return next.value
      const { table, key } = next.value
      if (READ_TABLES.has(table)) {
        const ofTable = this.#written.get(table) ?? new Map<string, Write>()
        this.#written.set(table, ofTable.set(keyText(key), next.value))
      }
      yield next.value
    }
  }

  get(table: TableName, key: Bytes): Bytes | undefined {
    const written = this.#written.size === 0 ? undefined : this.#written.get(table)?.get(keyText(key))
    return written === undefined ? this.#reader.get(table, key) : written.value
  }

  /** In order of keys. */
  range(table: TableName, range: Range): Iterable<Entry> {
    const written = this.#written.get(table)
    if (written === undefined) return this.#reader.range(table, range)
    const { from, to } = range
    const entries = new Map<string, Entry>()
    for (const entry of this.#reader.range(table, range)) entries.set(keyText(entry.key), entry)
    for (const [text, { key, value }] of written) {
      const isInside =
        (from === undefined || Buffer.compare(key, from) >= 0) && (to === undefined || Buffer.compare(key, to) < 0)
      if (!isInside) continue
      if (value === undefined) entries.delete(text)
      else entries.set(text, { key, value })
    }
    return [...entries.values()].sort((a, b) => Buffer.compare(a.key, b.key))
  }
}

interface SlotChange {
  /** Address and slot. */
  readonly key: Bytes
  readonly before: Bytes
  readonly after: Bytes
}

function* slotChanges(
  reader: StateTables,
  address: Address,
  change: AccountChange,
  { diff, isForked }: { readonly diff: StateDiff; readonly isForked: boolean },
): Iterable<SlotChange> {
  const written = new Set<string>()
  // A deleted account has no storage, whatever was written before its deletion.
  for (const [slot, value] of change.account === undefined ? [] : (diff.storage.get(address) ?? [])) {
    const key = slotKey(address, slot)
    const before = reader.get('storage', key) ?? EMPTY_BYTES
    const after = bigintToBytes(value)
    if (clearsStorage(change)) written.add(keyText(key))
    if (isForked || !sameBytes(before, after)) yield { key, before, after }
  }
  if (!clearsStorage(change)) return
  for (const { key, value } of reader.range('storage', withPrefix(hexToBytes(address)))) {
    if (!written.has(keyText(key))) yield { key, before: value, after: EMPTY_BYTES }
  }
}

function keyText(key: Bytes): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}
