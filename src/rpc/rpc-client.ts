import type { RpcError } from './errors.ts'

/** The sender of a request, as its transport knows it. */
export interface RpcClient {
  /** Name in logs. */
  readonly id: string
  /** Key for limits, shared by clients of the same address; '' when the transport does not know it. */
  readonly address: string
  /** Whether the client has disconnected, so that the rest of the work can be skipped. */
  isGone(): boolean
  /**
   * Charges the cost of a request to the client's rate limit.
   *
   * @returns milliseconds after which the client may ask again; 0: it may now
   */
  charge(cost: number): number
  /** Receives, before a filter poll is answered, a function that undoes the poll if the response does not arrive. */
  readonly onPolled?: (putBack: () => void) => void
}

/** A client without limits that never disconnects. */
export const ANONYMOUS: RpcClient = { id: '', address: '', isGone: () => false, charge: () => 0 }

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
}

/** Log for unexpected failures. */
export interface RpcLog {
  error(details: object, message: string): void
}
