import type { ServerResponse } from 'node:http'
import type { RpcClient } from '../rpc/rpc-client.ts'
import type { Charge } from './rate-limiter.ts'

/** Whoever waits for one HTTP answer. */
export class HttpClient implements RpcClient {
  readonly id: string
  readonly address: string
  readonly #response: ServerResponse
  readonly #charge: Charge
  #isServed = false
  #wait = 0

  constructor(id: string, parts: { readonly response: ServerResponse; readonly charge: Charge }) {
    this.id = id
    this.address = parts.response.socket?.remoteAddress ?? ''
    this.#response = parts.response
    this.#charge = parts.charge
  }

  isGone(): boolean {
    return this.#response.destroyed
  }

  charge(cost: number): number {
    const wait = this.#charge(cost)
    if (wait > 0) this.#wait = wait
    else if (cost > 0) this.#isServed = true
    return wait
  }

  /** Milliseconds after which it may ask again, where nothing of its request was worked on; 0: something was. */
  get refusedFor(): number {
    return this.#isServed ? 0 : this.#wait
  }
}
