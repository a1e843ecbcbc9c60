import type { BufferedFile } from './segment-file.ts'
import { decodeFrameHeader, FRAME_HEADER_BYTES, isFrameIntact } from './segment-frame.ts'

const SECTOR_BYTES = 512
/** A frame with a sequence number further ahead than this is taken for noise. */
const MAXIMUM_LEAD = 2 ** 24

/**
 * Why the frame at `offset` of the newest segment is unreadable: `torn` by a power loss before it was synced, so that
 * it was never acknowledged and can be truncated, or `corrupt`, in which case truncation would lose an acknowledged
 * record.
 *
 * An interrupted append leaves a prefix of its bytes; the rest is missing or, in whole sectors, zero. Everything else
 * is corruption: an intact later record, a whole frame with a wrong checksum, a frame that is intact except for its
 * length.
 */
export function tailVerdict(file: BufferedFile, offset: number, expected: number): 'torn' | 'corrupt' {
  const tail = file.read(offset, file.size - offset)
  if (holdsLaterRecord(tail, expected)) return 'corrupt'
  if (endsInZeroSectors(tail, offset)) return 'torn'
  if (tail.length < FRAME_HEADER_BYTES) return 'torn'
  const { length, checksum, sequence } = decodeFrameHeader(tail)
  if (sequence !== expected || FRAME_HEADER_BYTES + length <= tail.length) return 'corrupt'
  return isFrameIntact(tail, checksum) ? 'corrupt' : 'torn'
}

function holdsLaterRecord(tail: Uint8Array, expected: number): boolean {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  for (let start = 1; start + FRAME_HEADER_BYTES <= tail.length; start += 1) {
    const lead = view.getUint32(start + 8, true) + view.getUint32(start + 12, true) * 2 ** 32 - expected
    if (lead <= 0 || lead > MAXIMUM_LEAD) continue
    const { length, checksum } = decodeFrameHeader(tail.subarray(start))
    const end = start + FRAME_HEADER_BYTES + length
    if (end <= tail.length && isFrameIntact(tail.subarray(start, end), checksum)) return true
  }
  return false
}

function endsInZeroSectors(tail: Uint8Array, offset: number): boolean {
  let zeros = tail.length
  while (zeros > 0 && tail[zeros - 1] === 0) zeros -= 1
  if (zeros === tail.length) return false
  const sector = Math.ceil((offset + zeros) / SECTOR_BYTES) * SECTOR_BYTES
  return zeros === 0 || sector < offset + tail.length
}
