import type { ClusterLimits } from './cluster/configuration.ts'
import type { SimulationOptions } from './simulate.ts'

const LIMITS = [
  'nodes',
  'replicas',
  'readers',
  'clients',
  'subscribers',
  'filters',
] as const satisfies (keyof ClusterLimits)[]

/** A value of an option that is not valid; the message is for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/** @throws OptionError @example parseLimits('replicas=0,clients=1') */
export function parseLimits(text: string | undefined): ClusterLimits {
  const pairs = text === undefined ? [] : text.split(',').map((pair) => pair.split('='))
  for (const [name, number] of pairs) {
    if (!LIMITS.some((known) => known === name) || !/^\d+$/.test(number ?? '')) {
      throw new OptionError(`--limit takes ${LIMITS.join(', ')} with numbers, such as replicas=0,clients=1`)
    }
  }
  return Object.fromEntries(pairs.map(([name, number]) => [name, Number(number)]))
}

/** @throws OptionError @example parseNumbers('1-4,7') // the numbers 1, 2, 3, 4 and 7 */
export function parseNumbers(text: string | undefined): ReadonlySet<number> {
  const numbers = new Set<number>()
  for (const part of text === undefined ? [] : text.split(',')) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (first === undefined) throw new OptionError('--skip takes numbers and ranges, such as 1-4,7')
    for (let number = Number(first); number <= Number(last ?? first); number += 1) numbers.add(number)
  }
  return numbers
}

/** The inverse of `parseNumbers`. */
export function formatNumbers(numbers: Iterable<number>): string {
  const ranges: [number, number][] = []
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range !== undefined && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** The command that repeats a run up to its failure. */
export function replayCommand(options: SimulationOptions, until: number, mutant: string | undefined): string {
  const { seed, steps, mode = 'safety', profile = 'all', limits = {}, skipped = new Set() } = options
  const limit = Object.entries(limits).map(([name, number]) => `${name}=${number}`)
  const flags = [
    `--replay ${seed} --steps ${steps}`,
    mode === 'safety' ? '' : `--mode ${mode}`,
    profile === 'all' ? '' : `--profile ${profile}`,
    limit.length === 0 ? '' : `--limit ${limit.join(',')}`,
    skipped.size === 0 ? '' : `--skip ${formatNumbers(skipped)}`,
    `--until ${until} --trace`,
    mutant === undefined ? '' : `--mutant ${mutant}`,
  ]
  return `npm run simulate -- ${flags.filter((flag) => flag !== '').join(' ')}`
}
