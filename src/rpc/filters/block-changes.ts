import type { View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Unwinding } from './unwindings.ts'

export interface BlockFilterChanges {
  readonly hashes: readonly Hash[]
  /** Height of the first block that has not been returned. */
  readonly next: number
}

/**
 * Hashes of the blocks sealed since `next`, and of those that replaced unwound ones, in order.
 *
 * @param limit hashes per response; the rest follows with the next poll
 */
export function blockChanges(
  next: number,
  unwindings: readonly Unwinding[],
  view: View,
  limit: number,
): BlockFilterChanges {
  const first = unwindings.reduce((lowest, { lastRemaining }) => Math.min(lowest, lastRemaining + 1), next)
  const last = Math.min(view.head.sealed.latest, first + limit - 1)
  const hashes: Hash[] = []
  for (let height = first; height <= last; height++) hashes.push(view.blockHash({ kind: 'number', number: height })!)
  return { hashes, next: Math.max(first, last + 1) }
}
