import type { SubmitRefusal } from '../chain/transaction/refusal.ts'
import { submitText } from '../chain/transaction/refusal-text.ts'
import {
  type Cursor,
  isSourceErrorCode,
  type LeaderReply,
  type LeaderRequest,
  type ResumePoint,
  SourceError,
  type SourceErrorCode,
  type StreamHandshake,
  type StreamHello,
  type StreamMessage,
  type SubmitReply,
} from '../node/log/record-source.ts'
import { type Bytes, type Hash, type Hex, isHexBytes } from '../primitives/hex.ts'
import { foreignText } from '../primitives/text/foreign-text.ts'
import {
  decodeFrameHeader,
  encodeFrame,
  FRAME_HEADER_BYTES,
  isFrameIntact,
  type LogRecord,
} from '../storage/segment-frame.ts'

// Encoding of the messages in docs/feed.md, "The replica stream": JSON text for control, binary for records.

export const STREAM_PATH = '/replica'
/** Incremented by every change that older programs would misread. */
export const STREAM_VERSION = 2

/** The first byte of a binary message. */
const KINDS = { records: 1, part: 2, snapshotEnd: 3 } as const
/**
 * Maximum number of records in a message: a decoded record takes far more memory than its bytes. A node sends fewer.
 */
const MAX_RECORDS = 2 ** 18
/** Characters of a value of a peer in a message about it. */
const SHOWN_CHARACTERS = 40

export type ToServer =
  | ({ readonly type: 'hello'; readonly version: number } & StreamHello)
  | { readonly type: 'submit'; readonly id: number; readonly raw: Hex }
  | ({ readonly type: 'request'; readonly id: number } & LeaderRequest)

export type ToReplica =
  | ({ readonly type: 'welcome'; readonly version: number } & StreamHandshake)
  | { readonly type: 'refused'; readonly code: SourceErrorCode; readonly message: string }
  | {
      readonly type: 'newest'
      readonly sequence: number
      readonly sent: number
      /** Absent: they are built on schedule, or the sender is older. */
      readonly isOnDemand?: boolean | undefined
    }
  | { readonly type: 'submitted'; readonly id: number; readonly reply: SubmitReply }
  | { readonly type: 'answered'; readonly id: number; readonly reply: LeaderReply }
  /** It is unknown whether the transaction was accepted, or the request carried out. */
  | { readonly type: 'unsubmitted'; readonly id: number; readonly message: string }

/** Integers above 2^53 are encoded as `{"bigint": "…"}` in decimal. */
export function encodeText(message: ToServer | ToReplica): string {
  return JSON.stringify(message, (_, value: unknown) =>
    typeof value === 'bigint' ? { bigint: value.toString() } : value,
  )
}

export function encodeRecords(records: readonly LogRecord[]): Bytes {
  return Buffer.concat([Buffer.of(KINDS.records), ...records.map(encodeFrame)])
}

export function encodePart(part: Bytes): Bytes {
  return Buffer.concat([Buffer.of(KINDS.part), part])
}

export function encodeSnapshotEnd(): Bytes {
  return Buffer.of(KINDS.snapshotEnd)
}

/** @throws SourceError `MALFORMED` */
export function decodeBinary(bytes: Bytes): StreamMessage {
  const content = bytes.subarray(1)
  switch (bytes[0]) {
    case KINDS.records:
      return { kind: 'records', records: readFrames(content) }
    case KINDS.part:
      return { kind: 'part', bytes: content }
    case KINDS.snapshotEnd:
      return { kind: 'snapshotEnd' }
    default:
      throw malformed(`a message of the unknown kind ${bytes[0]}`)
  }
}

/** @throws SourceError `MALFORMED` */
export function decodeToServer(text: string): ToServer {
  return decoded(text, readToServer)
}

function readToServer(message: JsonMessage): ToServer {
  switch (message.type) {
    case 'hello':
      return {
        type: 'hello',
        version: integer(message, 'version'),
        chainId: big(message, 'chainId'),
        genesisHash: hash(message, 'genesisHash'),
        cursor: optional(message, 'cursor', readCursor),
        finalized: optional(message, 'finalized', (item) => ({
          number: integer(item, 'number'),
          hash: hash(item, 'hash'),
        })),
      }
    case 'submit':
      return { type: 'submit', id: integer(message, 'id'), raw: hexOf(message, 'raw') }
    case 'request':
      return {
        type: 'request',
        id: integer(message, 'id'),
        method: string(message, 'method'),
        params: string(message, 'params'),
      }
    default:
      throw malformed(`a message of the unknown type ${shown(message.type)}`)
  }
}

