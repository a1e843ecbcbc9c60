import type { Bytes } from '../../primitives/hex.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'
import { acknowledgedSequence } from './acknowledged-records.ts'
import { type RecordPublisher, type RecordRange, type ReplicatedLog, ReplicatedLogError } from './replicated-log.ts'

/**
 * Bytes of records that a start reads from a replicated log; a node that lacks more has to follow it as a replica
 * first.
 */
const MAX_ADOPTED_BYTES = 256 * 2 ** 20

export type LogComparison =
  /** Both have the records up to `fork`. Later replicated records are adopted, later local ones are discarded. */
  | { readonly kind: 'adopt'; readonly fork: number }
  /** All replicated records exist locally; later local ones are published. */
  | { readonly kind: 'publish'; readonly fork: number }
  | { readonly kind: 'refused'; readonly code: 'GAP' | 'FORKED'; readonly reason: string }

/** Compares local records with the replicated ones. */
export interface LogComparer {
  /** The newest local record that was acknowledged for certain, unless the log lost it; 0: unknown. */
  readonly acknowledged: number
  /** Whether both have the same record at a sequence number. */
  isSame(sequence: number): Promise<boolean>
  /** The end of the run of equal records that starts at `from`; at most `to`. */
  sameThrough(from: number, to: number): Promise<number>
}

/**
 * Finds where local and replicated records diverge. The replicated log is authoritative: records that it lacks were
 * never announced. Unacknowledged records are compared from the first on: two nodes may have written the same
 * transaction, or the same empty flashblock, under the same number after the fork.
 *
 * @param own if there are no records, `first` is the number of the next one
 */
export async function compareLogs(
  own: RecordRange,
  shared: RecordRange | undefined,
  comparison: LogComparer,
): Promise<LogComparison> {
  if (shared === undefined) return { kind: 'publish', fork: own.first - 1 }
  const { first, last } = own
  if (shared.first > last + 1) {
    return {
      kind: 'refused',
      code: 'GAP',
      reason: `it begins with record ${shared.first}, the records here end with ${last}`,
    }
  }
  if (shared.last < first - 1) {
    return {
      kind: 'refused',
      code: 'GAP',
      reason: `it ends with record ${shared.last}, the records here begin with ${first}`,
    }
  }
  const oldest = Math.max(first, shared.first)
  const end = Math.min(last, shared.last)
  const fork = end < oldest ? end : await forkWithin(oldest, end, comparison)
  // Both have genesis before record 1.
  if (fork < oldest && end >= oldest && oldest > 1) {
    return { kind: 'refused', code: 'FORKED', reason: `none of the records from ${oldest} on is the same` }
  }
  return { kind: shared.last > fork ? 'adopt' : 'publish', fork }
}

