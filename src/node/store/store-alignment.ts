import type { Hash } from '../../primitives/hex.ts'
import { movesTip, noteSeal } from '../../state/records/record-kinds.ts'
import type { NumberedRecord } from '../log/journal.ts'

/**
 * The newest stored block that belongs to the chain of the records. It is below the newest stored block only when the
 * process ended between writing an unwind record and unwinding the store; then the store is unwound to it.
 *
 * @param newest height of the store
 * @param storedHash hash of a block in the store
 */
export function alignedHeight(
  records: Iterable<NumberedRecord>,
  newest: number,
  storedHash: (number: number) => Hash | undefined,
): number {
  const sealed = new Map<number, Hash>()
  let unwoundTo = Number.POSITIVE_INFINITY
  for (const { record } of records) {
    if (!movesTip(record)) continue
    noteSeal(sealed, record, record.hash)
    if (record.kind === 'unwind') unwoundTo = Math.min(unwoundTo, record.number)
  }
  let height = Math.min(newest, unwoundTo)
  while (height < newest && sealed.get(height + 1) !== undefined && sealed.get(height + 1) === storedHash(height + 1)) {
    height += 1
  }
  return height
}