/** @throws SourceError `MALFORMED` */
export function decodeToReplica(text: string): ToReplica {
  return decoded(text, readToReplica)
}

function readToReplica(message: JsonMessage): ToReplica {
  switch (message.type) {
    case 'welcome':
      return readHandshake(message)
    case 'refused':
      return {
        type: 'refused',
        code: readCode(string(message, 'code')),
        message: foreignText(string(message, 'message')),
      }
    case 'newest':
      return {
        type: 'newest',
        sequence: integer(message, 'sequence'),
        sent: integer(message, 'sent'),
        ...(message.isOnDemand === true && { isOnDemand: true }),
      }
    case 'submitted':
      return { type: 'submitted', id: integer(message, 'id'), reply: readReply(object(message.reply, 'reply')) }
    case 'answered':
      return { type: 'answered', id: integer(message, 'id'), reply: readLeaderReply(object(message.reply, 'reply')) }
    case 'unsubmitted':
      return { type: 'unsubmitted', id: integer(message, 'id'), message: foreignText(string(message, 'message')) }
    default:
      throw malformed(`a message of the unknown type ${shown(message.type)}`)
  }
}

function readFrames(bytes: Bytes): readonly LogRecord[] {
  const records: LogRecord[] = []
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes.length - offset < FRAME_HEADER_BYTES) throw malformed('a record is cut off')
    if (records.length === MAX_RECORDS) throw malformed(`a message has more than ${MAX_RECORDS} records`)
    const { length, checksum, sequence } = decodeFrameHeader(bytes.subarray(offset))
    const end = offset + FRAME_HEADER_BYTES + length
    if (end > bytes.length) throw malformed(`record ${sequence} is cut off`)
    if (!isFrameIntact(bytes.subarray(offset, end), checksum))
      throw malformed(`the checksum of record ${sequence} is wrong`)
    records.push({ sequence, payload: bytes.subarray(offset + FRAME_HEADER_BYTES, end) })
    offset = end
  }
  return records
}

function readHandshake(message: JsonMessage): ToReplica {
  const settings = object(message.settings, 'settings')
  return {
    type: 'welcome',
    version: integer(message, 'version'),
    chainId: big(message, 'chainId'),
    genesisHash: hash(message, 'genesisHash'),
    settings: {
      blockTime: integer(settings, 'blockTime'),
      slots: integer(settings, 'slots'),
      gasLimit: big(settings, 'gasLimit'),
      finalityDepth: integer(settings, 'finalityDepth'),
      ...(settings.codeSizeLimit !== undefined && { codeSizeLimit: integer(settings, 'codeSizeLimit') }),
      ...(settings.profile !== undefined && { profile: string(settings, 'profile') }),
      ...(settings.denimTime !== undefined && { denimTime: integer(settings, 'denimTime') }),
      ...(settings.forks !== undefined && { forks: string(settings, 'forks') }),
    },
    firstSequence: integer(message, 'firstSequence'),
    newestSequence: integer(message, 'newestSequence'),
    begins: readResumePoint(object(message.begins, 'begins')),
  }
}

function readResumePoint(item: JsonMessage): ResumePoint {
  const from = integer(item, 'from')
  if (item.kind === 'records') return { kind: 'records', from }
  if (item.kind !== 'snapshot') throw malformed(`a resume point of the unknown kind ${shown(item.kind)}`)
  const poolSequence = integer(item, 'poolSequence')
  return { kind: 'snapshot', number: integer(item, 'number'), hash: hash(item, 'hash'), from, poolSequence }
}

function readCode(code: string): SourceErrorCode {
  if (!isSourceErrorCode(code)) throw malformed(`a refusal with the unknown code ${shown(code)}`)
  return code
}

