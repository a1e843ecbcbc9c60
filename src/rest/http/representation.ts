import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { acceptedCoding, MIN_COMPRESSED_BYTES } from './content-coding.ts'
import type { RestRequest, RestResponse } from './rest-service.ts'

export interface Content {
  readonly type: string
  readonly body: string
  /** Entity tag without quotes: letters, digits and dashes. Equal tags of one target mean equal contents. */
  readonly tag: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface RepresentationDeps {
  /** Compresses a body; rejects where zlib has no memory. Default: `zlib.gzip`. */
  readonly compress: (body: string) => Promise<Buffer>
}

/** Any web origin may read: the data is public, and no resource writes. */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-block-hash, x-block-number, x-block-timestamp, x-request-id',
}

/** A body with its possible responses, each built once: identity, compressed, not modified. */
export class Representation {
  readonly #content: Content
  readonly #isCompressible: boolean
  readonly #compress: RepresentationDeps['compress']
  readonly #identity: RestResponse
  #compressed: Promise<RestResponse> | undefined

  constructor(content: Content, { compress }: RepresentationDeps = { compress: promisify<string, Buffer>(gzip) }) {
    this.#content = content
    this.#compress = compress
    this.#isCompressible = content.body.length >= MIN_COMPRESSED_BYTES
    this.#identity = this.#responseOf(content.body, content.tag)
  }

  get tag(): string {
    return this.#content.tag
  }

  respond(request: RestRequest): MaybePromise<RestResponse> {
    const isCompressed =
      this.#isCompressible && acceptedCoding(request.header('accept-encoding'), ['gzip']) !== undefined
    const etag = request.header('if-none-match')
    const match = etag === undefined ? undefined : this.#match(etag, isCompressed)
    if (match !== undefined) return { status: 304, headers: this.#headers(match), body: '' }
    if (!isCompressed) return this.#identity
    this.#compressed ??= this.#compressedAnswer().catch((error: unknown) => {
      // Failures are not cached.
      this.#compressed = undefined
      throw error
    })
    return this.#compressed
  }

  /**
   * The tag in If-None-Match that matches this content: that of the encoding for this client, otherwise that of the
   * other one. A cache refreshes only the stored body that a 304 names (RFC 9111, 4.3.4).
   */
  #match(ifNoneMatch: string, isCompressed: boolean): string | undefined {
    const { tag } = this.#content
    const tags = isCompressed ? [gzipTag(tag), tag] : [tag, gzipTag(tag)]
    return tags.find((candidate) => isMatch(ifNoneMatch, candidate))
  }

  async #compressedAnswer(): Promise<RestResponse> {
    const { body, tag } = this.#content
    const bytes = await this.#compress(body)
    return this.#responseOf(bytes, gzipTag(tag), { 'content-encoding': 'gzip' })
  }

  #responseOf(body: string | Uint8Array, tag: string, encoding: Record<string, string> = {}): RestResponse {
    const headers = { 'content-type': this.#content.type, ...encoding, ...this.#headers(tag) }
    return { status: 200, headers, body, isRepeated: true }
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

function gzipTag(tag: string): string {
  return `${tag}-gzip`
}

/** Weak comparison (RFC 9110, 13.1.2). */
function isMatch(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === `"${tag}"`)
}

/** Digest of a text for entity tags: 16 hex digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
