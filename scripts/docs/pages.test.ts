import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { completeHelp, startCommand } from '../../src/cli/commands/start-command.ts'
import { stockCommand } from '../../src/cli/stock/stock-command.ts'
import { STOCK_COMMANDS } from '../../src/cli/stock/stock-commands.ts'
import { type Flag, flagName, shownDefault } from '../../src/flags/flag.ts'
import { START_FLAG_GROUPS, START_FLAGS } from '../../src/flags/start-flags.ts'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import { PAGES } from './pages.ts'

const pageOf = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

test.each([...PAGES])('docs/%s is the output of `npm run docs`', (name, make) => {
  expect(make(pageOf(name))).toBe(pageOf(name))
})

test('every flag belongs to a group and appears in --help-all and the reference', () => {
  const grouped = START_FLAG_GROUPS.flatMap(({ flags }) => Object.keys(flags))
  expect(grouped.sort()).toEqual(Object.keys(START_FLAGS).sort())
  const help = completeHelp(startCommand())
  const reference = PAGES.get('cli.md')!('')
  for (const name of grouped) {
    expect(help).toContain(`${flagName(name)} `)
    expect(reference).toContain(`\`${flagName(name)}`)
  }
})

test('--help of start shows the common flags on one page, with their groups, and names --help-all', () => {
  const help = startCommand().helpInformation()

  for (const flag of ['--port', '--mining', '--compat', '--fork-url', '--state', '--help-all']) {
    expect(help).toContain(`  ${flag} `)
  }
  expect(help).toContain('\nDevelopment:\n')
  expect(help).not.toContain('--max-body-bytes')
  expect(help.split('\n').length).toBeLessThan(100)
})

test.each(STOCK_COMMANDS.map((command) => [command.name, command] as const))(
  'the flags of stock %s appear in --help and the reference',
  (name, { flags, groups }) => {
    const help = stockCommand()
      .commands.find((command) => command.name() === name)!
      .helpInformation()
    const reference = PAGES.get('cli.md')!('')
    expect(reference).toContain(`## \`stock ${name}`)
    for (const option of [flags, ...groups.map((group) => group.flags)].flatMap(Object.keys)) {
      expect(help).toContain(`${flagName(option)} `)
      expect(reference).toContain(`\`${flagName(option)}`)
    }
  },
)

test('the reference contains every method', () => {
  const reference = PAGES.get('rpc.md')!('')
  for (const { name } of RPC_METHODS) expect(reference).toContain(`### ${name}\n`)
})

test('the table of limits contains every flag of the groups of limits, with its default and its outcome', () => {
  // These two size the process.
  const sizing = new Set(['callWorkers', 'rpcWorkers'])
  const limits = START_FLAG_GROUPS.filter(({ title }) => title.startsWith('Limits of ')).flatMap(({ flags }) =>
    Object.entries<Flag<unknown>>(flags).filter(([name]) => !sizing.has(name)),
  )
  const lines = PAGES.get('operations.md')!(pageOf('operations.md')).split('\n')

  expect(limits.length).toBeGreaterThan(60)
  for (const [name, definition] of limits) {
    const row = lines.filter((line) => line.includes(`| \`${flagName(name)}\` | ${shownDefault(definition)} | `))
    expect(row, name).toHaveLength(1)
    expect(row[0]).toMatch(/^\| [A-Z].* \| [^|]+ \|$/)
  }
})
