import { expect, test } from 'vitest'
import { fuzzHttp, httpFailureText } from '../../../test/fuzz/http/fuzz-http.ts'
import { LISTED_DIFFERENCES } from '../../../test/fuzz/http/listed-differences.ts'

test('the parser and llhttp read random requests alike, except for the listed differences', () => {
  const { failures, listed } = fuzzHttp({ seed: 1, runs: 30_000 })

  expect(failures.map((failure) => httpFailureText({ seed: 1 }, failure))).toEqual([])
  expect([...listed.keys()].sort()).toEqual(LISTED_DIFFERENCES.map(({ reason }) => reason).sort())
})
