import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Each of them has servers of its own, with leases that run out. */
const NATS = ['src/replication/nats/**/*.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/support/wasm-modules.mjs'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['src/**/*.test.ts'],
          exclude: NATS,
          // Also the second processor of two: they wait for events, and no process but their own.
          maxWorkers: Math.max(Math.min(availableParallelism(), 2), availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These start nodes and servers, which need a processor themselves.
        extends: true,
        test: { name: 'processes', include: ['test/**/*.test.ts', ...NATS], sequence: { groupOrder: 1 } },
      },
    ],
  },
})
