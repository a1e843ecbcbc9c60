import { STATUS_CODES } from 'node:http'
import { type HttpResponse, KEEP_ALIVE_TIMEOUT_MS, REQUEST_ID } from './exchange.ts'

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_TIMEOUT_MS / 1000}\r\n`
const ENDING = 'Connection: close\r\n'
/** Characters that would end a header. */
const CONTROL = /[^\t -~]/

/** Text of a status line and headers. */
interface Beginning {
  readonly status: number
  readonly text: string
}

const statusLines = new Map<number, string>()
/** Cached by headers object, for repeated responses. */
const beginnings = new WeakMap<HttpResponse['headers'], Beginning>()
let dateSecond = 0
let dateLine = ''

/**
 * The head of a response, with date, length and connection headers.
 *
 * @param bytes of the body
 * @param isLast closes the connection
 * @throws TypeError a header has an invalid character
 */
export function responseHead(answer: HttpResponse, bytes: number, isLast: boolean): string {
  const { status, id } = answer
  const text = answer.isRepeated === true ? keptBeginning(answer) : beginning(answer)
  const name = id === undefined ? '' : `${REQUEST_ID}: ${id}\r\n`
  const hasNoLength = status === 204 || status === 304 || answer.stream !== undefined
  const length = hasNoLength ? '' : `Content-Length: ${bytes}\r\n`
  return `${text}${name}${date()}${isLast ? ENDING : KEPT}${length}\r\n`
}

/**
 * A response as one buffer.
 *
 * @param bytes of the body
 */
export function responseBytes(head: string, body: string | Uint8Array, bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(head.length + bytes)
  whole.write(head, 'latin1')
  if (typeof body !== 'string') whole.set(body, head.length)
  // Copying is faster than encoding.
  else if (body.length === bytes) whole.write(body, head.length, 'latin1')
  else whole.write(body, head.length, 'utf8')
  return whole
}

function keptBeginning(answer: HttpResponse): string {
  const { status, headers } = answer
  const known = beginnings.get(headers)
  if (known?.status === status) return known.text
  const text = beginning(answer)
  beginnings.set(headers, { status, text })
  return text
}

/** `join` gives a flat string; a concatenated one would be flattened again for every response. */
function beginning({ status, headers }: HttpResponse): string {
  const lines = [statusLine(status)]
  for (const name in headers) {
    const value = headers[name]!
    if (CONTROL.test(value)) throw new TypeError(`the header ${name} holds what is not visible ASCII`)
    lines.push(`${name}: ${value}\r\n`)
  }
  return lines.join('')
}

function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  statusLines.set(status, line)
  return line
}

/** Cached for a second. */
function date(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateLine = `Date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return dateLine
}
