import type { RpcError } from './errors.ts'

/** Who asks, as far as whatever carries the requests knows. */
export interface RpcClient {
  /** Named in logs. */
  readonly id: string
  /** Whatever it is counted by, with others from the same address; '' where the transport cannot tell. */
  readonly address: string
  /** Nobody reads the answer any more: what is left of the work need not be done. */
  isGone(): boolean
  /**
   * Takes the cost of a request from what the client may use.
   *
   * @returns milliseconds after which it may ask again; 0: it may ask now
   */
  charge(cost: number): number
  /** Told, before an answer that comes only once, what puts back what it tells: for where that does not arrive. */
  readonly onPolled?: (putBack: () => void) => void
}

/** Neither limited nor ever gone. */
export const ANONYMOUS: RpcClient = { id: '', address: '', isGone: () => false, charge: () => 0 }

/** Hears of every request, after it. */
export interface RpcMonitor {
  /**
   * @param method its name; `undefined`: there is no such method
   * @param milliseconds from its beginning to its answer, the createYield of others included
   * @param error `undefined`: it has a result
   */
  answered(
    method: string | undefined,
    milliseconds: number,
    error: RpcError | undefined,
    request: MonitoredRequest,
  ): void
}

export interface MonitoredRequest {
  readonly client: RpcClient
  /** The request's own id, as JSON text; `undefined` where it has none. */
  readonly id: string | undefined
}

/** Log for unexpected failures. */
export interface RpcLog {
  error(details: object, message: string): void
}
