import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { acceptedCoding, MIN_COMPRESSED_BYTES } from '../../rest/http/content-coding.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

type Headers = HttpResponse['headers']
type Body = HttpResponse['body']

const gzipAsync = promisify<Body, { level: number }, Buffer>(gzip)
const brotliAsync = promisify<Body, { params: Record<number, number> }, Buffer>(brotliCompress)
const gunzipAsync = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)

/** The fastest levels: 160 KB of JSON take 0.5 ms of a thread with Brotli and 1.3 ms with gzip. */
const ENCODERS = {
  gzip: (body: Body) => gzipAsync(body, { level: 1 }),
  br: (body: Body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}
type Coding = keyof typeof ENCODERS
const CODINGS: readonly Coding[] = ['br', 'gzip']

/**
 * Bytes that are compressed at once. More of them would keep the threads of Node's pool, which also sync the record
 * log, so that flashblocks would be late.
 */
export const MAX_CONCURRENT_BYTES = 4 * 1024 * 1024

/** Compresses responses in Node's thread pool. */
export class ResponseCompressor {
  /** Headers with `vary`, by the headers without. */
  readonly #varied = new WeakMap<Headers, Headers>()
  /** Bytes being compressed. */
  #bytes = 0

  /**
   * The response in a coding that the client accepts; plain if it is small, or if the threads are busy.
   *
   * @param acceptEncoding of the request
   */
  compress(response: HttpResponse, acceptEncoding: () => string | undefined): MaybePromise<HttpResponse> {
    const { body, bytes = Buffer.byteLength(body) } = response
    if (bytes < MIN_COMPRESSED_BYTES) return response
    const plain = { ...response, headers: this.#variedHeaders(response.headers) }
    const coding = acceptedCoding(acceptEncoding(), CODINGS)
    const isBusy = this.#bytes > 0 && this.#bytes + bytes > MAX_CONCURRENT_BYTES
    return coding === undefined || isBusy ? plain : this.#encode(plain, coding, bytes)
  }

  async #encode(plain: HttpResponse, coding: Coding, bytes: number): Promise<HttpResponse> {
    this.#bytes += bytes
    try {
      const body = await ENCODERS[coding](plain.body)
      const headers = { ...plain.headers, 'content-encoding': coding }
      return { ...plain, headers, isRepeated: false, body, bytes: body.length }
    } catch {
      // zlib has no memory.
      return plain
    } finally {
      this.#bytes -= bytes
    }
  }

  #variedHeaders(headers: Headers): Headers {
    const known = this.#varied.get(headers)
    if (known !== undefined) return known
    const { vary } = headers
    const varied = { ...headers, vary: vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding` }
    this.#varied.set(headers, varied)
    return varied
  }
}

/** Deflate shrinks at most 1,032 times. */
const MAX_RATIO = 1_032

/** Bytes that a compressed body may take in memory, packed and unpacked. */
export function unpackedBytesAtMost(packedBytes: number, maxBytes: number): number {
  return packedBytes + Math.min(maxBytes, packedBytes * MAX_RATIO)
}

/** The text of a body with `Content-Encoding: gzip`, or why there is none. */
export async function unpackedText(
  body: Uint8Array,
  maxBytes: number,
): Promise<{ readonly text: string } | 'tooLarge' | 'malformed'> {
  try {
    return { text: (await gunzipAsync(body, { maxOutputLength: maxBytes })).toString('utf8') }
  } catch (error) {
    return error instanceof RangeError ? 'tooLarge' : 'malformed'
  }
}

/** Content-Encoding of the body of a request. */
export function codingOf(request: Pick<HttpRequest, 'header'>): string {
  return request.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
}
