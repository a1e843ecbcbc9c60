// A subscriber with minimal cost: it counts bytes and messages without parsing them.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const TEXT = 0x81
const PONG = 0x8a
const PING = 9

/**
 * @param {string} url ws://…
 * @param {string} [firstMessage] sent when the socket is open
 * @returns resolves with the open socket and its counts so far, including the response to `firstMessage`
 */
export function openCountingSocket(url, firstMessage) {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const counted = { bytes: 0, messages: 0 }
  const key = randomBytes(16).toString('base64')
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    let remainder = Buffer.alloc(0)
    let skip = 0
    let isOpen = false
    socket.on('data', (chunk) => {
      counted.bytes += chunk.length
      if (skip >= chunk.length) {
        skip -= chunk.length
        return
      }
      let bytes = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk])
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end === -1) {
          remainder = bytes
          return
        }
        const status = bytes.toString('latin1', 9, 12)
        if (status !== '101') {
          socket.destroy()
          return reject(new Error(`${url} responded with ${status}: ${bytes.toString('utf8', end + 4)}`))
        }
        isOpen = true
        bytes = bytes.subarray(end + 4)
        if (firstMessage !== undefined) socket.write(clientFrame(TEXT, Buffer.from(firstMessage)))
        resolve({ socket, counted })
      }
      let at = skip
      skip = 0
      for (let frame = frameAt(bytes, at); frame !== undefined; frame = frameAt(bytes, at)) {
        if (frame.opcode === PING) socket.write(clientFrame(PONG, bytes.subarray(frame.start, frame.end)))
        else if (frame.isLast) counted.messages += 1
        at = frame.end
        if (at < bytes.length) continue
        skip = at - bytes.length
        break
      }
      remainder = at < bytes.length ? bytes.subarray(at) : Buffer.alloc(0)
    })
  })
}

/** A text frame, masked with zeros (RFC 6455, 5.3). */
function clientFrame(first, payload) {
  if (payload.length > 0xffff) throw new RangeError('the payload is too long for a 16-bit length')
  const head =
    payload.length < 126
      ? Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0])
      : Buffer.from([first, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([head, payload])
}

/** Reads the head of a frame. The payload may be incomplete, except for a ping. */
function frameAt(bytes, at) {
  if (bytes.length < at + 2) return undefined
  const opcode = bytes[at] & 0x0f
  const isLast = (bytes[at] & 0x80) !== 0
  const short = bytes[at + 1]
  const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < at + headBytes) return undefined
  const start = at + headBytes
  const length =
    short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short
  const end = start + length
  return opcode === PING && end > bytes.length ? undefined : { opcode, isLast, start, end }
}
