// Every test, for `.ci/run`. Files that failed, whose process died or that a dead process had still to run are repeated
// once, each alone: a failed one that passes then is reported as flaky, one that fails again fails the run. The death
// of a process fails the run in any case.
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
const repeated = first.files.filter(({ outcome }) => outcome !== 'passed')
const second = new Map(repeated.map(({ path }) => [path, run([path])]))
rmSync(directory, { recursive: true })

for (const { path, outcome } of repeated) {
  if (!isGood(second.get(path))) console.log(`failed again: ${path}`)
  else if (outcome === 'failed') console.log(`flaky: ${path}`)
  else console.log(`passed when it was repeated (at first: ${outcome}): ${path}`)
}
if (first.errors > 0) console.log(`${first.errors} errors outside of tests`)
const good = first.files.filter(({ outcome }) => outcome === 'passed')
const again = [...second.values()]
const failed = again.filter((result) => !isGood(result))
const passedTests = sumOf([...good, ...again.flatMap(({ files }) => files)], ({ passed }) => passed)
const failedTests = sumOf(failed, ({ files }) =>
  Math.max(
    sumOf(files, (file) => file.failed),
    1,
  ),
)
console.log(`${passedTests} passed, ${failedTests} failed`)
process.exitCode = failed.length > 0 || first.errors > 0 ? 1 : 0

/** Returns the results that `test/support/run-reporter.mjs` wrote; a run that ends without results is an error. */
function run(args) {
  const results = join(directory, 'results.json')
  rmSync(results, { force: true })
  const status = runVitest(args, { TEST_RESULTS: results })
  if (!existsSync(results)) return { files: [], errors: 1 }
  const written = JSON.parse(readFileSync(results, 'utf8'))
  // An exit code that no failure explains is an error too.
  return status !== 0 && isGood(written) ? { ...written, errors: 1 } : written
}

function isGood({ files, errors }) {
  return files.every(({ outcome }) => outcome === 'passed') && errors === 0
}

function sumOf(items, numberOf) {
  return items.reduce((sum, item) => sum + numberOf(item), 0)
}
