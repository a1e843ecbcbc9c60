import { decodeRecord } from '../../state/records/record.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'

/** Number of records in the first read; each further read takes eight times as many. */
const FIRST_LOOK = 64

/**
 * The newest record known to have been announced, 0 if there is none: a leader appends a flashblock only after it has
 * announced the one before. The last flashblock of a block is the exception: the seal and the next opening follow it
 * at once.
 */
export function acknowledgedSequence(own: SegmentLog): number {
  const { firstSequence, lastSequence } = own
  if (firstSequence === undefined) return 0
  for (let count = FIRST_LOOK; ; count *= 8) {
    const from = Math.max(firstSequence, lastSequence - count + 1)
    const found = acknowledgedFrom(own, from)
    if (found > 0 || from === firstSequence) return found
  }
}

function acknowledgedFrom(own: SegmentLog, from: number): number {
  let [acknowledged, newest, before] = [0, 0, '']
  for (const { sequence, payload } of own.read(from)) {
    const { kind } = decodeRecord(payload)
    if (kind === 'flashblock') {
      if (newest > 0) acknowledged = newest
      newest = sequence
    } else if (kind === 'seal' && before === 'flashblock') newest = 0
    before = kind
  }
  return acknowledged
}
