import { STATUS_CODES } from 'node:http'
import { type HttpAnswer, KEEP_ALIVE_TIMEOUT } from './exchange.ts'

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_TIMEOUT / 1000}\r\n`
const ENDING = 'Connection: close\r\n'
/** What would end a header and begin another. */
const CONTROL = /[^\t -~]/

const statusLines = new Map<number, string>()
let dateSecond = 0
let dateLine = ''

/**
 * The head of an answer with what Node's own server puts into it.
 *
 * @param bytes of the body
 * @param isLast the connection ends with it
 * @throws TypeError a header holds what does not belong into one
 */
export function answerHead({ status, headers }: HttpAnswer, bytes: number, isLast: boolean): string {
  let text = statusLine(status)
  for (const name in headers) {
    const value = headers[name]!
    if (CONTROL.test(value)) throw new TypeError(`the header ${name} holds what is not visible ASCII`)
    text += `${name}: ${value}\r\n`
  }
  const length = status === 204 || status === 304 ? '' : `Content-Length: ${bytes}\r\n`
  return `${text}${date()}${isLast ? ENDING : KEPT}${length}\r\n`
}

/**
 * An answer in one piece.
 *
 * @param bytes of the body
 */
export function answerBytes(head: string, body: string | Uint8Array, bytes: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(head.length + bytes)
  whole.write(head, 'latin1')
  if (typeof body !== 'string') whole.set(body, head.length)
  // Copying is faster than encoding.
  else if (body.length === bytes) whole.write(body, head.length, 'latin1')
  else whole.write(body, head.length, 'utf8')
  return whole
}

function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  statusLines.set(status, line)
  return line
}

/** Written once a second. */
function date(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateLine = `Date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return dateLine
}
