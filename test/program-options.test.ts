import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const PROGRAMS = ['crash', 'damage', 'replica', 'failover', 'fork']
const scripts = fileURLToPath(new URL('../scripts', import.meta.url))

function run(name: string, ...flags: string[]) {
  return spawnSync(process.execPath, [`${scripts}/test-${name}.mjs`, ...flags], { encoding: 'utf8', timeout: 30_000 })
}

describe.each(PROGRAMS)('npm run test:%s', (name) => {
  test('--help prints the options with examples', () => {
    const { status, stdout, stderr } = run(name, '--help')

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: npm run test:${name} -- `))
    expect(stdout).toContain('--seed N')
    expect(stdout).toMatch(new RegExp(`Examples:\n  \\$ npm run test:${name} -- --`))
    expect(stderr).toBe('')
  })

  test.each([
    [['--unknown'], "Unknown option '--unknown'\n"],
    [['--seed', 'one'], "--seed needs a whole number from 0, not 'one'\n"],
    [['--seeds', '2'], "Unknown option '--seeds': did you mean --seed?\n"],
    [['more'], "Unexpected argument 'more': if npm kept a flag before it, write -- before the flags"],
  ])('%j ends with code 2, the reason and the command that lists the options', (flags, reason) => {
    const { status, stdout, stderr } = run(name, ...flags)

    expect(status).toBe(2)
    expect(stderr.startsWith(reason)).toBe(true)
    expect(stderr).toContain(`\nnpm run test:${name} -- --help lists all options\n`)
    expect(stderr).not.toContain('    at ')
    expect(stdout).toBe('')
  })
})

test('a value that is not in a list of choices is refused with the choices', () => {
  const { status, stderr } = run('failover', '--kinds', 'kill-leader,none')

  expect(status).toBe(2)
  expect(stderr).toMatch(/^--kinds does not know 'none': choose from kill-leader, freeze-leader/)
})
