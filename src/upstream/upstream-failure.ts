import { foreignText } from '../primitives/text/foreign-text.ts'

/** Why an upstream node could not be read. */
export type UpstreamFailure =
  /** No connection, or one that ended before the response did. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Timeout of this service in milliseconds; `undefined`: timeout of the upstream. */
  | { readonly kind: 'timeout'; readonly milliseconds: number | undefined }
  /** An HTTP status other than 200. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | undefined }
  /** The upstream limits the rate; `retryAfter` is in milliseconds if it named a time. */
  | { readonly kind: 'limited'; readonly retryAfter: number | undefined }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'tooLarge'; readonly maxBytes: number }
  /** Several responses together; `maxBytes` bounds those that are being received. */
  | { readonly kind: 'tooMuch'; readonly maxBytes: number }
  /** A JSON-RPC error unrelated to the contract. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'busy'; readonly waiting: number }
  | { readonly kind: 'wrongChain'; readonly expected: bigint; readonly found: bigint }
  /** Seconds since the timestamp of the newest block. */
  | { readonly kind: 'stale'; readonly age: number; readonly maxStalenessSeconds: number }
  /** The block was replaced during each attempt to read it. */
  | { readonly kind: 'replaced' }

export class UpstreamError extends Error {
  readonly code = 'UPSTREAM'
  override readonly name = 'UpstreamError'
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure) {
    super(upstreamFailureMessage(failure))
    this.failure = failure
  }
}

/** Does not contain the URL of the upstream, because URLs of providers contain keys. */
export function upstreamFailureMessage(failure: UpstreamFailure): string {
  switch (failure.kind) {
    case 'unreachable':
      return `the upstream node cannot be reached (${failure.reason}): try again`
    case 'timeout':
      return failure.milliseconds === undefined
        ? 'the upstream node ended a read that took too long: try again'
        : `the upstream node did not answer within ${Math.round(failure.milliseconds)} ms: try again`
    case 'status':
      return `the upstream node answered with HTTP ${failure.status}: try again`
    case 'limited':
      return 'too many requests to the upstream node: try again later'
    case 'malformed':
      return `the upstream node answered with something that is no JSON-RPC answer: ${foreignText(failure.reason)}`
    case 'tooLarge':
      return `an answer of the upstream node is larger than ${failure.maxBytes} bytes: lower --batch-size, or raise --max-upstream-bytes`
    case 'tooMuch':
      return `answers of the upstream node that arrive at the same time are larger than ${failure.maxBytes} bytes together: try again, or lower --max-upstream-requests`
    case 'refused':
      return `the upstream node refused a read: ${foreignText(failure.message)} (${failure.code})`
    case 'busy':
      return `${failure.waiting} reads are queued for the upstream node already: try again`
    case 'wrongChain':
      return `the upstream node is of chain ${failure.found}, not of chain ${failure.expected}: nothing of it is served`
    case 'stale':
      return `the newest block of the upstream node is ${failure.age} s old, more than ${failure.maxStalenessSeconds} (--max-staleness-seconds): ask for a block by its number or hash, or try again`
    case 'replaced':
      return 'the block was replaced while it was read, again and again: try again, or ask for latest'
  }
}
