// JSON-RPC over one persistent connection, for measured sequences of requests: `fetch` costs more than some of them.
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

/** @param {number} port of the node */
export function createClient(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, noDelay: true })
  const headers = { 'content-type': 'application/json' }
  const options = { host: '127.0.0.1', port, method: 'POST', agent, headers }
  return {
    /** @throws Error with the node's own message */
    async request(method, params = []) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await new Promise((resolve, reject) => {
        const sent = httpRequest(
          { ...options, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
          resolve,
        )
        sent.once('error', reject)
        sent.end(body)
      })
      const { result, error } = JSON.parse(await text(response))
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result
    },
    close: () => agent.destroy(),
  }
}
