import { type StatusDetail, StatusError, type StatusName } from '../status.ts'

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
    super(messageOf(failure))
    this.failure = failure
  }
}

interface ReasonDescription {
  readonly status: StatusName
  /** `reason` of google.rpc.ErrorInfo in the details. */
  readonly reason: string
  readonly when: string
}

/** Errors in responses; `docs/rest.md` is generated from them. */
export const UPSTREAM_REASONS: Readonly<Record<UpstreamFailure['kind'], ReasonDescription>> = {
  unreachable: {
    status: 'unavailable',
    reason: 'UPSTREAM_UNREACHABLE',
    when: 'No connection to the node, or one that ended before the answer did.',
  },
  timeout: {
    status: 'deadlineExceeded',
    reason: 'UPSTREAM_TIMEOUT',
    when: 'The node did not answer in time (`--timeout`, `--deadline`), or gave up by itself.',
  },
  status: {
    status: 'unavailable',
    reason: 'UPSTREAM_HTTP_STATUS',
    when: 'The node answered with an HTTP status other than 200 and 429.',
  },
  limited: {
    status: 'unavailable',
    reason: 'UPSTREAM_RATE_LIMITED',
    when: 'Too many requests to the node: 429, or an equivalent JSON-RPC error.',
  },
  malformed: {
    status: 'unavailable',
    reason: 'UPSTREAM_MALFORMED',
    when: 'What came is no JSON-RPC answer: no JSON, or not one reply to each call.',
  },
  tooLarge: {
    status: 'unavailable',
    reason: 'UPSTREAM_ANSWER_TOO_LARGE',
    when: 'An answer of the node is larger than `--max-upstream-bytes`.',
  },
  refused: {
    status: 'unavailable',
    reason: 'UPSTREAM_REFUSED',
    when: 'The node refused to read, with an error that says nothing about the contract: a method that it lacks, a batch that is too large.',
  },
  busy: {
    status: 'unavailable',
    reason: 'UPSTREAM_BUSY',
    when: 'More reads wait for the node than `--max-upstream-waiting`.',
  },
  wrongChain: {
    status: 'unavailable',
    reason: 'UPSTREAM_WRONG_CHAIN',
    when: 'The node is of another chain than at the start, or than `--chain-id`.',
  },
  stale: {
    status: 'unavailable',
    reason: 'UPSTREAM_STALE',
    when: "The node's newest block is older than `--max-staleness`, and the request names a tag.",
  },
  replaced: {
    status: 'unavailable',
    reason: 'UPSTREAM_BLOCK_REPLACED',
    when: 'The block was replaced five times before it was read to the end.',
  },
}

/** Maximum characters of an upstream's text that are passed on. */
const MAX_TEXT = 200

/** The REST outcome of a failure. */
export function statusErrorOf(failure: UpstreamFailure): StatusError {
  const { status, reason } = UPSTREAM_REASONS[failure.kind]
  const info: StatusDetail = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'tickertape' }
  return new StatusError(status, messageOf(failure), [info])
}

/** Does not contain the URL of the upstream, because URLs of providers contain keys. */
function messageOf(failure: UpstreamFailure): string {
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
      return `the upstream node answered with something that is no JSON-RPC answer: ${failure.reason}`
    case 'tooLarge':
      return `an answer of the upstream node is larger than ${failure.maxBytes} bytes: lower --batch-size, or raise --max-upstream-bytes`
    case 'refused':
      return `the upstream node refused a read: ${failure.message.slice(0, MAX_TEXT)} (${failure.code})`
    case 'busy':
      return `${failure.waiting} reads are queued for the upstream node already: try again`
    case 'wrongChain':
      return `the upstream node is of chain ${failure.found}, not of chain ${failure.expected}: nothing of it is served`
    case 'stale':
      return `the newest block of the upstream node is ${failure.age} s old, more than ${failure.maxStalenessSeconds} (--max-staleness): ask for a block by its number or hash, or try again`
    case 'replaced':
      return 'the block was replaced while it was read, again and again: try again, or ask for latest'
  }
}
