import type { Block } from '../../../chain/block/block.ts'
import type { Log } from '../../../chain/receipt/log.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import { type Address, bytesToHex, type Hash, hexToBytes, hexWithin, toAddress } from '../../../primitives/hex.ts'
import { TRANSFER_TOPIC } from '../../../primitives/stocks/transfer-event.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { TokenHolder } from '../../snapshot.ts'
import { CorruptValueError, checkedContent, withChecksum } from '../encoding/checked-value.ts'
import { blockKey, HOLDERS_KEY, heightIn, holderKey, holdersOf, withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, remove, type Write } from '../encoding/write.ts'

// Part of the log index: the accounts that have received units of each ERC-20 token, with the block of the first
// transfer. A superset of the holders at any block, so that it is never wrong after an unwind, only longer.

const HEIGHT_BYTES = 8
const TOKEN_BYTES = 20
/** Three topics, of which the last one is the recipient: an address other than zero. */
const TOPICS = 3
const WORD_BYTES = 32
const UNCHECKED_NOTE_BYTES = HEIGHT_BYTES + WORD_BYTES
const PADDING = `0x${'00'.repeat(12)}`
const ZERO_RECIPIENT = `${PADDING}${'00'.repeat(20)}`

interface Content {
  readonly block: Block
  readonly receipts: readonly Receipt[]
}

/** Entries of new recipients, and the note up to which block the index goes. */
export function* holderWrites(reader: KeyValueReader<TableName>, contents: readonly Content[]): Iterable<Write> {
  const written = new Set<string>()
  for (const { block, receipts } of contents) {
    for (const { logs } of receipts) {
      for (const log of logs) {
        const holder = recipientOf(log)
        if (holder === undefined) continue
        const pair = `${log.address}${holder}`
        if (written.has(pair)) continue
        written.add(pair)
        const key = holderKey(log.address, holder)
        if (reader.peek('logPostings', key) === undefined) yield put('logPostings', key, blockKey(block.header.number))
      }
    }
  }
  const [first, last] = [contents[0]!.block, contents.at(-1)!.block]
  const { number, parentHash } = first.header
  const note = soundNote(reader)
  // After an older program, which does not index them, has written blocks, the index begins anew.
  const from = number > 0 && note?.hash === parentHash ? note.from : number
  yield noteWrite(from, last.hash)
}

/** Removes the entries that block `number` made. */
export function* holderRemovals(
  reader: KeyValueReader<TableName>,
  number: number,
  logs: readonly Log[],
): Iterable<Write> {
  const removed = new Set<string>()
  for (const log of logs) {
    const holder = recipientOf(log)
    if (holder === undefined || removed.has(`${log.address}${holder}`)) continue
    removed.add(`${log.address}${holder}`)
    const key = holderKey(log.address, holder)
    const since = reader.peek('logPostings', key)
    if (since !== undefined && heightIn(since) === number) yield remove('logPostings', key)
  }
}

/** The note after an unwind: `hash` is the hash of the newest block, `before` that of the one until then. */
export function* unwoundNote(
  reader: KeyValueReader<TableName>,
  { before, number, hash }: { readonly before: Hash; readonly number: number; readonly hash: Hash },
): Iterable<Write> {
  const note = soundNote(reader)
  if (note?.hash === before) yield noteWrite(Math.min(note.from, number + 1), hash)
}

/** Writes of entries that another store has, and of its note. */
export function* transferredHolders(
  entries: Iterable<readonly [token: Address, holder: TokenHolder]>,
): Iterable<Write> {
  for (const [token, { holder, since }] of entries) {
    yield put('logPostings', holderKey(token, holder), blockKey(since))
  }
}

/** @param from the first block from which on all recipients are indexed @param hash of the newest one */
export function noteWrite(from: number, hash: Hash): Write {
  return put('logPostings', HOLDERS_KEY, withChecksum(blockKey(from), hexToBytes(hash)))
}

/** The first block from which on all recipients are indexed; `undefined`: not up to the newest block. */
export function holdersFrom(reader: KeyValueReader<TableName>, newest: Hash): number | undefined {
  const note = noteIn(reader)
  return note?.hash === newest ? note.from : undefined
}

/** Recipients of a token in the order of their addresses. @param from the lowest address */
export function recipientsIn(
  reader: KeyValueReader<TableName>,
  token: Address,
  { from, limit }: { readonly from: Address; readonly limit: number },
): readonly TokenHolder[] {
  const range = { ...withPrefix(holdersOf(token)), from: holderKey(token, from), limit }
  return Array.from(reader.range('logPostings', range), ({ key, value }) => ({
    holder: addressAt(key, 1 + TOKEN_BYTES),
    since: heightIn(value),
  }))
}

/** All entries in pages, so that no cursor is open while the consumer awaits. */
export function* holderPages(
  reader: KeyValueReader<TableName>,
  pageSize: number,
): Iterable<readonly (readonly [token: Address, holder: TokenHolder])[]> {
  const { to } = withPrefix(HOLDERS_KEY)
  // The note itself is the first entry.
  let from = Buffer.concat([HOLDERS_KEY, Buffer.of(0)])
  for (;;) {
    const range = { from, ...(to !== undefined && { to }), limit: pageSize }
    const page = Array.from(reader.range('logPostings', range), ({ key, value }) => {
      from = Buffer.concat([key, Buffer.of(0)])
      return [addressAt(key, 1), { holder: addressAt(key, 1 + TOKEN_BYTES), since: heightIn(value) }] as const
    })
    if (page.length > 0) yield page
    if (page.length < pageSize) return
  }
}

function addressAt(key: Uint8Array, offset: number): Address {
  return toAddress(bytesToHex(key.subarray(offset, offset + TOKEN_BYTES)))
}

/** The note, unless it is damaged: blocks can be stored without it, and `verify` reports it. */
function soundNote(reader: KeyValueReader<TableName>): ReturnType<typeof noteIn> {
  try {
    return noteIn(reader)
  } catch (error) {
    if (error instanceof CorruptValueError) return undefined
    throw error
  }
}

/** @throws CorruptValueError */
function noteIn(reader: KeyValueReader<TableName>): { readonly from: number; readonly hash: Hash } | undefined {
  const value = reader.peek('logPostings', HOLDERS_KEY)
  // Notes of the first version had no checksum: the index begins anew.
  if (value === undefined || value.length === UNCHECKED_NOTE_BYTES) return undefined
  const content = checkedContent('logPostings', HOLDERS_KEY, value)
  return { from: heightIn(content), hash: hexWithin(content, HEIGHT_BYTES, HEIGHT_BYTES + WORD_BYTES) as Hash }
}

/** The account that a log of ERC-20 names as the recipient of units. */
function recipientOf({ topics, data }: Log): Address | undefined {
  const [event, , recipient] = topics
  if (event !== TRANSFER_TOPIC || topics.length !== TOPICS || data.length !== WORD_BYTES || recipient === undefined)
    return undefined
  if (!recipient.startsWith(PADDING) || recipient === ZERO_RECIPIENT) return undefined
  return `0x${recipient.slice(PADDING.length)}` as Address
}
