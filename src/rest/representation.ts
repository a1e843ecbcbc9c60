import { gzip } from 'node:zlib'
import type { RestAnswer, RestRequest } from './rest-service.ts'

/** Bytes from which compressing saves more than it costs: below that an answer is one packet either way. */
const MIN_COMPRESSED = 1_400

export interface Content {
  readonly type: string
  readonly body: string
  /** Without quotes: letters, digits and dashes. Contents of one target that have the same one are the same. */
  readonly tag: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Every web page may read this interface: it is the same for all, and nothing here writes. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-block-hash, x-block-number, x-block-timestamp, x-request-id',
}

/** A body with all answers that can be made of it, each once: whole, compressed, not modified. */
export class Representation {
  readonly #content: Content
  readonly #isCompressible: boolean
  readonly #identity: RestAnswer
  #compressed: Promise<RestAnswer> | undefined

  constructor(content: Content) {
    this.#content = content
    this.#isCompressible = content.body.length >= MIN_COMPRESSED
    this.#identity = this.#answerOf(content.body, content.tag)
  }

  get tag(): string {
    return this.#content.tag
  }

  answer(request: RestRequest): RestAnswer | Promise<RestAnswer> {
    const known = request.header('if-none-match')
    if (known !== undefined && isMatch(known, this.#content.tag)) return this.#notModified()
    if (!this.#isCompressible || !acceptsGzip(request.header('accept-encoding'))) return this.#identity
    this.#compressed ??= this.#compress()
    return this.#compressed
  }

  async #compress(): Promise<RestAnswer> {
    const { body, tag } = this.#content
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      gzip(body, (error, result) => (error === null ? resolve(result) : reject(error)))
    })
    return this.#answerOf(bytes, `${tag}-gzip`, { 'content-encoding': 'gzip' })
  }

  #answerOf(body: string | Uint8Array, tag: string, encoding: Record<string, string> = {}): RestAnswer {
    const headers = { 'content-type': this.#content.type, ...encoding, ...this.#headers(tag) }
    return { status: 200, headers, body }
  }

  #notModified(): RestAnswer {
    return { status: 304, headers: this.#headers(this.#content.tag), body: '' }
  }

  #headers(tag: string): Record<string, string> {
    const { cacheControl, headers } = this.#content
    return {
      etag: `"${tag}"`,
      'cache-control': cacheControl,
      ...(this.#isCompressible && { vary: 'accept-encoding' }),
      ...CORS_HEADERS,
      'x-content-type-options': 'nosniff',
      ...headers,
    }
  }
}

/** Compared weakly (RFC 9110, 13.1.2); the compressed body stands for the same content. */
function isMatch(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => {
    const text = candidate.trim().replace(/^W\//, '')
    return text === `"${tag}"` || text === `"${tag}-gzip"`
  })
}

/** RFC 9110, 12.5.3: by its name or by `*`, unless its weight is 0. */
function acceptsGzip(acceptEncoding = ''): boolean {
  const offers = new Map(
    acceptEncoding.split(',').map((offer) => {
      const [coding = '', ...parameters] = offer.toLowerCase().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
      return [coding.trim(), Number(weight ?? 1)]
    }),
  )
  return (offers.get('gzip') ?? offers.get('*') ?? 0) > 0
}
