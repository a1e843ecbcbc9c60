import type { Hash } from '../../primitives/hex.ts'
import type { Announcement } from '../machine/announcement.ts'
import type { Head } from '../machine/head.ts'
import type { View } from '../view/view.ts'

/**
 * The newest common block of a view and a chain that replaces it; `undefined` if the chain replaces no shown block, or
 * if the two do not overlap.
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

/** As `forkOf`, for a reapplied chain; `undefined`: it does not reach back to the fork. */
export function forkFrom(view: View, { sealed, recent, base }: Head): number | undefined {
  const newHashes = new Map(recent.map(({ block }) => [block.header.number, block.hash] as const))
  for (let number = Math.min(sealed.latest, view.head.sealed.latest); number >= 0; number--) {
    const hash = newHashes.get(number) ?? base.blockHash(number)
    if (hash === undefined) return undefined
    if (view.blockHash({ kind: 'number', number }) === hash) return number
  }
  return undefined
}

/** Whether a head with fewer records than the view is on another chain, rather than an older head of the same one. */
export function isOtherChain(view: View, { sealed, recent, base }: Head): boolean {
  const { latest } = sealed
  if (latest > view.head.sealed.latest) return true
  const hash = recent.at(-1)?.block.hash ?? base.blockHash(latest)
  return view.blockHash({ kind: 'number', number: latest }) !== hash
}

/**
 * The part of an announcement that listeners have not received, given that they know `before`; `undefined` if the
 * announcement does not extend `before`, so that another chain is shown.
 */
export function untold(
  before: Head,
  { flashblocks, sealed = [] }: Pick<Announcement, 'flashblocks' | 'sealed'>,
): Pick<Announcement, 'flashblocks' | 'sealed'> | undefined {
  const { index, block } = before.pending
  // Flashblocks without changes have the hash of their predecessor.
  const last = flashblocks.findIndex(({ layer, block: { hash } }) => layer.index === index && hash === block.hash)
  if (last === -1) return undefined
  const unshown = sealed.filter(({ block }) => block.header.number > before.sealed.latest)
  return { flashblocks: flashblocks.slice(last + 1), sealed: unshown }
}
