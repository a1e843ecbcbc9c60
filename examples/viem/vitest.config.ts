import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/compile.ts'],
    // All tests use one node.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
