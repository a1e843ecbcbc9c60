import { foreignText } from '../primitives/text/foreign-text.ts'
import { redactedUrl } from '../primitives/text/url-credentials.ts'
import { RequestError, refusalOf } from './request-error.ts'

export interface HttpRpcOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** Requests that are sent together at most; the responses of a batch share limits of size. */
  readonly maxBatch: number
}

export interface HttpRpcDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Called after each exchange: whether the node responded. */
  readonly onExchange?: (responded: boolean) => void
}

/** The requests of a node, as far as those who read from it need. */
export interface NodeRequests {
  /** @throws RequestError */
  request(method: string, params?: readonly unknown[]): Promise<unknown>
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
  /** Smaller than that of the options after the node refused a batch. */
  #maxBatch: number

  constructor(options: HttpRpcOptions, deps: HttpRpcDeps) {
    this.#options = options
    this.#maxBatch = options.maxBatch
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
    const size = this.#maxBatch
    for (let start = 0; start < all.length; start += size) void this.#send(all.slice(start, start + size))
  }

  async #send(requests: readonly Waiting[]): Promise<void> {
    const bodies = requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    try {
      const response = await this.#post(bodies.length === 1 ? bodies[0]! : bodies)
      if (requests.length > 1 && isTooLarge(response)) await this.#sendParts(requests)
      else settle(requests, Array.isArray(response) ? response : [response])
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  /** Providers accept 10 or 20 requests in a batch, some none. */
  async #sendParts(requests: readonly Waiting[]): Promise<void> {
    const size = requests.length > SMALL_BATCH ? SMALL_BATCH : 1
    this.#maxBatch = Math.min(this.#maxBatch, size)
    // The common maximum may shrink during the loop: with it, parts would overlap or leave requests out.
    for (let start = 0; start < requests.length; start += size) await this.#send(requests.slice(start, start + size))
  }

  async #post(body: object): Promise<unknown> {
    const { url, timeoutMs, headers } = this.#options
    const { status, text } = await this.#exchange(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    try {
      return JSON.parse(text)
    } catch {
      const shown = foreignText(text.trim(), MAX_SHOWN_CHARACTERS) || 'no body'
      throw new RequestError('INVALID_RESPONSE', `not JSON, but HTTP status ${status}: ${shown}`, { status })
    }
  }

  async #exchange(url: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await this.#deps.fetch(url, init)
      const text = await response.text()
      this.#deps.onExchange?.(true)
      return { status: response.status, text }
    } catch (error) {
      this.#deps.onExchange?.(false)
      const isTimeout = error instanceof Error && error.name === 'TimeoutError'
      const reason = isTimeout ? 'did not respond in time' : 'cannot be reached'
      throw new RequestError('UNREACHABLE', `the node at ${redactedUrl(url)} ${reason}`, { cause: error })
    }
  }
}

const SMALL_BATCH = 10
const MAX_SHOWN_CHARACTERS = 200
/** Error code of a rate limit, which smaller batches do not avoid. */
const LIMIT_EXCEEDED = -32005

/** Whether the node refused a batch as a whole, but not for its rate. */
function isTooLarge(response: unknown): boolean {
  const [one] = Array.isArray(response) && response.length === 1 ? response : [response]
  const { id, error } = (one ?? {}) as { id?: unknown; error?: { code?: unknown } | null }
  return typeof id !== 'number' && error !== undefined && error !== null && error.code !== LIMIT_EXCEEDED
}

function settle(requests: readonly Waiting[], responses: readonly unknown[]): void {
  const byId = new Map(responses.map((one) => [(one as { id?: unknown } | null)?.id, one]))
  // One request has one response, whatever its id. A batch as a whole is refused with one error without an id.
  const [first] = responses as readonly ({ id?: unknown; error?: unknown } | null | undefined)[]
  const isCommon = responses.length === 1 && (requests.length === 1 || (typeof first?.id !== 'number' && first?.error))
  const common = isCommon ? first : undefined
  for (const [id, { method, resolve, reject }] of requests.entries()) {
    const response = (byId.get(id) ?? common) as { result?: unknown; error?: unknown } | undefined | null
    if (response === undefined || response === null) {
      reject(new RequestError('INVALID_RESPONSE', `${method} has no answer`))
    } else if (response.error !== undefined && response.error !== null) reject(refusalOf(response.error))
    else if (response.result !== undefined) resolve(response.result)
    else reject(new RequestError('INVALID_RESPONSE', `the answer to ${method} has neither result nor error`))
  }
}
