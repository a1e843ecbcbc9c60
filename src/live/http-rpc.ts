import { RequestError, refusalOf } from './request-error.ts'

export interface HttpRpcOptions {
  readonly url: string
  readonly timeoutMs: number
  /** Requests that are sent together at most; the responses of a batch share limits of size. */
  readonly maxBatch: number
}

export interface HttpRpcDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Called after each exchange: whether the node responded. */
  readonly onExchange?: (responded: boolean) => void
}

interface Waiting {
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** JSON-RPC over HTTP. Requests of one turn of the event loop are sent as one batch. */
export class BatchedRpc {
  readonly #options: HttpRpcOptions
  readonly #deps: HttpRpcDeps
  #waiting: Waiting[] = []

  constructor(options: HttpRpcOptions, deps: HttpRpcDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** @throws RequestError */
  request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) queueMicrotask(() => this.#flush())
      this.#waiting.push({ method, params, resolve, reject })
    })
  }

  #flush(): void {
    const all = this.#waiting
    this.#waiting = []
    for (let start = 0; start < all.length; start += this.#options.maxBatch) {
      void this.#send(all.slice(start, start + this.#options.maxBatch))
    }
  }

  async #send(requests: readonly Waiting[]): Promise<void> {
    const bodies = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    try {
      const responses = await this.#post(bodies.length === 1 ? bodies[0]! : bodies)
      settle(requests, Array.isArray(responses) ? responses : [responses])
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  async #post(body: object): Promise<unknown> {
    const { url, timeoutMs } = this.#options
    const response = await this.#exchange(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    try {
      return JSON.parse(text)
    } catch {
      throw new RequestError('INVALID_RESPONSE', `the node answered with status ${response.status}, and not with JSON`)
    }
  }

  async #exchange(url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await this.#deps.fetch(url, init)
      this.#deps.onExchange?.(true)
      return response
    } catch (error) {
      this.#deps.onExchange?.(false)
      const isTimeout = error instanceof Error && error.name === 'TimeoutError'
      const reason = isTimeout ? 'did not respond in time' : 'cannot be reached'
      throw new RequestError('UNREACHABLE', `the node at ${url} ${reason}`)
    }
  }
}

function settle(requests: readonly Waiting[], responses: readonly unknown[]): void {
  const byId = new Map(responses.map((one) => [(one as { id?: unknown } | null)?.id, one]))
  // A batch as a whole is refused with one response without an id.
  const common = responses.length === 1 ? responses[0] : undefined
  for (const [id, { resolve, reject }] of requests.entries()) {
    const response = (byId.get(id) ?? common) as { result?: unknown; error?: unknown } | undefined | null
    if (response === undefined || response === null) {
      reject(new RequestError('INVALID_RESPONSE', 'the node left the request without a response'))
    } else if (response.error !== undefined && response.error !== null) reject(refusalOf(response.error))
    else resolve(response.result ?? null)
  }
}
