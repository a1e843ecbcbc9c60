import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const REPORTER = fileURLToPath(new URL('support/run-reporter.mjs', import.meta.url))

const PASSING = "test('passes', () => {})"
const FAILING = "test('fails', () => expect(1).toBe(2))"
const DYING = "test('dies', () => new Promise(() => process.kill(process.pid, 'SIGKILL')))"
/** Leaves an error behind that belongs to no test. */
const STRAY =
  "test('passes', async () => { Promise.reject(new Error('stray')); await new Promise((r) => setTimeout(r)) })"

/** See `test/support/run-reporter.mjs`. */
interface Results {
  readonly files: readonly { readonly path: string; readonly outcome: string }[]
  readonly errors: number
}

/** Runs Vitest on test files, one after the other in one process. @returns its output, and what the reporter wrote */
function runTests(files: Record<string, string>, ...options: string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-reporter-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const [name, source] of Object.entries(files)) writeFileSync(join(directory, name), source)
  const results = join(directory, 'results.json')
  const inOneProcess = ['--no-isolate', '--maxWorkers=1', '--sequence.shuffle=false']
  const args = [VITEST, 'run', '--globals', `--reporter=${REPORTER}`, ...inOneProcess, ...options]
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TEST_SEED: '7', TEST_RESULTS: results },
  })
  const written: Results = JSON.parse(readFileSync(results, 'utf8'))
  return { stdout, results: { ...written, files: written.files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) } }
}

describe('the reporter of test runs', () => {
  test('names a file whose process died and those that it had still to run, and counts the death as an error', () => {
    const { stdout, results } = runTests({ 'a.test.js': DYING, 'b.test.js': PASSING, 'c.test.js': PASSING })

    expect(results.errors).toBe(1)
    expect(results.files).toEqual([
      { path: 'a.test.js', outcome: 'died', passed: 0, failed: 0 },
      { path: 'b.test.js', outcome: 'not run', passed: 0, failed: 0 },
      { path: 'c.test.js', outcome: 'not run', passed: 0, failed: 0 },
    ])
    expect(stdout).toContain('Died  a.test.js\n')
    expect(stdout).toContain('Repeat  TEST_SEED=7 npm test -- a.test.js b.test.js c.test.js\n')
  })

  test('counts an unhandled rejection as an error outside of tests', () => {
    const { results } = runTests({ 'bad.test.js': FAILING, 'stray.test.js': STRAY })

    expect(results.errors).toBe(1)
    expect(results.files).toEqual([
      { path: 'bad.test.js', outcome: 'failed', passed: 0, failed: 1 },
      { path: 'stray.test.js', outcome: 'passed', passed: 1, failed: 0 },
    ])
  })

  test('does not call a file dead that an interrupted run did not reach', () => {
    const { stdout } = runTests({ 'a.test.js': FAILING, 'b.test.js': PASSING }, '--bail=1')

    expect(stdout).not.toContain('Died')
    expect(stdout).toContain('Repeat  TEST_SEED=7 npm test -- a.test.js\n')
  })
})
