import { expect, test } from 'vitest'
import { fuzzHttp, httpFailureText } from '../../../test/fuzz/http/fuzz-http.ts'
import { testSeed } from '../../../test/support/test-seed.ts'

test('the parser and llhttp read the random requests of a minute alike, except for the listed differences', () => {
  const { failures, executions } = fuzzHttp({ seed: testSeed, minutes: 1 })

  expect(failures.map((failure) => httpFailureText({ seed: testSeed }, failure))).toEqual([])
  expect(executions).toBeGreaterThan(0)
})
