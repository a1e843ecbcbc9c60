import { decodeRecord } from '../../state/record.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'
import { settledSequence } from './acknowledged-records.ts'
import { comparisonOf, findJunction, refusalText } from './join-replicated-log.ts'
import { type OpenSharedLog, SharedLogError } from './replicated-log.ts'

/**
 * Gives up what the records of a data directory have beyond the shared ones, before anything is read from them: it was announced
 * to nobody. Where the shared log is empty, or lost what was announced or is stored here, nothing is given up: whoever leads
 * publishes it.
 *
 * @throws SharedLogError `GAP`, `FORKED`
 */
export async function agreeWithSharedLog(own: SegmentLog, shared: OpenSharedLog, stored: number): Promise<void> {
  const { range } = shared
  const { lastSequence: last } = own
  // It begins beyond the end of these: whoever follows it learns what to do.
  if (range === undefined || range.first > last + 1) return
  const here = { first: own.firstSequence ?? last + 1, last }
  const junction = await findJunction(here, range, comparisonOf(own, shared))
  if (junction.kind === 'refused') throw new SharedLogError(junction.code, refusalText(shared.name, junction))
  if (junction.kind === 'publish' && settledSequence(own) > junction.fork) return
  for (const { sequence, payload } of own.read(junction.fork + 1)) {
    const record = decodeRecord(payload)
    if (record.kind !== 'seal' || record.number > stored) continue
    if (junction.kind === 'publish') return
    const reason = `record ${sequence} seals block ${record.number}, which is stored here, and is another one there`
    throw new SharedLogError('FORKED', refusalText(shared.name, { code: 'FORKED', reason }))
  }
  await own.removeAfter(junction.fork)
}
