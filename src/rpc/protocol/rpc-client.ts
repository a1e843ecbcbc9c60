import type { MethodResult } from './encoded-json.ts'
import type { RpcError } from './errors.ts'
import type { LatestState } from './latest-state.ts'

/**
 * The JSON of a request. A large one is a function that decodes its bytes when the request starts. While the request
 * waits, they stay outside the heap, on which garbage may grow to a multiple of what is alive.
 */
export type RequestText = string | (() => string)

/** Decodes a text, once. */
export function decoded(text: RequestText): string {
  return typeof text === 'string' ? text : text()
}

/** A client with queued requests, as far as the order of service depends on it. */
export interface QueuedClient {
  /** Key for limits, shared by clients of the same address; '' when the transport does not know it. */
  readonly address: string
  /** Identity of the connection. */
  readonly connection: object
  /** Whether it reads its responses; one that does not is served after those that do. */
  isReading(): boolean
}

/** The sender of a request, as its transport knows it. */
export interface RpcClient extends QueuedClient {
  /** Name in logs. */
  readonly id: string
  /** Whether the client has disconnected, so that the rest of the work can be skipped. */
  isGone(): boolean
  /**
   * Charges the cost of a request to the client's rate limit.
   *
   * @returns milliseconds after which the client may ask again; 0: it may now
   */
  charge(cost: number): number
  /** Whether there is memory for a response; otherwise its requests are refused before they run. */
  hasRoom(): boolean
  /** Whether it has only the access of `RpcOptions.outside`. */
  readonly hasOutsideAccess?: boolean
  /** `traceparent` header of its HTTP request, for a WebSocket of the upgrade. */
  readonly traceparent?: string | undefined
  /** The state at `latest` that the connection chose. Default: that of the options. */
  readonly latestState?: LatestState | undefined
  /** Receives, before a filter poll is answered, a function that undoes the poll if the response does not arrive. */
  readonly onPolled?: (putBack: () => void) => void
}

/** A client without limits that never disconnects. */
export const ANONYMOUS: RpcClient = {
  id: '',
  address: '',
  connection: {},
  isGone: () => false,
  charge: () => 0,
  isReading: () => true,
  hasRoom: () => true,
}

/** Notified after each request. */
export interface RpcMonitor {
  /**
   * @param method `undefined`: unknown method
   * @param milliseconds from start to response, including time in which it had yielded
   * @param error `undefined`: the request has a result
   */
  onResponse(
    method: string | undefined,
    milliseconds: number,
    error: RpcError | undefined,
    request: MonitoredRequest,
  ): void
}

export interface MonitoredRequest {
  readonly client: RpcClient
  /** JSON text of the request id; `undefined` for a notification. */
  readonly id: string | undefined
  /** Absent after an error. */
  readonly result?: MethodResult
}

/** Log for unexpected failures. */
export interface RpcLog {
  error(details: object, message: string): void
}
