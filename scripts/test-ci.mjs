// Every test, for `.ci/run`. Files that failed run once more, each alone: one that passes then is reported as flaky,
// one that fails twice fails the run.
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECTS, runVitest } from './test.mjs'

const paths = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'tickertape-test-results-'))
// The same random cases in both runs: a failure that depends on them is not flaky.
process.env.TEST_SEED ??= `${randomInt(2 ** 31)}`

const first = run([...PROJECTS.all, ...paths])
const second = new Map(first.files.map((file) => [file, run([file])]))
rmSync(directory, { recursive: true })

const failed = first.files.filter((file) => !isGood(second.get(file)))
for (const file of first.files) console.log(failed.includes(file) ? `failed twice: ${file}` : `flaky: ${file}`)
if (first.errors > 0) console.log(`${first.errors} errors outside of tests`)
const failedTests = failed.reduce((sum, file) => sum + Math.max(second.get(file).failed, 1), 0)
console.log(`${first.passed + first.failed - failedTests} passed, ${failedTests} failed`)
process.exitCode = failed.length > 0 || first.errors > 0 ? 1 : 0

/** Returns the results that `test/support/run-reporter.mjs` wrote; a run that ends without results is an error. */
function run(args) {
  const results = join(directory, 'results.json')
  rmSync(results, { force: true })
  const status = runVitest(args, { TEST_RESULTS: results })
  if (!existsSync(results)) return { passed: 0, failed: 0, files: [], errors: 1 }
  const written = JSON.parse(readFileSync(results, 'utf8'))
  // An exit code that no failure explains is an error too.
  return status !== 0 && isGood(written) ? { ...written, errors: 1 } : written
}

function isGood({ files, errors }) {
  return files.length === 0 && errors === 0
}
