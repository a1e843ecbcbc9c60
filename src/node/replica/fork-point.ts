import type { Hash } from '../../primitives/hex.ts'
import type { View } from '../view.ts'

/**
 * The newest block that a view has in common with a chain that replaces what it shows; `undefined` where nothing that it
 * shows is replaced, or where the two do not overlap and nothing can be told.
 *
 * @param hashes of the new chain's newest blocks, by height, oldest first
 */
export function forkOf(view: View, hashes: ReadonlyMap<number, Hash>): number | undefined {
  const { latest } = view.head.sealed
  const heights = [...hashes.keys()].filter((number) => number <= latest)
  const isOurs = (number: number) => view.blockHash({ kind: 'number', number }) === hashes.get(number)
  const fork = heights.findLast(isOurs)
  return fork === undefined || fork === latest ? undefined : fork
}
