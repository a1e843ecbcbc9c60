import type { MonotonicClock } from '../../primitives/clock.ts'
import { isHexBytes } from '../../primitives/hex.ts'
import { redactedUrl, secretsOf } from '../../primitives/text/url-credentials.ts'
import { sendWithin, type Transport } from '../../upstream/http-transport.ts'
import {
  decodeBatch,
  decodeReply,
  encodeBatch,
  encodeCall,
  type RpcCall,
  type RpcReply,
} from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'

export interface EndpointOptions {
  readonly url: string
  /** Values of headers may be keys. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls in one request. */
  readonly batchSize: number
}

interface EndpointDeps {
  readonly transport: Transport
  readonly clock: MonotonicClock
}

/** One node of the forked chain. */
export class Endpoint {
  /** The URL without its keys. */
  readonly name: string
  readonly #secrets: readonly string[]
  readonly #deps: EndpointDeps
  #batchSize: number

  constructor({ url, headers, batchSize }: EndpointOptions, deps: EndpointDeps) {
    this.name = redactedUrl(url)
    this.#batchSize = batchSize
    // `Bearer KEY` may be quoted as a whole or as the key.
    const values = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1)!])
    this.#secrets = [...secretsOf(url), ...values.filter((value) => value !== '')]
    this.#deps = deps
  }

  /** Calls in one request: 1 once the endpoint refused a batch. */
  get batchSize(): number {
    return this.#batchSize
  }

  /** Called when a batch of `size` calls failed in a way in which single calls may succeed. */
  reduceBatch(size: number, isForbidden: boolean): void {
    this.#batchSize = Math.min(this.#batchSize, isForbidden ? 1 : Math.max(1, size >> 1))
  }

  /**
   * Replies in the order of the calls; a single call is sent without a batch. Their texts contain no keys.
   *
   * @throws UpstreamError, or the reason of `signal`
   */
  async exchange(calls: readonly RpcCall[], timeoutMs: number, signal: AbortSignal): Promise<readonly RpcReply[]> {
    const send = (body: string) => sendWithin(timeoutMs, body, this.#deps, signal)
    const [only] = calls
    if (calls.length === 1) return [this.#redacted(decodeReply(await send(encodeCall(only!))))]
    try {
      return decodeBatch(await send(encodeBatch(calls)), calls.length).map((reply) => this.#redacted(reply))
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.failure.kind !== 'refused') throw error
      throw new UpstreamError({ ...error.failure, message: this.#withoutSecrets(error.failure.message) })
    }
  }

  #redacted(reply: RpcReply): RpcReply {
    if (reply.kind === 'result') return reply
    const { data, ...error } = reply
    return {
      ...error,
      message: this.#withoutSecrets(reply.message),
      ...(data !== undefined && { data: this.#redactedData(data) }),
    }
  }

  /** Logs show the data of an error, too. */
  #redactedData(data: unknown): unknown {
    // Output of a contract, in which a short word of a URL may occur by chance.
    if (typeof data === 'string') return isHexBytes(data) ? data : this.#withoutSecrets(data)
    if (Array.isArray(data)) return data.map((item) => this.#redactedData(item))
    if (typeof data !== 'object' || data === null) return data
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [this.#withoutSecrets(name), this.#redactedData(value)]),
    )
  }

  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  }
}
