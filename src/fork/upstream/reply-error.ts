import { meaningOf, type RpcReply } from '../../upstream/rpc-reply.ts'
import type { UpstreamFailure } from '../../upstream/upstream-failure.ts'
import { ForkError } from '../source/fork-error.ts'

/** What failed and where, for messages. */
export interface FailedCall {
  readonly method: string
  /** The upstream without its keys. */
  readonly upstream: string
  /** Attempts after the first. */
  readonly retries: number
}

type ErrorReply = Extract<RpcReply, { kind: 'error' }>

const METHOD_NOT_FOUND = -32601
const METHOD_NOT_SUPPORTED = -32004
const NO_METHOD =
  /method .*(not found|not supported|not available|not allowed|not whitelisted|does not exist|is disabled)|(unsupported|unknown|no such) method/i

/** Whether a reply says that the upstream does not have the method. */
function lacksMethod({ code, message }: ErrorReply): boolean {
  return code === METHOD_NOT_FOUND || code === METHOD_NOT_SUPPORTED || NO_METHOD.test(message)
}

/** The error for a JSON-RPC error of the upstream. `reply` must be redacted. */
export function replyError(reply: ErrorReply, { method, upstream, retries }: FailedCall): ForkError {
  const { code, message, data } = reply
  const detail = { code, message, ...(data !== undefined && { data }) }
  const text = `${message} (${code})`
  if (lacksMethod(reply)) {
    return new ForkError(
      'FORK_METHOD_UNSUPPORTED',
      `${upstream} does not offer ${method}: use another --fork-url`,
      detail,
    )
  }
  switch (meaningOf(reply)) {
    case 'pruned':
      return new ForkError(
        'FORK_STATE_PRUNED',
        `${upstream} no longer has the state for ${method}: ${text}; use an archive node, or a newer --fork-block-number`,
        detail,
      )
    case 'missing':
      return new ForkError(
        'FORK_BLOCK_MISSING',
        `${upstream} does not have the block for ${method}: ${text}; check --fork-block-number, or wait until the node has synchronized`,
        detail,
      )
    case 'limited':
      return new ForkError('FORK_RATE_LIMITED', limitedMessage(method, upstream, retries), detail)
    case 'timedOut':
      return new ForkError(
        'FORK_TIMEOUT',
        `${upstream} ended ${method} because it took too long: ${text}; try again, or use another --fork-url`,
        detail,
      )
    default:
      return new ForkError('FORK_REFUSED', `${upstream} refused ${method}: ${text}`, detail)
  }
}

/** The error for a failed exchange. */
export function exchangeError(failure: UpstreamFailure, { method, upstream, retries }: FailedCall): ForkError {
  const tries = retries === 0 ? '' : ` after ${retries} retries`
  switch (failure.kind) {
    case 'unreachable':
      return new ForkError(
        'FORK_UNREACHABLE',
        `${upstream} cannot be reached for ${method}${tries} (${failure.reason}): check --fork-url and the network`,
      )
    case 'timeout':
      return new ForkError(
        'FORK_TIMEOUT',
        `${upstream} did not answer ${method} in time${tries}: raise --fork-timeout-ms, or use another --fork-url`,
      )
    case 'status':
      return new ForkError('FORK_HTTP_STATUS', statusMessage(failure.status, method, upstream, tries))
    case 'limited':
      return new ForkError('FORK_RATE_LIMITED', limitedMessage(method, upstream, retries))
    case 'malformed':
      return new ForkError(
        'FORK_MALFORMED',
        `${upstream} answered ${method} with something that is no JSON-RPC answer${tries} (${failure.reason}): check --fork-url`,
      )
    case 'tooLarge':
      return new ForkError(
        'FORK_TOO_LARGE',
        `the answer of ${upstream} to ${method} is larger than ${failure.maxBytes} bytes: ask for less, such as a shorter block range`,
      )
    case 'tooMuch':
      return new ForkError(
        'FORK_TOO_LARGE',
        `the answer of ${upstream} to ${method} and those that arrived at the same time are larger than ${failure.maxBytes} bytes together${tries}: try again, or lower --fork-concurrency`,
      )
    case 'refused':
      return replyError({ ...failure, kind: 'error' }, { method, upstream, retries })
    default:
      return new ForkError('FORK_UNREACHABLE', `${upstream} could not be asked for ${method}: try again`)
  }
}

function statusMessage(status: number, method: string, upstream: string, tries: string): string {
  const isDenied = status === 401 || status === 403
  const advice = isDenied ? 'check the key in --fork-url, and --fork-header' : 'check --fork-url, or try again'
  return `${upstream} answered ${method} with HTTP ${status}${tries}: ${advice}`
}

function limitedMessage(method: string, upstream: string, retries: number): string {
  return `${upstream} limits the rate of requests and refused ${method} ${retries + 1} times: lower --fork-requests-per-second or --fork-concurrency, or raise --fork-retries`
}
