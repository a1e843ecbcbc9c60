import { SourceError } from '../../node/log/record-source.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { decodeBinary, encodeRecords } from '../messages.ts'

// docs/feed.md, "Over NATS": records published together are one group, encoded like a binary message of the replica
// stream. A group that exceeds the server's message limit is split into consecutive parts.

const RECORDS_HEADER = 'Tickertape-Records'
const PART_HEADER = 'Tickertape-Part'

/** One message of the stream, from its headers. */
export interface GroupPart {
  /** Numbers of the oldest and the newest record of the group. */
  readonly first: number
  readonly last: number
  /** Hash of all bytes of the group: republished records form a new group. */
  readonly digest: string
  /** From 1 to `parts`. */
  readonly part: number
  readonly parts: number
}

export interface GroupMessage {
  readonly headers: ReadonlyMap<string, string>
  readonly data: Bytes
}

/** The messages that hold records, in order; each has at most `maxBytes` of data. */
export function splitGroup(records: readonly LogRecord[], maxBytes: number): readonly GroupMessage[] {
  const bytes = encodeRecords(records)
  const digest = Buffer.from(keccak256(bytes).subarray(0, 8)).toString('hex')
  const parts = Math.ceil(bytes.length / maxBytes)
  const range = `${records[0]!.sequence}-${records.at(-1)!.sequence} ${digest}`
  return Array.from({ length: parts }, (_, index) => ({
    headers: new Map([
      [RECORDS_HEADER, range],
      [PART_HEADER, `${index + 1}/${parts}`],
    ]),
    data: bytes.subarray(index * maxBytes, (index + 1) * maxBytes),
  }))
}

/** `undefined`: a foreign message. */
export function readGroupPart(header: (name: string) => string | undefined): GroupPart | undefined {
  const range = /^(\d{1,15})-(\d{1,15}) ([0-9a-f]{16})$/.exec(header(RECORDS_HEADER) ?? '')
  const numbers = /^(\d{1,9})\/(\d{1,9})$/.exec(header(PART_HEADER) ?? '')
  if (range === null || numbers === null) return undefined
  const [first, last, part, parts] = [Number(range[1]), Number(range[2]), Number(numbers[1]), Number(numbers[2])]
  if (first < 1 || last < first || part < 1 || part > parts) return undefined
  return { first, last, digest: range[3]!, part, parts }
}

export type Assembled =
  /** The group is complete. */
  | { readonly kind: 'records'; readonly records: readonly LogRecord[] }
  | { readonly kind: 'more' }
  /** Skipped: a part without the beginning of its group. */
  | { readonly kind: 'beheaded' }
  /** Skipped: a foreign message, or one whose content does not match its headers. */
  | { readonly kind: 'malformed'; readonly reason: string }

/** Reassembles groups. A new group replaces an unfinished one, which was never announced. */
export class GroupAssembler {
  readonly #maxBytes: number
  #group: GroupPart | undefined
  #data: Bytes[] = []
  #bytes = 0

  /** @param maxBytes of a group */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
  }

  /** @throws SourceError `OVERSIZED` */
  take(part: GroupPart | undefined, data: Bytes): Assembled {
    if (part === undefined) return { kind: 'malformed', reason: 'its headers are not those of records' }
    if (part.part === 1) this.#forget()
    else if (!follows(this.#group, part)) {
      this.#forget()
      return { kind: 'beheaded' }
    }
    this.#bytes += data.length
    if (this.#bytes > this.#maxBytes) {
      this.#forget()
      const { first, last } = part
      const what = `records ${first} to ${last} have more than ${this.#maxBytes} bytes: see --max-record-bytes`
      throw new SourceError('OVERSIZED', what)
    }
    this.#group = part
    this.#data.push(data)
    if (part.part < part.parts) return { kind: 'more' }
    const bytes = Buffer.concat(this.#data)
    this.#forget()
    return readGroup(part, bytes)
  }

  #forget(): void {
    this.#group = undefined
    this.#data = []
    this.#bytes = 0
  }
}

function follows(before: GroupPart | undefined, { first, last, digest, part, parts }: GroupPart): boolean {
  return (
    before !== undefined &&
    before.first === first &&
    before.last === last &&
    before.digest === digest &&
    before.parts === parts &&
    before.part + 1 === part
  )
}

function readGroup({ first, last }: GroupPart, bytes: Bytes): Assembled {
  try {
    const message = decodeBinary(bytes)
    if (message.kind !== 'records') return { kind: 'malformed', reason: 'it holds no records' }
    const { records } = message
    const isWhole =
      records.length === last - first + 1 && records.every(({ sequence }, index) => sequence === first + index)
    return isWhole ? message : { kind: 'malformed', reason: `it holds others than records ${first} to ${last}` }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { kind: 'malformed', reason: error.message }
  }
}
