import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Start NATS servers and wait for leases to expire. */
const NATS = 'src/replication/nats/**/*.test.ts'
/** Run by `npm run test:long` and `npm run test:all`, not by `npm test`. */
const LONG = ['{src,test}/**/*.long.test.ts', NATS]
/** Folders below `test` have packages of their own, some with tests. */
const PACKAGES = 'test/*/node_modules/**'
/** One worker more than there are processors: a worker waits for storage and threads a third of the time. */
const UNIT_WORKERS = availableParallelism() + 1
/** These tests start nodes and servers, which need a processor of their own. */
const PROCESS_WORKERS = Math.max(Math.min(availableParallelism(), 2), availableParallelism() - 1)
/** Runs all random cases of property tests; `npm test` runs a tenth (`test/support/runs.ts`). */
const LONG_RUN = {
  env: { PROPERTY_CASES: 'all' },
  // Some tests install packages, and property tests run all their cases.
  testTimeout: 180_000,
  hookTimeout: 180_000,
}

/** One seed for all random cases of a run, in every process (`test/support/test-seed.ts`). */
process.env.TEST_SEED ??= `${randomInt(2 ** 31)}`
export default defineConfig({
  test: {
    globalSetup: ['test/support/wasm-modules.mjs'],
    setupFiles: ['test/support/fast-check-seed.ts'],
    reporters: ['default', './test/support/run-reporter.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each worker imports a module once, not once per file: imports would take a third of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['{src,scripts}/**/*.test.ts'],
          exclude: LONG,
          maxWorkers: UNIT_WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          exclude: [...LONG, PACKAGES],
          maxWorkers: PROCESS_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG_RUN,
          name: 'long units',
          include: ['src/**/*.{long,property}.test.ts'],
          exclude: [NATS],
          maxWorkers: UNIT_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...LONG_RUN,
          name: 'long processes',
          include: ['test/**/*.{long,property}.test.ts', NATS],
          exclude: [PACKAGES],
          // They wait for leases, seals and restarts for most of their time.
          maxWorkers: PROCESS_WORKERS,
          sequence: { groupOrder: 3 },
        },
      },
      {
        // The contract suite on a chain whose blocks begin with system transactions (`test/support/contract-chain.ts`).
        extends: true,
        test: {
          name: 'system transactions',
          include: ['test/contract/*.test.ts'],
          env: { CONTRACT_PROFILE: 'op' },
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