function readReply(item: JsonMessage): SubmitReply {
  if (item.kind === 'accepted') return { kind: 'accepted', sequence: integer(item, 'sequence') }
  if (item.kind !== 'refused') throw malformed(`a reply of the unknown kind ${shown(item.kind)}`)
  const refusal = readRefusal(object(item.refusal, 'refusal'))
  if (!isRefusal(refusal)) throw malformed(`a refusal of the unknown kind ${shown(refusal.code)}`)
  return {
    kind: 'refused',
    hash: item.hash === undefined ? undefined : hash(item, 'hash'),
    refusal,
  }
}

/** With texts that may reach clients and the log. */
function readRefusal(members: JsonMessage): JsonMessage {
  const entries = Object.entries(members).map(([name, value]) => {
    if (typeof value === 'object') throw malformed(`${shown(name)} of a refusal is an object`)
    return [name, typeof value === 'string' ? foreignText(value) : value] as const
  })
  return Object.fromEntries(entries)
}

/** Whether a text can be made of it, which needs the members of its code. */
function isRefusal(item: JsonMessage): item is JsonMessage & SubmitRefusal {
  if (typeof item.code !== 'string' || !/^[A-Z_]+$/.test(item.code)) return false
  try {
    const { message, pool } = submitText(item as unknown as SubmitRefusal)
    return typeof message === 'string' && typeof pool === 'string'
  } catch {
    return false
  }
}

function readLeaderReply(item: JsonMessage): LeaderReply {
  const { kind } = item
  if (kind !== 'result' && kind !== 'error' && kind !== 'tooLarge')
    throw malformed(`a reply of the unknown kind ${shown(kind)}`)
  return { kind, sequence: integer(item, 'sequence'), text: string(item, 'text') }
}

function readCursor(item: JsonMessage): Cursor {
  return { sequence: integer(item, 'sequence'), hash: hash(item, 'hash') }
}

type JsonMessage = Readonly<Record<string, unknown>>

/** @throws SourceError `MALFORMED` for any text that `read` does not accept, whatever it throws */
function decoded<T>(text: string, read: (message: JsonMessage) => T): T {
  try {
    return read(parse(text))
  } catch (error) {
    if (error instanceof SourceError) throw error
    if (error instanceof SyntaxError) throw malformed('a message is no JSON')
    // Bounds the nesting, since members are read recursively.
    if (error instanceof RangeError) throw malformed('a message is nested too deeply')
    throw new SourceError('MALFORMED', 'a message cannot be read', { cause: error })
  }
}

function parse(text: string): JsonMessage {
  return object(
    JSON.parse(text, (_, value: unknown) => {
      const written = typeof value === 'object' && value !== null && 'bigint' in value ? value.bigint : undefined
      return typeof written === 'string' && /^\d{1,80}$/.test(written) ? BigInt(written) : value
    }),
    'a message',
  )
}

/** A value of a peer for a message. An object is not converted: its members may make the conversion throw. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? '(an object)' : foreignText(String(value), SHOWN_CHARACTERS)
}

function object(value: unknown, what: string): JsonMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(`${what} is no object`)
  return value as JsonMessage
}

function optional<T>(message: JsonMessage, name: string, read: (item: JsonMessage) => T): T | undefined {
  const value = message[name]
  return value === undefined || value === null ? undefined : read(object(value, name))
}

function integer(message: JsonMessage, name: string): number {
  const value = message[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed(`${name} is no number`)
  return value
}

function big(message: JsonMessage, name: string): bigint {
  const value = message[name]
  if (typeof value !== 'bigint') throw malformed(`${name} is no large integer`)
  return value
}

function string(message: JsonMessage, name: string): string {
  const value = message[name]
  if (typeof value !== 'string') throw malformed(`${name} is no text`)
  return value
}

function hash(message: JsonMessage, name: string): Hash {
  const value = string(message, name)
  if (!/^0x[0-9a-f]{64}$/.test(value)) throw malformed(`${name} is no hash`)
  return value as Hash
}

function hexOf(message: JsonMessage, name: string): Hex {
  const value = string(message, name)
  if (!isHexBytes(value)) throw malformed(`${name} is no hex`)
  return value
}

function malformed(reason: string): SourceError {
  return new SourceError('MALFORMED', reason)
}
