import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

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
          // Also the second processor of two: they wait for events, not for time.
          maxWorkers: Math.max(Math.min(availableParallelism(), 2), availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        // These start nodes, which need a processor themselves.
        extends: true,
        test: { name: 'processes', include: ['test/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
  },
})
