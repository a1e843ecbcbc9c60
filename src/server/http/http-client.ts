import type { LatestState } from '../../rpc/protocol/latest-state.ts'
import type { RpcClient } from '../../rpc/protocol/rpc-client.ts'
import { isKeepingUp, type ResponseBudget } from '../transport/response-budget.ts'
import type { HttpPeer, HttpRequest, UnsentResponses } from './exchange.ts'

/** The client of one HTTP request. */
export class HttpClient implements RpcClient {
  readonly id: string
  readonly latestState: LatestState | undefined
  readonly #request: Pick<HttpRequest, 'header'>
  readonly #peer: HttpPeer
  readonly #budget: ResponseBudget
  #isServed = false
  #wait = 0

  constructor(
    { id, latestState }: { readonly id: string; readonly latestState: LatestState | undefined },
    {
      request,
      peer,
      budget,
    }: { readonly request: Pick<HttpRequest, 'header'>; readonly peer: HttpPeer; readonly budget: ResponseBudget },
  ) {
    this.id = id
    this.latestState = latestState
    this.#request = request
    this.#peer = peer
    this.#budget = budget
  }

  get address(): string {
    return this.#peer.address
  }

  get connection(): object {
    return this.#peer.connection
  }

  get hasOutsideAccess(): boolean {
    return this.#peer.access.hasOutsideAccess
  }

  get traceparent(): string | undefined {
    return this.#request.header('traceparent')
  }

  isReading(): boolean {
    return isKeepingUp(this.#peer.unread.bytes)
  }

  hasRoom(): boolean {
    return this.#budget.hasRoom(this.#peer.unread.bytes)
  }

  isGone(): boolean {
    return this.#peer.isGone()
  }

  charge(cost: number): number {
    const wait = this.#peer.charge(cost)
    if (wait > 0) this.#wait = wait
    else if (cost > 0) this.#isServed = true
    return wait
  }

  get unread(): UnsentResponses {
    return this.#peer.unread
  }

  /** Milliseconds after which the client may ask again; 0: no part of its request was rate-limited. */
  get retryAfter(): number {
    return this.#wait
  }

  /** Whether any part of its request was not rate-limited. */
  get isServed(): boolean {
    return this.#isServed
  }
}
