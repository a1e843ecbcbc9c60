import { type Hex, isHexBytes } from '../../../primitives/hex.ts'
import { withoutCredentials } from '../../../primitives/url-credentials.ts'
import { StockError } from '../terms/stock-error.ts'

export interface JsonRpcOptions {
  /** User and password in the URL are sent as basic authentication. */
  readonly url: string
  /** Timeout of a request in milliseconds. */
  readonly timeoutMs: number
}

export type Request = readonly [method: string, ...params: readonly unknown[]]

/** An error response of the node. */
export class JsonRpcError extends StockError {
  readonly rpcCode: number
  readonly rpcMessage: string
  readonly data: unknown

  constructor(method: string, { code, message, data }: ErrorMember) {
    super('NODE_ERROR', `the node refuses ${method}: ${message} (code ${code})`, { rpcCode: code, rpcMessage: message })
    this.rpcCode = code
    this.rpcMessage = message
    this.data = data
  }

  /** The revert data; undefined if this is no revert. */
  get revertData(): Hex | undefined {
    if (this.rpcCode !== 3 && !this.rpcMessage.includes('revert')) return undefined
    return isHexBytes(this.data) ? this.data : '0x'
  }

  /** -32601 is that of the specification. Some nodes return -32600 or -32004 (EIP-1474) with a message. */
  get isMethodMissing(): boolean {
    return this.rpcCode === -32601 || /method.*(not (found|supported|available)|does not exist)/i.test(this.rpcMessage)
  }
}

interface ErrorMember {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

interface JsonRpcResponse {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: ErrorMember
}

/** JSON-RPC over HTTP, to any node. */
export class JsonRpc {
  readonly #timeout: number
  readonly #target: URL
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, timeoutMs }: JsonRpcOptions) {
    const { target, authorization } = withoutCredentials(url)
    this.#timeout = timeoutMs
    this.#target = target
    this.#headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }
  }

  /** Name of the node in messages: the rest of the URL after the host may be a key. */
  get #name(): string {
    return this.#target.origin
  }

  /**
   * @param extra additional milliseconds for a request that waits on purpose
   * @throws StockError `NODE_UNREACHABLE`, `NODE_ERROR`; JsonRpcError for an error response
   */
  async request(request: Request, extra = 0): Promise<unknown> {
    const response = await this.#post(bodyOf(request, 0), extra)
    return this.#resultOf(response, request)
  }

  /** Results of one batch, in the order of its requests. Throws like `request`, for the first that failed. */
  async batch(requests: readonly Request[]): Promise<unknown[]> {
    const responses = await this.#post(requests.map(bodyOf), 0)
    // A batch that is rejected as a whole gets a single error response.
    if (!Array.isArray(responses)) return requests.map((request) => this.#resultOf(responses, request))
    return requests.map((request, id) =>
      this.#resultOf(
        responses.find((response) => isObject(response) && response.id === id),
        request,
      ),
    )
  }

  #resultOf(response: unknown, [method]: Request): unknown {
    if (!isObject(response)) throw this.#notJsonRpc(`${method} has no answer`)
    const { result, error } = response as unknown as JsonRpcResponse
    if (isObject(error) && 'code' in error && 'message' in error) throw new JsonRpcError(method, error as ErrorMember)
    if (result === undefined) throw this.#notJsonRpc(`the answer to ${method} has neither result nor error`)
    return result
  }

  async #post(body: unknown, extra: number): Promise<unknown> {
    const { status, text } = await this.#exchange(JSON.stringify(body), this.#timeout + extra)
    try {
      return JSON.parse(text)
    } catch {
      throw this.#notJsonRpc(`HTTP status ${status}: ${text.slice(0, 200).trim() || 'no body'}`)
    }
  }

  async #exchange(body: string, timeout: number): Promise<{ readonly status: number; readonly text: string }> {
    const signal = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(this.#target, { method: 'POST', headers: this.#headers, body, signal })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      const reason = signal.aborted ? `no answer within ${timeout / 1000} s` : causeOf(error)
      throw new StockError(
        'NODE_UNREACHABLE',
        `no node can be reached at ${this.#name} (${reason}): start one with \`npm start\`, or name another with --rpc-url`,
        { url: this.#name },
      )
    }
  }

  #notJsonRpc(reason: string): StockError {
    return new StockError('NODE_ERROR', `${this.#name} does not answer as a JSON-RPC node does: ${reason}`, {
      url: this.#name,
    })
  }
}

function bodyOf([method, ...params]: Request, id: number): object {
  return { jsonrpc: '2.0', id, method, params }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The message of a `fetch` error is generic; its cause has the reason. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause ? String(cause.code) : cause.message
}
