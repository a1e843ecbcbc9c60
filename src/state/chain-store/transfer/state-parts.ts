import { type Address, bytesToHash, bytesToHex, type Hash, slotOfHash } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import type { Entry, KeyValueReader, Range } from '../../../storage/key-value.ts'
import { DiffPart } from '../../diff-parts.ts'
import type { AccountChange, StateDiff } from '../../state-diff.ts'
import { decodeAccountValue } from '../encoding/account-value.ts'
import { withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

const ADDRESS_BYTES = 20
const PAGE_ENTRIES = 512
/** Maximum number of code hashes tracked as sent; beyond that, shared code may be sent twice. */
const MAX_TRACKED_CODES = 100_000

/** The whole state at the tip as diffs on an empty state, of about `partBytes` each; large code may exceed it. */
export function* stateParts(reader: KeyValueReader<TableName>, partBytes: number): Generator<StateDiff> {
  let part = new DiffPart()
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
        part = new DiffPart()
        part.addAccount(address, change)
      }
      part.addSlot(address, slotOfHash(bytesToHash(slot.key.subarray(ADDRESS_BYTES))), bytesToBigint(slot.value))
    }
    if (part.bytes < partBytes) continue
    yield part.diff
    part = new DiffPart()
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
