import { decodeRecord } from '../../state/records/record.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'
import type { Clock } from '../core/clock.ts'
import { acknowledgedSequence } from './acknowledged-records.ts'
import { compareLogs, comparisonOf, notJoinable } from './join-replicated-log.ts'
import { type ReplicatedLog, ReplicatedLogError } from './replicated-log.ts'

/** Milliseconds after which a stream leader that has lost its followers steps down: until then it may answer (NATS). */
const FORMER_LEADER_MS = 10_000
/** Milliseconds between two reads of the ends of the log. */
const INTERVAL_MS = 250

/**
 * Discards the records of a data directory beyond the replicated ones, before any is read: they were never announced.
 * Keeps them if the replicated log is empty, or lost records that were announced or are stored locally: the next leader
 * publishes them. A log that seems to have lost records is read again for a while: a former leader of it may have
 * answered, and the newest records here may be others than those that it lacks.
 *
 * @throws ReplicatedLogError `GAP`, `FORKED`; `UNREACHABLE` if its answers contradict each other for longer than that
 */
export async function trimToReplicatedLog(
  own: SegmentLog,
  shared: ReplicatedLog,
  stored: number,
  { clock, log }: { readonly clock: Clock; readonly log: { warn(details: object, message: string): void } },
): Promise<void> {
  const deadline = clock.monotonic() + FORMER_LEADER_MS
  const isLast = () => clock.monotonic() >= deadline
  let isLogged = false
  while (!(await isSettled(trim(own, shared, stored), isLast))) {
    if (!isLogged) {
      const details = { target: shared.name, limitMs: FORMER_LEADER_MS }
      log.warn(
        details,
        'the stream lacks records of this directory: it is read again, in case a former leader answered',
      )
    }
    isLogged = true
    do await new Promise<void>((resolve) => void clock.at(clock.monotonic() + INTERVAL_MS, resolve))
    while (!(await isSettled(shared.refresh(), isLast)))
  }
}

/** Whether an attempt need not be repeated. @param isLast whether the time for others is over */
async function isSettled(attempt: Promise<unknown>, isLast: () => boolean): Promise<boolean> {
  try {
    return (await attempt) !== 'lost' || isLast()
  } catch (error) {
    if (isLast() || !(error instanceof ReplicatedLogError) || error.code !== 'UNREACHABLE') throw error
    return false
  }
}

/** @returns `lost`: records that were announced, are stored here, or may be published are missing; all were kept */
async function trim(own: SegmentLog, shared: ReplicatedLog, stored: number): Promise<'kept' | 'trimmed' | 'lost'> {
  const { range } = shared
  const { lastSequence: last } = own
  if (range === undefined) return last > 0 ? 'lost' : 'kept'
  // The log begins after the last local record: following it fails with an explanation.
  if (range.first > last + 1) return 'kept'
  const here = { first: own.firstSequence ?? last + 1, last }
  const comparison = await compareLogs(here, range, comparisonOf(own, shared))
  if (comparison.kind === 'refused') throw notJoinable(shared.name, own, comparison)
  const { fork } = comparison
  if (acknowledgedSequence(own) > fork) {
    if (comparison.kind === 'publish') return 'lost'
    const reason = `record ${fork + 1} is another one there, and was announced here`
    throw notJoinable(shared.name, own, { code: 'FORKED', reason }, fork)
  }
  for (const { sequence, payload } of own.read(fork + 1)) {
    const record = decodeRecord(payload)
    if (record.kind !== 'seal' || record.number > stored) continue
    if (comparison.kind === 'publish') return 'lost'
    const reason = `record ${sequence} seals block ${record.number}, which is stored here, and is another one there`
    throw notJoinable(shared.name, own, { code: 'FORKED', reason }, fork)
  }
  await own.removeAfter(fork)
  return 'trimmed'
}
