import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Whether a client requests a WebSocket rather than HTTP/2 (`h2c`). */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Removes an upgrade request, which a server may ignore (RFC 9110, section 7.8). Node 20 cannot ignore it once it has
 * an `upgrade` listener, so the request is put back into the connection and parsed again.
 *
 * @param head bytes after the headers
 */
export function replayWithoutUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]!
    const value = request.rawHeaders[index + 1]!
    const kept = name.toLowerCase() === 'connection' ? withoutUpgrade(value) : value
    if (!['upgrade', 'http2-settings'].includes(name.toLowerCase()) && kept !== '') lines.push(`${name}: ${kept}`)
  }
  // Node reads headers as latin1.
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
}

/** Other connection options, such as `close`, are kept. */
function withoutUpgrade(connection: string): string {
  const options = connection.split(',').map((option) => option.trim())
  return options.filter((option) => !['upgrade', 'http2-settings'].includes(option.toLowerCase())).join(', ')
}
