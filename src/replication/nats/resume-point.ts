import type { SourceErrorCode, StreamHello } from '../../node/log/record-source.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { StreamReader } from './stream-reader.ts'

/** Records at the start of a stream that may precede the first opening of a block. */
const RECORDS_LOOKED_AT = 1_000

/** `range` is empty if the stream is. */
export type NatsResumePoint = {
  readonly range: { readonly firstSequence: number; readonly newestSequence: number }
} & (
  | { readonly kind: 'records'; readonly from: number }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'refused'; readonly code: SourceErrorCode; readonly message: string }
)

/** Decides where a replica resumes in a stream, or why it is refused: the stream must contain its newest record. */
export async function admitToStream({ cursor }: StreamHello, reader: StreamReader): Promise<NatsResumePoint> {
  const ends = await reader.ends()
  const { first, last } = (await reader.range(ends)) ?? { first: 1, last: 0 }
  const range = { firstSequence: first, newestSequence: last }
  if (cursor === undefined) {
    return (await reachesGenesis(reader, first)) ? { kind: 'records', from: first, range } : { kind: 'snapshot', range }
  }
  if (cursor.sequence > last) {
    const message = `the replica has record ${cursor.sequence}, which is not there yet`
    return { kind: 'refused', code: 'BEHIND', message, range }
  }
  if (cursor.sequence < first) return { kind: 'snapshot', range }
  const record = await reader.record(cursor.sequence, ends)
  if (record !== undefined && keccakHash(record) === cursor.hash) {
    return { kind: 'records', from: cursor.sequence + 1, range }
  }
  const message =
    `the replica's history is not this stream's: record ${cursor.sequence} is another one. If ` +
    `the stream is the right one, remove the replica's data directory and start it again`
  return { kind: 'refused', code: 'FORKED', message, range }
}

/** Imported blocks have no records. */
async function reachesGenesis(reader: StreamReader, oldest: number): Promise<boolean> {
  const ends = await reader.ends()
  for await (const records of reader.groups(ends.first, ends.last)) {
    for (const { sequence, payload } of records) {
      const record = decodeRecord(payload)
      if (record.kind === 'flashblock') return record.index === 0 && record.header.number === 1
      if (sequence > oldest + RECORDS_LOOKED_AT) return false
    }
  }
  // Nothing was published yet: the first published record will be the first one in the stream.
  return ends.last === 0
}
