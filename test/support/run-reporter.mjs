import { writeFileSync } from 'node:fs'

/**
 * Reporter that ends a run with its seed, and with the command that repeats failed files with the same random cases.
 * Writes the outcome to the file `TEST_RESULTS` if it is set, for `scripts/test-ci.mjs`.
 */
export default class RunReporter {
  onTestRunEnd(modules, errors) {
    const files = [...new Set(modules.filter((module) => !module.ok()).map((module) => module.relativeModuleId))]
    const { TEST_SEED: seed, TEST_RESULTS: path } = process.env
    process.stdout.write(`        Seed  ${seed}\n`)
    if (files.length > 0) process.stdout.write(`      Repeat  TEST_SEED=${seed} npm test -- ${files.join(' ')}\n`)
    process.stdout.write('\n')
    if (path !== undefined) {
      const count = (state) => modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0)
      const results = { passed: count('passed'), failed: count('failed'), files, errors: errors.length }
      writeFileSync(path, JSON.stringify(results))
    }
  }
}
