import { BatchedRpc } from '../../../live/http-rpc.ts'
import type { RequestError } from '../../../live/request-error.ts'
import { boundedFetch, ResponseTooLargeError } from '../../../primitives/bounded-fetch.ts'
import { type Hex, isHexBytes } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'

interface JsonRpcOptions {
  /** User and password in the URL are sent as basic authentication. */
  readonly url: string
  /** Timeout of a request in milliseconds. */
  readonly timeoutMs: number
}

const MAX_RESPONSE_BYTES = 64 * 2 ** 20

export type Request = readonly [method: string, ...params: readonly unknown[]]

/** An error response of the node. */
export class JsonRpcError extends StockError {
  readonly rpcCode: number
  readonly rpcMessage: string
  readonly data: unknown

  constructor(method: string, rpcCode: number, { message, data }: RequestError) {
    super('NODE_ERROR', `the node refuses ${method}: ${message} (code ${rpcCode})`, { rpcCode, rpcMessage: message })
    this.rpcCode = rpcCode
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

/** The response of a node has more bytes than the client accepts. */
export class LargeResponseError extends StockError {}

/** The client of `live` for commands: its errors name the node without keys, and say what to do. */
export class JsonRpc {
  readonly #timeoutMs: number
  readonly #url: string

  constructor({ url, timeoutMs }: JsonRpcOptions) {
    this.#timeoutMs = timeoutMs
    this.#url = url
  }

  /**
   * @param extraMs additional milliseconds for a request that waits on purpose
   * @throws StockError `NODE_UNREACHABLE`, `NODE_ERROR`; JsonRpcError for an error response
   */
  async request(request: Request, extraMs = 0): Promise<unknown> {
    const [result] = await this.#send([request], this.#timeoutMs + extraMs)
    return result
  }

  /** Results of one batch, in the order of its requests. Throws like `request`, for the first that failed. */
  batch(requests: readonly Request[]): Promise<unknown[]> {
    return this.#send(requests, this.#timeoutMs)
  }

  #send(requests: readonly Request[], timeoutMs: number): Promise<unknown[]> {
    const options = { url: this.#url, timeoutMs, maxBatch: requests.length }
    const rpc = new BatchedRpc(options, { fetch: boundedFetch(MAX_RESPONSE_BYTES) })
    return Promise.all(
      requests.map(async ([method, ...params]) => {
        try {
          return await rpc.request(method, params)
        } catch (error) {
          throw this.#errorOf(error as RequestError, method, timeoutMs)
        }
      }),
    )
  }

  #errorOf(error: RequestError, method: string, timeoutMs: number): StockError {
    const { code, rpcCode, message } = error
    if (code === 'REFUSED' && rpcCode !== undefined) return new JsonRpcError(method, rpcCode, error)
    // The rest of the URL after the host may be a key.
    const { origin: url } = new URL(this.#url)
    if (error.cause instanceof ResponseTooLargeError) {
      return new LargeResponseError('NODE_ERROR', `${url} answers ${method} with too much: ${error.cause.message}`, {
        url,
      })
    }
    if (code !== 'UNREACHABLE') {
      return new StockError('NODE_ERROR', `${url} does not answer as a JSON-RPC node does: ${message}`, { url })
    }
    const reason = fetchFailureReason(error.cause, timeoutMs)
    return new StockError(
      'NODE_UNREACHABLE',
      `no node can be reached at ${url} (${reason}): start one with \`npm start\`, or name another with --rpc-url`,
      { url },
    )
  }
}

/** Why a `fetch` failed, for people. */
export function fetchFailureReason(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`
  // The message of a `fetch` error is generic; its cause has the reason.
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause ? String(cause.code) : cause.message
}
