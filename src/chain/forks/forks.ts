/** Hard forks in the order of their activation; the two last change blob parameters only. */
export const FORKS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'bpo1',
  'bpo2',
] as const

export type Fork = (typeof FORKS)[number]

const ORDER = new Map<Fork, number>(FORKS.map((fork, index) => [fork, index]))

/**
 * Whether the rules of `fork` hold in a block of fork `active`.
 *
 * @example isActive('prague', 'london') // true
 */
export function isActive(active: Fork, fork: Fork): boolean {
  return ORDER.get(active)! >= ORDER.get(fork)!
}
