import { RPC_CODES, type RpcError } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS, type MonitoredRequest, type RpcMonitor } from '../../rpc/protocol/rpc-client.ts'
import type { Counter, Histogram } from './instruments.ts'
import type { Metrics } from './metrics.ts'

export interface SlowLog {
  warn(details: object, message: string): void
}

/** Label of unknown methods: clients must not create labels. */
const UNKNOWN = 'unknown'

type RequestStatus = 'ok' | 'refused' | 'failed' | 'limited' | 'internal'

/** Instruments of a method, looked up once instead of with every request. */
interface Instruments {
  readonly duration: Histogram
  readonly outcomes: Map<RequestStatus, Counter>
}

/** Counts requests by method and logs slow ones, without their parameters, which may be confidential. */
export function requestMonitor(
  { slowRequestMs }: { /** Milliseconds; 0: never. */ readonly slowRequestMs: number },
  { metrics, log }: { readonly metrics: Metrics; readonly log: SlowLog },
): RpcMonitor {
  const existing = new Map<string, Instruments>()
  const instrumentsOf = (method: string): Instruments => {
    const found = existing.get(method)
    if (found !== undefined) return found
    const made = {
      duration: metrics.histogram('tickertape_rpc_duration_seconds', method),
      outcomes: new Map<RequestStatus, Counter>(),
    }
    existing.set(method, made)
    return made
  }
  return {
    onResponse(registered, milliseconds, error, request) {
      // Requests that the node makes itself, such as at startup.
      if (request.client === ANONYMOUS) return
      const method = registered ?? UNKNOWN
      const { duration, outcomes } = instrumentsOf(method)
      duration.observe(milliseconds / 1000)
      const outcome = requestOutcome(error)
      let counter = outcomes.get(outcome)
      if (counter === undefined) {
        counter = metrics.counter('tickertape_rpc_requests_total', method, outcome)
        outcomes.set(outcome, counter)
      }
      counter.add()
      if (slowRequestMs > 0 && milliseconds > slowRequestMs) logSlow(log, method, milliseconds, error, request)
    },
  }
}

function logSlow(
  log: SlowLog,
  method: string,
  milliseconds: number,
  error: RpcError | undefined,
  { client, id }: MonitoredRequest,
): void {
  const details = {
    method,
    milliseconds: Math.round(milliseconds),
    // The client chooses the id, so its length is bounded.
    id: id?.slice(0, 100),
    requestId: client.id,
    client: client.address,
    code: error?.code,
  }
  log.warn(details, 'slow request')
}

const REFUSED: ReadonlySet<number> = new Set([
  RPC_CODES.parse,
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
])
const LIMITED: ReadonlySet<number> = new Set([
  RPC_CODES.timedOut,
  RPC_CODES.responseTooLarge,
  RPC_CODES.limitExceeded,
  RPC_CODES.tooManySubscriptions,
])

function requestOutcome(error: Pick<RpcError, 'code'> | undefined): RequestStatus {
  if (error === undefined) return 'ok'
  if (error.code === RPC_CODES.internal) return 'internal'
  if (REFUSED.has(error.code)) return 'refused'
  return LIMITED.has(error.code) ? 'limited' : 'failed'
}
