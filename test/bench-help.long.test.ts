import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../scripts/bench.mjs', import.meta.url))
const workloads = readdirSync(new URL('../bench/', import.meta.url))
  .filter((entry) => entry.endsWith('.mjs'))
  .map((entry) => entry.slice(0, -'.mjs'.length))

function bench(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('lists every workload with a description', () => {
  const { status, stderr } = bench()
  expect(status).toBe(2)
  for (const name of workloads) expect(stderr).toMatch(new RegExp(`^  ${name} +[a-zA-Z].*\\.$`, 'm'))
  expect(bench('--help')).toEqual({ status: 0, stdout: stderr, stderr: '' })
  expect(bench('nothing').stderr).toBe(`unknown workload 'nothing'\n${stderr}`)
})

test.each(workloads)('%s --help prints usage', (name) => {
  const { status, stdout, stderr } = bench(name, '--help')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain(`\n  npm run bench -- ${name}`)
  const source = readFileSync(new URL(`../bench/${name}.mjs`, import.meta.url), 'utf8')
  const taken = [...source.matchAll(/([a-z][a-z-]*)'?: \{ type: '(?:string|boolean)'/g)].map(([, option]) => option)
  for (const option of taken) expect(stdout).toContain(`--${option}`)
})

// The first benchmark after a change builds the test tools.
test('an unknown option prints usage', { timeout: 300_000 }, () => {
  const { status, stderr } = bench('rpc', '--second', '2')
  expect(status).toBe(2)
  expect(stderr).toContain("Unknown option '--second'")
  expect(stderr).toContain('npm run bench -- rpc --help')
  expect(stderr).not.toContain('at file:')
})
