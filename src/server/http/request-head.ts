import { METHODS } from 'node:http'
import type { HttpRequest } from './exchange.ts'
import {
  canBecomeHeaderLine,
  MAX_HEAD_BYTES,
  MAX_HEADERS,
  type MalformedRequest,
  malformedRequest,
  parseHeaderLine,
  readLine,
  trimmed,
} from './header-lines.ts'

/** The head of a request, and what follows from it for the connection. */
export interface RequestHead extends HttpRequest {
  readonly kind: 'head'
  readonly headers: ReadonlyMap<string, string>
  /** Bytes of the body, or `chunked`. */
  readonly length: number | 'chunked'
  /** The client asks to close the connection after the response. */
  readonly isLast: boolean
  /** `unknown`: an expectation that no server meets (RFC 9110, section 10.1.1). */
  readonly expectation: 'none' | 'continue' | 'unknown'
  /** The client asks for a WebSocket; all other upgrades are ignored (RFC 9110, section 7.8). */
  readonly isWebSocketUpgrade: boolean
  /** It shows signs of a proxy: headers, or HTTP/1.0, which nginx speaks by default. */
  readonly isForwarded: boolean
}

interface RequestLine {
  readonly method: string
  /** Path and query, or `*`. */
  readonly target: string
  /** Authority of a target in absolute form; it replaces `Host` (RFC 9112, section 3.2.2). */
  readonly authority: string | undefined
  readonly minorVersion: 0 | 1
}

/** Bytes of a head that is cached for its connection. */
const MAX_CACHED_BYTES = 1024
/** CONNECT is for proxies. */
const KNOWN_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'))
const VERSIONS = new Map<string, 0 | 1>([
  ['HTTP/1.0', 0],
  ['HTTP/1.1', 1],
])
const TARGET = /^[!-~]+$/
const TARGET_START = /^(?:\/[!-~]*|\*|h[!-~]*)?$/i
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/
/** Scheme, a name or an address with its port, then path and query. */
const ABSOLUTE = /^https?:\/\/((?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?)((?:[/?].*)?)$/i
/** Headers about the length of the body. Not every parser ignores tabs around their values. */
const FRAMING_LINES = new Map([
  ['content-length', /^[^:]*: *\d{1,15} *$/],
  ['transfer-encoding', /^[^\t]*$/],
])

/**
 * Parses the heads of one connection (RFC 9112), line by line as they arrive. It accepts nothing that leaves room for
 * interpretation: request smuggling exploits differences between parsers (RFC 9112, section 11.2).
 */
export class RequestHeadParser {
  /** Position up to which the bytes of the last `read` were consumed; the caller presents the rest again. */
  position = 0
  #line: RequestLine | undefined
  #headers = new Map<string, string>()
  #count = 0
  /** Bytes of this head that were consumed. */
  #size = 0
  /** Clients repeat the head of their last request. */
  #cached: RequestHead | undefined
  #cachedBytes = Buffer.alloc(0)

  /** Whether the head is consumed in part. */
  get isStarted(): boolean {
    return this.#line !== undefined
  }

  /** @returns `undefined`: the head is incomplete */
  read(bytes: Buffer, from: number): RequestHead | MalformedRequest | undefined {
    const size = this.#cachedBytes.length
    const isRepeated =
      this.#cached !== undefined &&
      this.#line === undefined &&
      from + size <= bytes.length &&
      bytes.compare(this.#cachedBytes, 0, size, from, from + size) === 0
    if (isRepeated) {
      this.#size = 0
      this.position = from + size
      return this.#cached
    }
    const isWhole = this.#size === 0
    const result = this.#readLines(bytes, from)
    if (result?.kind === 'head' && isWhole) this.#cache(result, bytes.subarray(from, this.position))
    return result
  }

  #readLines(bytes: Buffer, from: number): RequestHead | MalformedRequest | undefined {
    this.position = from
    while (this.position < bytes.length) {
      const line = readLine(bytes, this.position)
      const end = line === undefined ? bytes.length : 'end' in line ? line.end : this.position
      if (this.#size + end - this.position > MAX_HEAD_BYTES) return malformedRequest(431, 'the headers are too large')
      if (line === undefined) return this.#checkIncomplete(bytes.toString('latin1', this.position))
      if ('kind' in line) return line
      this.#size += line.end - this.position
      this.position = line.end
      const result = this.#take(line.text)
      if (result !== undefined) return result
    }
    return undefined
  }

  #take(text: string): RequestHead | MalformedRequest | undefined {
    if (this.#line === undefined) {
      // Empty lines before a request are ignored (RFC 9112, section 2.2).
      if (text === '') return undefined
      this.#line = parseRequestLine(text)
      return this.#line === undefined ? malformedRequest(400, 'the request line is invalid') : undefined
    }
    return text === '' ? this.#end(this.#line) : this.#takeHeader(text)
  }

  #takeHeader(text: string): MalformedRequest | undefined {
    const line = parseHeaderLine(text)
    if (line === undefined) return malformedRequest(400, 'a header line is invalid')
    const { name, value } = line
    const conflict = this.#conflict(name)
    if (conflict !== undefined) return conflict
    this.#count += 1
    if (this.#count > MAX_HEADERS) return malformedRequest(431, `more than ${MAX_HEADERS} headers`)
    if (FRAMING_LINES.get(name)?.test(text) === false) return malformedRequest(400, `the ${name} header is invalid`)
    const known = this.#headers.get(name)
    this.#headers.set(name, known === undefined ? value : `${known}, ${value}`)
    return undefined
  }

  /** Whether the framing, or the host, would depend on which of two headers a parser believes. */
  #conflict(name: string): MalformedRequest | undefined {
    const isLength = name === 'content-length'
    if ((isLength || name === 'host') && this.#headers.has(name))
      return malformedRequest(400, `more than one ${name} header`)
    const other = isLength ? 'transfer-encoding' : name === 'transfer-encoding' ? 'content-length' : undefined
    if (other === undefined || !this.#headers.has(other)) return undefined
    return malformedRequest(400, 'a request has a content length or a transfer encoding, not both')
  }

  #end(line: RequestLine): RequestHead | MalformedRequest {
    const headers = this.#headers
    this.#line = undefined
    this.#headers = new Map()
    this.#count = 0
    this.#size = 0
    return requestHead(line, headers)
  }

  /** Refuses what cannot become valid, so that the client need not wait for the timeout. */
  #checkIncomplete(text: string): MalformedRequest | undefined {
    if (this.#line === undefined) {
      return canBecomeRequestLine(text) ? undefined : malformedRequest(400, 'the request line is invalid')
    }
    if (!canBecomeHeaderLine(text)) return malformedRequest(400, 'a header line is invalid')
    const [name = '', value] = text.split(':', 2)
    return value === undefined ? undefined : this.#conflict(name.toLowerCase())
  }

  #cache(head: RequestHead, bytes: Buffer): void {
    if (bytes.length > MAX_CACHED_BYTES) return
    this.#cached = head
    this.#cachedBytes = Buffer.from(bytes)
  }
}

