/** Refusal of a message that breaks HTTP/1.1, or a limit of this server. The connection closes with it. */
export interface MalformedRequest {
  readonly kind: 'malformed'
  readonly status: 400 | 413 | 431 | 501
  readonly message: string
}

/** Bytes of the lines of a head, and of the trailers of a chunked body. */
export const MAX_HEAD_BYTES = 16 * 1024
/** Header lines of a head, and trailer lines of a chunked body. */
export const MAX_HEADERS = 128

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
/** Visible ASCII, space, tab, and bytes above ASCII (RFC 9110, section 5.5). */
const VALUE = '[\\t -~\\x80-\\xff]*'
/** No space before the colon, no continuation lines (RFC 9112, sections 5.1 and 5.2). */
const HEADER_LINE = new RegExp(`^(${TOKEN}):(${VALUE})$`)
/** Everything that a header line, or the empty line after the last one, may begin with. */
const HEADER_LINE_START = new RegExp(`^(?:\\r|${TOKEN}(?::${VALUE}\\r?)?)?$`)
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const TAB = 9

/** A header or trailer line. */
export interface HeaderLine {
  /** In lower case. */
  readonly name: string
  readonly value: string
}

/** A complete line without its CRLF, and where the next one starts. */
export interface Line {
  readonly text: string
  readonly end: number
}

export function malformedRequest(status: MalformedRequest['status'], message: string): MalformedRequest {
  return { kind: 'malformed', status, message }
}

/**
 * The line at a position. Lines end in CRLF only: parsers that accept a bare LF or CR disagree about where a head ends
 * (RFC 9112, section 2.2).
 *
 * @returns `undefined`: the line is incomplete
 */
export function readLine(bytes: Buffer, from: number): Line | MalformedRequest | undefined {
  const end = bytes.indexOf(LINE_FEED, from)
  if (end === -1) return undefined
  if (end === from || bytes[end - 1] !== CARRIAGE_RETURN) return malformedRequest(400, 'a line does not end in CRLF')
  return { text: bytes.toString('latin1', from, end - 1), end: end + 1 }
}

/** @returns `undefined`: the syntax is wrong */
export function parseHeaderLine(text: string): HeaderLine | undefined {
  const [, name, value] = HEADER_LINE.exec(text) ?? []
  if (name === undefined || value === undefined) return undefined
  return { name: name.toLowerCase(), value: trimmed(value) }
}

/** Whether an incomplete line can become a header line, or the empty line after the last one. */
export function canBecomeHeaderLine(text: string): boolean {
  return HEADER_LINE_START.test(text)
}

/** Without spaces and tabs around it; `trim` would remove other characters, too. */
export function trimmed(value: string): string {
  let [start, end] = [0, value.length]
  while (start < end && isBlank(value.charCodeAt(start))) start += 1
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1
  return value.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}
