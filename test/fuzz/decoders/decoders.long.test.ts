import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testSeed } from '../../support/test-seed.ts'
import { readCorpus } from './corpus.ts'
import { fuzz } from './fuzz-target.ts'
import { FUZZ_TARGETS } from './targets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** About five seconds. */
const RUNS = 200_000
/** Coverage depends on the tests that ran before: without it, one seed gives the same inputs everywhere. */
const UNGUIDED = /^$/

test.each([...FUZZ_TARGETS])('%s passes its corpus and 200,000 changes of it', async (name, target) => {
  const options = { seed: testSeed, runs: RUNS, covered: UNGUIDED }

  const { failure } = await fuzz(target, readCorpus(root, name), options)

  expect(failure && { input: Buffer.from(failure.bytes).toString('hex'), error: failure.error }).toBeUndefined()
})
