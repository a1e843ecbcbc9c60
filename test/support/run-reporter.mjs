import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

/** From best to worst; a file in several projects has the worst of its outcomes. */
const OUTCOMES = ['passed', 'failed', 'died', 'not run']

/**
 * Reporter that ends a run with its seed, with the files whose process died, and with the command that repeats failed
 * files with the same random cases. Writes the outcome of every file to the file `TEST_RESULTS` if it is set, for
 * `scripts/test-ci.mjs`.
 */
export default class RunReporter {
  #specifications = []

  onTestRunStart(specifications) {
    this.#specifications = specifications
  }

  onTestRunEnd(modules, errors, reason) {
    // A run that the user or `--bail` interrupts has unfinished files, too.
    const died = reason === 'interrupted' ? [] : modules.filter(isUnfinished)
    const files = new Map()
    for (const module of modules) {
      const outcome = died.includes(module) ? 'died' : module.ok() ? 'passed' : 'failed'
      addOutcome(files, module.relativeModuleId, { outcome, ...countsOf(module) })
    }
    if (died.length > 0) {
      // A process may have had further files to run. Vitest does not count them.
      const notRun = this.#specifications.filter(({ testModule }) => testModule === undefined)
      for (const { project, moduleId } of notRun) {
        addOutcome(files, relative(project.config.root, moduleId), { outcome: 'not run', passed: 0, failed: 0 })
      }
    }
    print([...files.values()])
    const { TEST_RESULTS: path } = process.env
    // The death of a process is an error outside of tests.
    if (path !== undefined) writeFileSync(path, JSON.stringify({ files: [...files.values()], errors: errors.length }))
  }
}

function isUnfinished(module) {
  return ['queued', 'pending'].includes(module.state())
}

function countsOf({ children }) {
  return { passed: [...children.allTests('passed')].length, failed: [...children.allTests('failed')].length }
}

function addOutcome(files, path, { outcome, passed, failed }) {
  const before = files.get(path) ?? { path, outcome, passed: 0, failed: 0 }
  files.set(path, {
    path,
    outcome: OUTCOMES[Math.max(OUTCOMES.indexOf(before.outcome), OUTCOMES.indexOf(outcome))],
    passed: before.passed + passed,
    failed: before.failed + failed,
  })
}

function print(files) {
  const { TEST_SEED: seed } = process.env
  for (const { path, outcome } of files) if (outcome === 'died') process.stdout.write(`        Died  ${path}\n`)
  process.stdout.write(`        Seed  ${seed}\n`)
  const repeated = files.filter(({ outcome }) => outcome !== 'passed').map(({ path }) => path)
  if (repeated.length > 0) process.stdout.write(`      Repeat  TEST_SEED=${seed} npm test -- ${repeated.join(' ')}\n`)
  process.stdout.write('\n')
}
