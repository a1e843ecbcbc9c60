import type { UpstreamFailure } from './upstream-failure.ts'

export interface RetryCircumstances {
  /** Attempts so far, including this one. */
  readonly attempt: number
  /** Attempts after the first. */
  readonly retries: number
  /** Milliseconds until the deadline. */
  readonly remainingMs: number
  /** From 0 to 1. */
  readonly random: number
}

export type RetryDecision =
  /** `after` is in milliseconds. */
  { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'giveUp' }

/** Time to wait before each attempt. */
export interface RetryPolicy {
  readonly firstWaitMs: number
  /** A longer `Retry-After` is respected. */
  readonly longestWaitMs: number
  /** Growth of the wait with each attempt: 1, 2, 3 times the first one, or 1, 2, 4 times. */
  readonly growth: 'linear' | 'exponential'
}

const QUICK: RetryPolicy = { firstWaitMs: 100, longestWaitMs: 2_000, growth: 'exponential' }
/** Transient HTTP statuses; 429 is a kind of its own. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524])
const GIVE_UP: RetryDecision = { kind: 'giveUp' }

/**
 * Whether and when a failed read is retried: transient failures are, with a growing wait and jitter. Reads are
 * idempotent, so all of them may be repeated.
 */
export function decideRetry(
  failure: UpstreamFailure,
  circumstances: RetryCircumstances,
  { firstWaitMs, longestWaitMs, growth }: RetryPolicy = QUICK,
): RetryDecision {
  const { attempt, retries, remainingMs, random } = circumstances
  if (attempt > retries || !isPassing(failure)) return GIVE_UP
  const factor = growth === 'linear' ? attempt : 2 ** (attempt - 1)
  const longest = Math.min(longestWaitMs, firstWaitMs * factor)
  const backOff = (longest / 2) * (1 + random)
  const wanted = 'retryAfter' in failure ? (failure.retryAfter ?? 0) : 0
  const after = Math.max(backOff, wanted)
  return after < remainingMs ? { kind: 'retry', afterMs: after } : GIVE_UP
}

function isPassing(failure: UpstreamFailure): boolean {
  switch (failure.kind) {
    case 'unreachable':
    case 'timeout':
    case 'limited':
    case 'malformed':
    case 'tooMuch':
      return true
    case 'status':
      return PASSING_STATUSES.has(failure.status)
    default:
      return false
  }
}

/**
 * Milliseconds of a `Retry-After` (RFC 9110, 10.2.3): seconds, or a date.
 *
 * @param now milliseconds since 1970
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
