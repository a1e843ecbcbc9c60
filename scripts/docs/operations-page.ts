import { type FlagGroup, type FlagTable, flagName, shownDefault } from '../../src/flags/flag.ts'
import { START_FLAG_GROUPS } from '../../src/flags/start-flags.ts'
import { FIXED_LIMITS } from './fixed-limits.ts'
import { capitalized, code, table, withGeneratedPart } from './markdown.ts'

const SOURCES = 'the tables of limits and `scripts/docs/fixed-limits.ts`'
const HEAD = ['bounded', 'flag', 'default', 'when it is reached']

/** `docs/operations.md`: the page as written, with the current table of limits. */
export function operationsPage(written: string): string {
  return withGeneratedPart(written, SOURCES, limitTables())
}

function limitTables(): string {
  const sections = START_FLAG_GROUPS.map(sectionOf).filter((section) => section !== undefined)
  const fixed = [...FIXED_LIMITS].map(([title, limits]) => {
    const rows = limits.map(([bounded, value, outcome]) => [bounded, String(value), outcome])
    return `#### ${title}\n\n${table(['bounded', 'value', 'when it is reached'], rows)}`
  })
  return [...sections, '### Limits without a flag', ...fixed].join('\n\n')
}

/** The limits among the flags of a group. */
function sectionOf({ title, flags }: FlagGroup): string | undefined {
  const rows = rowsOf(flags)
  return rows.length === 0 ? undefined : `### ${title}\n\n${table(HEAD, rows)}`
}

function rowsOf(flags: FlagTable): string[][] {
  return Object.entries(flags).flatMap(([name, { description, reached, ...definition }]) => {
    if (reached === undefined) return []
    const shown = shownDefault({ ...definition, description })
    return [[capitalized(description), code(flagName(name)), shown, capitalized(reached)]]
  })
}
