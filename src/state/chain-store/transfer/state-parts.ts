import { type Address, type Bytes, bytesToHex, type Hash, type Hex, type Slot } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import type { Entry, KeyValueReader, Range } from '../../../storage/key-value.ts'
import type { AccountChange, StateDiff } from '../../state-diff.ts'
import { decodeAccountValue } from '../encoding/account-value.ts'
import { withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../tables.ts'

/** Estimated size of an account and of a slot in a chunk. */
const ACCOUNT_BYTES = 100
const SLOT_BYTES = 70
const ADDRESS_BYTES = 20
const PAGE_ENTRIES = 512
/** Maximum number of code hashes tracked as sent; beyond that, shared code may be sent twice. */
const MAX_TRACKED_CODES = 100_000

/** The whole state at the tip as diffs on an empty state, of about `partBytes` each; large code may exceed it. */
export function* stateParts(reader: KeyValueReader<TableName>, partBytes: number): Generator<StateDiff> {
  let part = new StatePart()
  const sent = new Set<Hash>()
  for (const { key, value } of pages(reader, 'accounts', {})) {
    const address = bytesToHex(key) as Address
    const change: AccountChange = { account: decodeAccountValue(value), storageCleared: false }
    part.addAccount(address, change)
    const { codeHash } = change.account!
    if (codeHash !== EMPTY_CODE_HASH && !sent.has(codeHash)) {
      if (sent.size < MAX_TRACKED_CODES) sent.add(codeHash)
      part.addCode(codeHash, reader.get('code', Buffer.from(codeHash.slice(2), 'hex'))!)
    }
    for (const slot of pages(reader, 'storage', withPrefix(key))) {
      if (part.bytes >= partBytes) {
        yield part.diff
        part = new StatePart()
        part.addAccount(address, change)
      }
      part.addSlot(address, bytesToHex(slot.key.subarray(ADDRESS_BYTES)) as Hex as Slot, slot.value)
    }
    if (part.bytes < partBytes) continue
    yield part.diff
    part = new StatePart()
  }
  if (part.bytes > 0) yield part.diff
}

/** A range in pages, so that no cursor is open while the consumer awaits. */
function* pages(reader: KeyValueReader<TableName>, table: TableName, range: Range): Generator<Entry> {
  let { from } = range
  for (;;) {
    const page = [...reader.range(table, { ...range, ...(from !== undefined && { from }), limit: PAGE_ENTRIES })]
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_ENTRIES) return
    from = Buffer.concat([last.key, Buffer.of(0)])
  }
}

class StatePart {
  bytes = 0
  readonly #accounts = new Map<Address, AccountChange>()
  readonly #storage = new Map<Address, Map<Slot, bigint>>()
  readonly #code = new Map<Hash, Bytes>()

  get diff(): StateDiff {
    return { accounts: this.#accounts, storage: this.#storage, code: this.#code }
  }

  addAccount(address: Address, change: AccountChange): void {
    this.#accounts.set(address, change)
    this.bytes += ACCOUNT_BYTES
  }

  addCode(hash: Hash, code: Bytes): void {
    this.#code.set(hash, code)
    this.bytes += code.length
  }

  addSlot(address: Address, slot: Slot, value: Bytes): void {
    const slots = this.#storage.get(address) ?? new Map<Slot, bigint>()
    this.#storage.set(address, slots.set(slot, bytesToBigint(value)))
    this.bytes += SLOT_BYTES
  }
}
