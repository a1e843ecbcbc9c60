import type { HttpRequest } from './exchange.ts'

/** The head of a request that no two parsers interpret differently. */
export interface FastPathHead extends HttpRequest {
  /** Bytes of the head, including its empty line. */
  readonly size: number
  /** Bytes of the body. */
  readonly length: number
  /** The client asks to close the connection. */
  readonly isLast: boolean
}

/** Bytes: half of Node's limit, so that Node decides about heads near the limit. */
const MAX_SIZE = 8 * 1024
const MAX_HEADERS = 64
/** Bytes of a head that is cached for its connection. */
const MAX_REMEMBERED = 1024
const END = Buffer.from('\r\n\r\n')
const POST_LINE = 'POST / HTTP/1.1'
const GET_LINE = /^GET (\/[!-~]*) HTTP\/1\.1$/
/**
 * Token characters (RFC 9110, section 5.6.2), the colon, and a value of visible ASCII without extra spaces around it.
 */
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([!-~](?:[ -~]*[!-~])?)?$/
const DIGITS = /^(?:0|[1-9]\d{0,14})$/
/** Headers that change the framing or ask for more than a response. */
const UNUSUAL = new Set(['transfer-encoding', 'expect', 'upgrade', 'http2-settings', 'trailer', 'te'])

/**
 * Parses the head of a complete request that leaves no room for interpretation: HTTP/1.1, one `Host`, ASCII names and
 * values, each name once, a decimal length or none. Request smuggling exploits differences between parsers (RFC 9112,
 * section 11.2).
 *
 * @param from where the head starts
 * @returns `undefined` for all other requests: Node's parser reads them
 */
export function parseFastPathHead(bytes: Buffer, from: number): FastPathHead | undefined {
  const end = bytes.indexOf(END, from)
  if (end === -1 || end - from > MAX_SIZE - END.length) return undefined
  const [requestLine, ...lines] = bytes.toString('latin1', from, end).split('\r\n')
  const target = requestLine === POST_LINE ? '/' : GET_LINE.exec(requestLine!)?.[1]
  if (target === undefined || lines.length > MAX_HEADERS) return undefined
  const headers = readHeaders(lines)
  if (headers === undefined || !headers.has('host')) return undefined
  const written = headers.get('content-length') ?? '0'
  const connection = headers.get('connection')?.toLowerCase() ?? 'keep-alive'
  if (!DIGITS.test(written) || (connection !== 'keep-alive' && connection !== 'close')) return undefined
  const length = Number(written)
  const isPost = requestLine === POST_LINE
  if (!isPost && length > 0) return undefined
  return {
    method: isPost ? 'POST' : 'GET',
    target,
    hasBody: length > 0,
    header: (name) => headers.get(name),
    size: end + END.length - from,
    length,
    isLast: connection === 'close',
  }
}

/** Parses the heads of one connection, which are usually identical. */
export class FastPathHeadParser {
  #last: FastPathHead | undefined
  #lastBytes = Buffer.alloc(0)

  /** As `parseFastPathHead`, cached. */
  read(bytes: Buffer, from: number): FastPathHead | undefined {
    const size = this.#lastBytes.length
    const isSame = from + size <= bytes.length && bytes.compare(this.#lastBytes, 0, size, from, from + size) === 0
    if (this.#last !== undefined && isSame) return this.#last
    const head = parseFastPathHead(bytes, from)
    if (head !== undefined && head.size <= MAX_REMEMBERED) {
      this.#last = head
      this.#lastBytes = Buffer.from(bytes.subarray(from, from + head.size))
    }
    return head
  }
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, written, value = ''] = HEADER_LINE.exec(line) ?? []
    if (written === undefined) return undefined
    const name = written.toLowerCase()
    if (headers.has(name) || UNUSUAL.has(name)) return undefined
    headers.set(name, value)
  }
  return headers
}
