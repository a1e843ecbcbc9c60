import { RPC_CODES, type RpcError } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS, type MonitoredRequest, type RpcMonitor } from '../../rpc/protocol/rpc-client.ts'
import { parseTraceparent } from '../../rpc/protocol/trace-context.ts'
import type { Counter, Histogram } from './instruments.ts'
import type { Metrics } from './metrics.ts'

export interface SlowLog {
  warn(details: object, message: string): void
}

/** Log of every request. */
export interface RequestLog {
  info(details: object, message: string): void
}

/** Traces requests. */
export interface RequestTraces {
  /** @returns the id of the trace; `undefined`: the request is not traced */
  onResponse(
    method: string,
    milliseconds: number,
    error: RpcError | undefined,
    request: MonitoredRequest,
  ): string | undefined
}

export interface RequestMonitorDeps {
  readonly metrics: Metrics
  readonly log: SlowLog
  /** Absent: only slow requests are logged. */
  readonly requestLog?: RequestLog | undefined
  /** Absent: requests are not traced. */
  readonly traces?: RequestTraces | undefined
}

/** Label of unknown methods: clients must not create labels. */
const UNKNOWN = 'unknown'

type RequestStatus = 'ok' | 'refused' | 'failed' | 'limited' | 'internal'

/** Instruments of a method, looked up once instead of with every request. */
interface Instruments {
  readonly duration: Histogram
  readonly outcomes: Map<RequestStatus, Counter>
}

/** Counts, traces and logs requests, without their parameters, which may be confidential. */
export function requestMonitor(
  { slowRequestMs }: { /** Milliseconds; 0: never. */ readonly slowRequestMs: number },
  { metrics, log, requestLog, traces }: RequestMonitorDeps,
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
      const traceId = traces?.onResponse(method, milliseconds, error, request)
      const isSlow = slowRequestMs > 0 && milliseconds > slowRequestMs
      if (!isSlow && requestLog === undefined) return
      const details = requestDetails(method, milliseconds, error, request, traceId)
      requestLog?.info(details, 'request')
      if (isSlow) log.warn(details, 'slow request')
    },
  }
}

function requestDetails(
  method: string,
  milliseconds: number,
  error: RpcError | undefined,
  { client, id }: MonitoredRequest,
  traceId: string | undefined,
): object {
  return {
    method,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    // The client chooses the id, so its length is bounded.
    id: id?.slice(0, 100),
    requestId: client.id,
    client: client.address,
    code: error?.code,
    // A request that is not traced here may be part of a trace of its client.
    traceId: traceId ?? parseTraceparent(client.traceparent)?.traceId,
  }
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
