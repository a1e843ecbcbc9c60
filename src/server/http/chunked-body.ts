import {
  canBecomeHeaderLine,
  MAX_HEAD_BYTES,
  MAX_HEADERS,
  type MalformedRequest,
  malformedRequest,
  parseHeaderLine,
  readLine,
} from './header-lines.ts'

/** Characters of a line with the size of a chunk; extensions included. */
export const MAX_SIZE_LINE_CHARACTERS = 4 * 1024
/** Characters of all chunk extensions of a body. */
export const MAX_EXTENSION_CHARACTERS = 16 * 1024
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const QUOTED = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
/** RFC 9112, section 7.1, without spaces around delimiters. */
const SIZE_LINE = new RegExp(`^([0-9a-f]{1,16})((?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*)$`, 'i')
const SIZE_LINE_START = /^(?:[0-9a-f]{1,16}(?:;[\t -~\x80-\xff]*)?\r?)?$/i
const CRLF = Buffer.from('\r\n')
/** Headers that say where a body ends (RFC 9110, section 6.5.1). */
const FRAMING = new Set(['content-length', 'transfer-encoding'])

/** Parses a chunked body. Extensions and trailers are checked and ignored. */
export class ChunkedBodyParser {
  /** Position up to which the bytes of the last `read` were consumed; the caller presents the rest again. */
  position = 0
  readonly #maxBytes: number
  readonly #onData: (part: Buffer) => void
  #state: 'size' | 'data' | 'end of data' | 'trailers' | 'complete' = 'size'
  /** Bytes of the current chunk that are missing. */
  #missing = 0
  #bodyBytes = 0
  #extensionCharacters = 0
  #trailers = 0
  #trailerBytes = 0

  /**
   * @param options.maxBytes of the content
   * @param deps.onData called with the content of chunks
   */
  constructor(options: { readonly maxBytes: number }, deps: { readonly onData: (part: Buffer) => void }) {
    this.#maxBytes = options.maxBytes
    this.#onData = deps.onData
  }

  get isComplete(): boolean {
    return this.#state === 'complete'
  }

  read(bytes: Buffer, from: number): MalformedRequest | undefined {
    this.position = from
    while (this.position < bytes.length && this.#state !== 'complete') {
      const before = this.position
      const problem = this.#step(bytes)
      if (problem !== undefined) return problem
      if (this.position === before) return undefined
    }
    return undefined
  }

  /** Consumes a line or a part of a chunk; nothing, if a line is incomplete. */
  #step(bytes: Buffer): MalformedRequest | undefined {
    switch (this.#state) {
      case 'data':
        return this.#readData(bytes)
      case 'end of data':
        return this.#readEndOfData(bytes)
      default:
        return this.#readLine(bytes)
    }
  }

  #readData(bytes: Buffer): undefined {
    const end = Math.min(bytes.length, this.position + this.#missing)
    this.#onData(bytes.subarray(this.position, end))
    this.#missing -= end - this.position
    this.position = end
    if (this.#missing === 0) this.#state = 'end of data'
  }

  #readEndOfData(bytes: Buffer): MalformedRequest | undefined {
    const end = Math.min(bytes.length, this.position + CRLF.length)
    if (CRLF.compare(bytes, this.position, end, 0, end - this.position) !== 0) {
      return malformedRequest(400, 'a chunk does not end in CRLF')
    }
    if (end - this.position < CRLF.length) return undefined
    this.position = end
    this.#state = 'size'
    return undefined
  }

  #readLine(bytes: Buffer): MalformedRequest | undefined {
    const line = readLine(bytes, this.position)
    if (line === undefined) return this.#checkIncomplete(bytes.toString('latin1', this.position))
    if ('kind' in line) return line
    const size = line.end - this.position
    this.position = line.end
    return this.#state === 'size' ? this.#takeSize(line.text) : this.#takeTrailer(line.text, size)
  }

  #takeSize(text: string): MalformedRequest | undefined {
    if (text.length > MAX_SIZE_LINE_CHARACTERS) return malformedRequest(413, 'a chunk extension is too long')
    const [, digits, extensions = ''] = SIZE_LINE.exec(text) ?? []
    if (digits === undefined) return malformedRequest(400, 'the size of a chunk is invalid')
    this.#extensionCharacters += extensions.length
    if (this.#extensionCharacters > MAX_EXTENSION_CHARACTERS)
      return malformedRequest(413, 'the chunk extensions are too long')
    this.#missing = Number.parseInt(digits, 16)
    this.#bodyBytes += this.#missing
    if (this.#bodyBytes > this.#maxBytes) {
      return malformedRequest(413, `content length too large, want at most ${this.#maxBytes} bytes`)
    }
    this.#state = this.#missing === 0 ? 'trailers' : 'data'
    return undefined
  }

  #takeTrailer(text: string, size: number): MalformedRequest | undefined {
    if (text === '') {
      this.#state = 'complete'
      return undefined
    }
    this.#trailers += 1
    this.#trailerBytes += size
    if (this.#trailers > MAX_HEADERS || this.#trailerBytes > MAX_HEAD_BYTES) {
      return malformedRequest(431, 'the trailers are too large')
    }
    const line = parseHeaderLine(text)
    if (line === undefined) return malformedRequest(400, 'a trailer is invalid')
    return FRAMING.has(line.name) ? malformedRequest(400, `${line.name} is not allowed in trailers`) : undefined
  }

  #checkIncomplete(text: string): MalformedRequest | undefined {
    if (this.#state === 'size') {
      if (text.length > MAX_SIZE_LINE_CHARACTERS) return malformedRequest(413, 'a chunk extension is too long')
      return SIZE_LINE_START.test(text) ? undefined : malformedRequest(400, 'the size of a chunk is invalid')
    }
    if (this.#trailerBytes + text.length > MAX_HEAD_BYTES) return malformedRequest(431, 'the trailers are too large')
    return canBecomeHeaderLine(text) ? undefined : malformedRequest(400, 'a trailer is invalid')
  }
}