/** The newest common record; one less than `oldest`: there is none. */
async function forkWithin(oldest: number, end: number, comparison: LogComparer): Promise<number> {
  const { acknowledged, isSame, sameThrough } = comparison
  const begin = Math.min(end, Math.max(oldest, acknowledged))
  if (await isSame(begin)) return sameThrough(begin, end)
  // The log has other records or lost its end: a binary search finds the fork.
  let [low, high] = [oldest, begin]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isSame(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * Compares the records of a directory with the replicated ones. Its methods throw ReplicatedLogError `UNREACHABLE` when
 * the log lacks a record within its range: a former leader of it answered.
 */
export function comparisonOf(own: SegmentLog, shared: ReplicatedLog): LogComparer {
  return {
    acknowledged: acknowledgedSequence(own),
    isSame: async (sequence) => {
      const there = await shared.record(sequence)
      if (there === undefined) throw missingRecord(shared, sequence)
      return isEqual(ownRecord(own, sequence), there)
    },
    sameThrough: async (from, to) => {
      let same = from
      if (same >= to) return same
      for await (const records of shared.read(from + 1)) {
        for (const { sequence, payload } of records) {
          if (sequence <= same) continue
          if (sequence !== same + 1) throw missingRecord(shared, same + 1)
          if (!isEqual(ownRecord(own, sequence), payload)) return same
          same = sequence
          if (same === to) return same
        }
      }
      throw missingRecord(shared, same + 1)
    },
  }
}

function isEqual(own: Bytes | undefined, other: Bytes): boolean {
  return own !== undefined && Buffer.compare(own, other) === 0
}

function missingRecord({ name, range }: ReplicatedLog, sequence: number): ReplicatedLogError {
  const message =
    `${name} has records ${range?.first} to ${range?.last}, but answers that it lacks record ${sequence}: its servers ` +
    'may be electing a leader; try again, and check them if it lasts'
  return new ReplicatedLogError('UNREACHABLE', message)
}

/**
 * Makes the records of a data directory equal to those of the replicated log, before any is read, and publishes those
 * that only the directory has.
 *
 * @throws ReplicatedLogError `GAP`, `FORKED` if neither extends the other; `UNREACHABLE` when a former leader answers
 */
export async function joinReplicatedLog(
  own: SegmentLog,
  shared: ReplicatedLog,
  /** Height of the store: its blocks were announced. */
  stored: number,
): Promise<RecordPublisher> {
  const { lastSequence: last } = own
  const range = { first: own.firstSequence ?? last + 1, last }
  const comparison = await compareLogs(range, shared.range, comparisonOf(own, shared))
  if (comparison.kind === 'refused') throw notJoinable(shared.name, own, comparison)
  const { fork, kind } = comparison
  const publisher = shared.publisher(Math.max(fork, shared.range?.last ?? 0))
  if (kind === 'publish') {
    for (const record of own.read(fork + 1)) publisher.add(record)
    await publisher.flush()
    return publisher
  }
  for (const { sequence, payload } of own.read(fork + 1)) {
    const record = decodeRecord(payload)
    if (record.kind !== 'seal' || record.number > stored) continue
    const reason = `record ${sequence} seals block ${record.number}, which is stored here, and is another one there`
    throw notJoinable(shared.name, own, { code: 'FORKED', reason }, fork)
  }
  await own.removeAfter(fork)
  let bytes = 0
  for await (const records of shared.read(fork + 1)) {
    for (const { payload } of records) {
      own.append(payload)
      bytes += payload.length
    }
    if (bytes > MAX_ADOPTED_BYTES) {
      throw notJoinable(shared.name, own, { code: 'GAP', reason: 'it is too far ahead' })
    }
    await own.sync()
  }
  return publisher
}

function ownRecord(own: SegmentLog, sequence: number): Bytes | undefined {
  for (const { payload } of own.read(sequence, sequence)) return payload
  return undefined
}

/**
 * Logs that cannot be joined: the message says what the directory still holds.
 *
 * @param fork the newest record that both have, if it is known
 */
export function notJoinable(
  name: string,
  own: SegmentLog,
  { code, reason }: { readonly code: 'GAP' | 'FORKED'; readonly reason: string },
  fork?: number,
): ReplicatedLogError {
  const advice =
    code === 'GAP'
      ? 'bring this data directory up to date with `tickertape replica` first, or remove the stream if this ' +
        'directory is the right one'
      : 'remove this data directory, or the stream, whichever is the wrong one'
  const held = code === 'FORKED' ? `. ${heldText(own, fork ?? (own.firstSequence ?? 1) - 1)}` : ''
  const message = `the records here and those of ${name} do not go together: ${reason}; ${advice}${held}`
  return new ReplicatedLogError(code, message)
}

function heldText(own: SegmentLog, fork: number): string {
  const blocks: number[] = []
  let transactions = 0
  for (const { payload } of own.read(fork + 1)) {
    const record = decodeRecord(payload)
    if (record.kind === 'seal') blocks.push(record.number)
    if (record.kind === 'flashblock') transactions += record.transactions.length
  }
  const sealed = blocks.length === 0 ? 'no sealed block' : `blocks ${blocks[0]} to ${blocks.at(-1)}`
  return (
    `Before you remove it: this directory still holds records ${fork + 1} to ${own.lastSequence}, which are not there: ` +
    `${sealed} and ${transactions} transactions in flashblocks (\`tickertape export\` writes the blocks to a file)`
  )
}
