// WebSocket (RFC 6455) for the load generator: sends text messages, receives whole messages.
import { saysError } from './http-wire.mjs'

const EMPTY = Buffer.alloc(0)
const TEXT = 0x1
const PING = 0x9
const CONTINUATION = 0x0
const MASKED = 0x80
const INSPECTED_BYTES = 512

export const webSocketWire = {
  opening: Buffer.from(
    'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  ),

  encode(json) {
    const body = Buffer.from(json)
    // Client frames are masked (RFC 6455, 5.3). A zero mask changes nothing, so that a message is encoded once.
    const length =
      body.length < 126
        ? Buffer.of(MASKED | body.length)
        : Buffer.of(MASKED | 126, body.length >> 8, body.length & 0xff)
    return Buffer.concat([Buffer.of(0x80 | TEXT), length, Buffer.alloc(4), body])
  },

  /** See `httpWire.createReader`. `onOpen` is called after the handshake. */
  createReader(onResponse, onOpen) {
    let isOpen = false
    let waiting = EMPTY
    return (chunk) => {
      let rest = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      waiting = EMPTY
      if (!isOpen) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) {
          waiting = rest
          return
        }
        const status = rest.latin1Slice(9, 12)
        if (status !== '101') throw new Error(`the WebSocket handshake failed: status ${status}`)
        isOpen = true
        rest = rest.subarray(end + 4)
        onOpen()
      }
      for (;;) {
        const frame = readFrame(rest)
        if (frame === undefined) {
          waiting = rest
          return
        }
        rest = rest.subarray(frame.end)
        if (frame.isFinal && (frame.opcode === TEXT || frame.opcode === CONTINUATION)) {
          const first = frame.payload.subarray(0, INSPECTED_BYTES)
          onResponse(!saysError(first), first, frame.payload.length)
        } else if (frame.opcode > TEXT && frame.opcode !== PING) {
          throw new Error(`unexpected WebSocket frame with opcode ${frame.opcode}`)
        }
      }
    }
  },
}

function readFrame(bytes) {
  if (bytes.length < 2) return undefined
  const short = bytes[1] & 0x7f
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return undefined
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const end = start + length
  if (bytes.length < end) return undefined
  return { isFinal: (bytes[0] & 0x80) !== 0, opcode: bytes[0] & 0x0f, payload: bytes.subarray(start, end), end }
}
