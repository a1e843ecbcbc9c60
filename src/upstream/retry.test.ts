import { expect, test } from 'vitest'
import { decideRetry, parseRetryAfter } from './retry.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

const FIRST = { attempt: 1, retries: 3, remainingMs: 10_000, random: 0 }
const RESET: UpstreamFailure = { kind: 'unreachable', reason: 'ECONNRESET' }
const status = (code: number): UpstreamFailure => ({ kind: 'status', status: code, retryAfter: undefined })
const limited = (retryAfter: number | undefined): UpstreamFailure => ({ kind: 'limited', retryAfter })

test.each<[string, UpstreamFailure, Partial<typeof FIRST>, number | 'giveUp']>([
  ['a connection that ended', RESET, {}, 50],
  ['the second time', RESET, { attempt: 2 }, 100],
  ['the third time, at random', RESET, { attempt: 3, random: 0.5 }, 300],
  ['never longer than two seconds', RESET, { attempt: 12, retries: 20, random: 1 }, 2_000],
  ['after the last retry', RESET, { attempt: 4 }, 'giveUp'],
  ['without retries', RESET, { retries: 0 }, 'giveUp'],
  ['when the pause would pass the deadline', RESET, { remainingMs: 50 }, 'giveUp'],
  ['a timeout', { kind: 'timeout', milliseconds: 1 }, {}, 50],
  ['something that is no answer', { kind: 'malformed', reason: 'no JSON' }, {}, 50],
  ['503', status(503), {}, 50],
  ['500', status(500), {}, 50],
  ['401: the next time is no better', status(401), {}, 'giveUp'],
  ['404', status(404), {}, 'giveUp'],
  ['too often, for as long as it says', limited(3_000), {}, 3_000],
  ['too often, for longer than there is time', limited(10_000), {}, 'giveUp'],
  ['too often, and it does not say for how long', limited(undefined), {}, 50],
  ['a refusal', { kind: 'refused', code: -32601, message: 'no such method' }, {}, 'giveUp'],
  ['another chain', { kind: 'wrongChain', expected: 1n, found: 2n }, {}, 'giveUp'],
  ['answers that are too large together', { kind: 'tooMuch', maxBytes: 1 }, {}, 50],
  ['an answer that is too large', { kind: 'tooLarge', maxBytes: 1 }, {}, 'giveUp'],
  ['too many that wait', { kind: 'busy', waiting: 1 }, {}, 'giveUp'],
])('%s', (_, failure, circumstances, expected) => {
  expect(decideRetry(failure, { ...FIRST, ...circumstances })).toEqual(
    expected === 'giveUp' ? { kind: 'giveUp' } : { kind: 'retry', afterMs: expected },
  )
})

test.each([
  ['linear', [500, 1_000, 1_500]],
  ['exponential', [500, 1_000, 2_000]],
] as const)('waits grow %s', (growth, expected) => {
  const policy = { firstWaitMs: 1_000, longestWaitMs: 60_000, growth }
  const waits = [1, 2, 3].map((attempt) => decideRetry(RESET, { ...FIRST, attempt }, policy))
  expect(waits).toEqual(expected.map((afterMs) => ({ kind: 'retry', afterMs })))
})

test.each([
  [null, undefined],
  ['2', 2_000],
  [' 0 ', 0],
  ['Thu, 01 Jan 1970 00:00:05 GMT', 4_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['99999999999999999999', undefined],
])('Retry-After %j is %j ms', (text, expected) => {
  expect(parseRetryAfter(text, 1_000)).toBe(expected)
})
