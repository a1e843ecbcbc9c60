import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Start NATS servers and wait for leases to expire. */
const NATS = 'src/replication/nats/**/*.test.ts'
/** Run by `npm run test:long` and `npm run test:all`, not by `npm test`. */
const LONG = ['{src,test}/**/*.long.test.ts', NATS]
/** Run with few random cases by `npm test`, with all of them by `npm run test:long` (`test/support/runs.ts`). */
const PROPERTIES = '{src,test}/**/*.property.test.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/support/wasm-modules.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each worker imports a module once, not once per file: imports would take a third of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['src/**/*.test.ts'],
          exclude: LONG,
          // Every processor: unit tests wait for events and start no processes.
          maxWorkers: Math.max(Math.min(availableParallelism(), 2), availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These start nodes and servers, which need a processor of their own.
        extends: true,
        test: { name: 'processes', include: ['test/**/*.test.ts'], exclude: LONG, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [...LONG, PROPERTIES],
          env: { PROPERTY_CASES: 'all' },
          // Of the usual limit, the longest need half on an idle machine.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The contract suite on a chain whose blocks begin with system transactions (`test/support/contract-chain.ts`).
        extends: true,
        test: {
          name: 'system transactions',
          include: ['test/contract/*.test.ts'],
          env: { CONTRACT_PROFILE: 'op' },
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