function parseRequestLine(text: string): RequestLine | undefined {
  const [method = '', written = '', version = '', ...rest] = text.split(' ')
  const minorVersion = VERSIONS.get(version)
  if (rest.length > 0 || minorVersion === undefined || !KNOWN_METHODS.has(method)) return undefined
  const target = parseTarget(method, written)
  return target && { method, ...target, minorVersion }
}

/** The forms of RFC 9112, section 3.2, except that of CONNECT. */
function parseTarget(method: string, written: string): Pick<RequestLine, 'target' | 'authority'> | undefined {
  if (!TARGET.test(written)) return undefined
  if (written.startsWith('/') || (written === '*' && method === 'OPTIONS')) {
    return { target: written, authority: undefined }
  }
  const [, authority, target = ''] = ABSOLUTE.exec(written) ?? []
  if (authority === undefined) return undefined
  return { target: target.startsWith('/') ? target : `/${target}`, authority }
}

function canBecomeRequestLine(text: string): boolean {
  const [method = '', target, version, ...rest] = text.split(' ')
  if (text === '\r') return true
  if (rest.length > 0) return false
  if (target === undefined) return METHODS.some((known) => known !== 'CONNECT' && known.startsWith(method))
  if (!KNOWN_METHODS.has(method)) return false
  if (version === undefined) return TARGET_START.test(target)
  return (
    parseTarget(method, target) !== undefined && [...VERSIONS.keys()].some((known) => `${known}\r`.startsWith(version))
  )
}

function requestHead(line: RequestLine, headers: Map<string, string>): RequestHead | MalformedRequest {
  const isOld = line.minorVersion === 0
  if (!isOld && !headers.has('host')) return malformedRequest(400, 'a request of HTTP/1.1 needs a Host header')
  if (line.authority !== undefined) headers.set('host', line.authority)
  const length = bodyLength(headers, isOld)
  if (typeof length === 'object') return length
  const options = tokens(headers.get('connection'))
  const isUpgrade = !isOld && line.method === 'GET' && length === 0 && options.includes('upgrade')
  return {
    kind: 'head',
    method: line.method,
    target: line.target,
    headers,
    header: (name) => headers.get(name),
    hasBody: length !== 0,
    length,
    isLast: options.includes('close') || (isOld && !options.includes('keep-alive')),
    expectation: isOld ? 'none' : expectationOf(headers.get('expect')),
    isForwarded: isOld || [...headers.keys()].some((name) => PROXY_HEADER.test(name)),
    isWebSocketUpgrade: isUpgrade && headers.get('upgrade')?.toLowerCase() === 'websocket',
  }
}

/** RFC 9112, section 6.3. */
function bodyLength(headers: ReadonlyMap<string, string>, isOld: boolean): RequestHead['length'] | MalformedRequest {
  const written = headers.get('transfer-encoding')
  if (written === undefined) return Number(headers.get('content-length') ?? 0)
  if (isOld) return malformedRequest(400, 'HTTP/1.0 has no transfer encodings')
  const codings = written.toLowerCase().split(',').map(trimmed)
  // Parsers disagree about empty members.
  if (codings.indexOf('chunked') !== codings.length - 1 || codings.includes('')) {
    return malformedRequest(400, 'the end of the body is unknown: the last transfer encoding has to be chunked')
  }
  return codings.length === 1 ? 'chunked' : malformedRequest(501, 'no transfer encoding is supported except chunked')
}

function expectationOf(written: string | undefined): RequestHead['expectation'] {
  if (written === undefined) return 'none'
  const expected = tokens(written)
  return expected.length > 0 && expected.every((token) => token === '100-continue') ? 'continue' : 'unknown'
}

/** The members of a comma-separated list in lower case. */
function tokens(list: string | undefined): readonly string[] {
  if (list === undefined) return []
  return list
    .toLowerCase()
    .split(',')
    .map(trimmed)
    .filter((token) => token !== '')
}
