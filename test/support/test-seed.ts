import { seededRandom } from './seeded-random.ts'

/**
 * Seed of all random cases of this run: `TEST_SEED`, which `vitest.config.ts` draws if it is not set. The last lines of
 * a run show it.
 */
export const testSeed = Number(process.env.TEST_SEED)
if (!Number.isSafeInteger(testSeed) || testSeed < 0) {
  throw new Error(`TEST_SEED is a whole number from 0, got '${process.env.TEST_SEED}'`)
}

/** Numbers in [0, 1) that depend on `testSeed`. `part` tells the generators of one test apart. */
export function testRandom(part = 0): () => number {
  return seededRandom(Math.imul(testSeed, 1_000_003) + part)
}
