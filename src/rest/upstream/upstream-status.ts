import { type UpstreamFailure, upstreamFailureMessage } from '../../upstream/upstream-failure.ts'
import { type StatusDetail, StatusError, type StatusName } from '../http/status.ts'

interface ReasonDescription {
  readonly status: StatusName
  /** `reason` of google.rpc.ErrorInfo in the details. */
  readonly reason: string
  readonly when: string
}

const unavailable = (reason: string, when: string): ReasonDescription => ({ status: 'unavailable', reason, when })

/** Errors in responses; `docs/rest.md` is generated from them. */
export const UPSTREAM_REASONS: Readonly<Record<UpstreamFailure['kind'], ReasonDescription>> = {
  unreachable: unavailable(
    'UPSTREAM_UNREACHABLE',
    'No connection to the node, or one that ended before the answer did.',
  ),
  timeout: {
    status: 'deadlineExceeded',
    reason: 'UPSTREAM_TIMEOUT',
    when: 'The node did not answer in time (`--upstream-timeout-ms`, `--deadline-ms`), or gave up by itself.',
  },
  status: unavailable('UPSTREAM_HTTP_STATUS', 'The node answered with an HTTP status other than 200 and 429.'),
  limited: unavailable('UPSTREAM_RATE_LIMITED', 'Too many requests to the node: 429, or an equivalent JSON-RPC error.'),
  malformed: unavailable(
    'UPSTREAM_MALFORMED',
    'What came is no JSON-RPC answer: no JSON, or not one reply to each call.',
  ),
  tooLarge: unavailable('UPSTREAM_ANSWER_TOO_LARGE', 'An answer of the node is larger than `--max-upstream-bytes`.'),
  refused: unavailable(
    'UPSTREAM_REFUSED',
    'The node refused to read, with an error that says nothing about the contract: a method that it lacks, a batch that is too large.',
  ),
  busy: unavailable('UPSTREAM_BUSY', 'More reads wait for the node than `--max-upstream-waiting`.'),
  wrongChain: unavailable(
    'UPSTREAM_WRONG_CHAIN',
    'The node is of another chain than at the start, or than `--chain-id`.',
  ),
  stale: unavailable(
    'UPSTREAM_STALE',
    "The node's newest block is older than `--max-staleness-seconds`, and the request names a tag.",
  ),
  replaced: unavailable('UPSTREAM_BLOCK_REPLACED', 'The block was replaced five times before it was read to the end.'),
}

/** The REST outcome of a failure. */
export function statusErrorOf(failure: UpstreamFailure): StatusError {
  const { status, reason } = UPSTREAM_REASONS[failure.kind]
  const info: StatusDetail = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'tickertape' }
  return new StatusError(status, upstreamFailureMessage(failure), [info])
}
