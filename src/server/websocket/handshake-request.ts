import type { IncomingMessage } from 'node:http'

/**
 * The request for a WebSocket in the form that `ws` takes. It reads these members only.
 *
 * @param target path and query
 * @param headers names in lower case
 */
export function handshakeRequest(target: string, headers: Readonly<Record<string, string>>): IncomingMessage {
  return { method: 'GET', url: target, headers } as unknown as IncomingMessage
}
