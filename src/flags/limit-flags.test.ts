import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { DEPOSIT_FLAGS } from './deposit-flags.ts'
import { type FlagTable, flagName } from './flag.ts'
import { FORMER_NAMES } from './former-names.ts'
import { REPLICA_FLAG_GROUPS, START_FLAG_GROUPS } from './start-flags.ts'
import { STOCK_SEND_FLAGS } from './stock-flags.ts'
import { STOCKS_FLAG_GROUPS } from './stocks-flags.ts'

const GROUPS = [...START_FLAG_GROUPS, ...REPLICA_FLAG_GROUPS, ...STOCKS_FLAG_GROUPS]
const FLAGS: FlagTable = Object.assign({}, ...GROUPS.map(({ flags }) => flags), DEPOSIT_FLAGS, STOCK_SEND_FLAGS)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TEXTS = ['src', 'docs', 'README.md', 'scripts', 'examples', 'demo', 'deploy'].flatMap(filesOf)

function filesOf(path: string): readonly string[] {
  const found = path.endsWith('.md') ? [path] : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
  return found
    .map((file) => (file === path ? join(ROOT, path) : join(ROOT, path, file)))
    .filter((file) => /\.(ts|tsx|mjs|md|yml)$/.test(file) && !/node_modules|\.test\.ts$/.test(file))
}

/** Parts that a name must contain, by the unit of its value. */
const NAMED_UNITS: Readonly<Record<string, string>> = {
  ms: 'Ms',
  s: 'Seconds',
  seconds: 'Seconds',
  bytes: 'Bytes',
  MiB: 'Mib',
  percent: 'Percent',
}
/** No limits, and named as in Anvil, in the specifications of flashblocks and Denim, or as a wait of clients. */
const NAMED_ELSEWHERE = [
  'receiptWait',
  'blockTime',
  'flashblockInterval',
  'stateInterval',
  'denimAfter',
  'timestamp',
  'codeSizeLimit',
]

describe('flags', () => {
  test.each(Object.entries(FLAGS).filter(([name]) => !NAMED_ELSEWHERE.includes(name)))(
    '%s has its unit in its name',
    (name, { value }) => expect(name).toContain(NAMED_UNITS[value ?? ''] ?? ''),
  )

  test('no document and no message names a flag by its former name', () => {
    const former = Object.keys(FORMER_NAMES).map(flagName)
    // Anvil has a flag of this name.
    const names = new RegExp(`(?<![\\w-])(${former.filter((name) => name !== '--timeout').join('|')})(?![\\w-])`, 'g')
    const found = TEXTS.flatMap((file) => {
      const named = readFileSync(file, 'utf8').match(names) ?? []
      return named.map((name) => `${relative(ROOT, file)}: ${name}`)
    })
    expect(found).toEqual([])
  })

  test.each(Object.entries(FORMER_NAMES))('%s is now %s', (former, name) => {
    expect(Object.keys(FLAGS)).toContain(name)
    expect(Object.keys(FLAGS)).not.toContain(former)
  })
})
