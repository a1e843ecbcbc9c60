import fc from 'fast-check'
import { testSeed } from './test-seed.ts'

/** Set-up of every test file: `TEST_SEED` repeats the cases of a property. */
fc.configureGlobal({ seed: testSeed })
