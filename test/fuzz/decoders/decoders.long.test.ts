import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testSeed } from '../../support/test-seed.ts'
import { readCorpus } from './corpus.ts'
import { fuzz } from './fuzz-target.ts'
import { FUZZ_TARGETS } from './targets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const MINUTES = 5 / 60

test.each([...FUZZ_TARGETS])('%s passes its corpus and five seconds of changes', async (name, target) => {
  const { failure, covered } = await fuzz(target, readCorpus(root, name), { seed: testSeed, minutes: MINUTES })

  expect(failure && { input: Buffer.from(failure.bytes).toString('hex'), error: failure.error }).toBeUndefined()
  expect(covered).toBeGreaterThan(500)
})
