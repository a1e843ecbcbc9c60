import { type UpstreamFailure, upstreamFailureMessage } from '../../upstream/upstream-failure.ts'
import { type StatusDetail, StatusError, type StatusName } from '../http/status.ts'

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
    when: 'The node did not answer in time (`--upstream-timeout-ms`, `--deadline-ms`), or gave up by itself.',
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
    when: "The node's newest block is older than `--max-staleness-seconds`, and the request names a tag.",
  },
  replaced: {
    status: 'unavailable',
    reason: 'UPSTREAM_BLOCK_REPLACED',
    when: 'The block was replaced five times before it was read to the end.',
  },
}

/** The REST outcome of a failure. */
export function statusErrorOf(failure: UpstreamFailure): StatusError {
  const { status, reason } = UPSTREAM_REASONS[failure.kind]
  const info: StatusDetail = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'tickertape' }
  return new StatusError(status, upstreamFailureMessage(failure), [info])
}
