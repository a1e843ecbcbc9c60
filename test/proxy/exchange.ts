import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { WebSocket } from 'ws'

export type Headers = Readonly<Record<string, string>>

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Headers
  /** JSON-RPC method and parameters. */
  readonly call?: readonly [method: string, ...params: readonly unknown[]]
  /** Address of the client on this machine. */
  readonly from?: string
}

/**
 * What a server answers: the status, or for a result or error of JSON-RPC `ok`, `none` (an empty list) or the code;
 * `cors` if a page may read it.
 */
export async function outcomeOf(url: string, { method, path = '/', headers, call, from }: Sent): Promise<string> {
  const outgoing = request(new URL(path, url), {
    method: method ?? (call === undefined ? 'GET' : 'POST'),
    headers: { 'content-type': 'application/json', ...headers },
    ...(from !== undefined && { localAddress: from }),
  })
  outgoing.end(call === undefined ? '' : bodyOf(call))
  const [response] = await once(outgoing, 'response')
  const text = (await buffer(response)).toString()
  const page = response.headers['access-control-allow-origin'] === undefined ? '' : ' cors'
  if (call === undefined || response.statusCode !== 200) return `${response.statusCode}${page}`
  return `${rpcOutcome(text)}${page}`
}

/** As `outcomeOf` for a call by HTTP/1.0, which nginx speaks by default. */
export async function oldOutcomeOf(url: string, call: NonNullable<Sent['call']>): Promise<string> {
  const { hostname, port } = new URL(url)
  const body = bodyOf(call)
  const client = connect(Number(port), hostname)
  const head = `POST / HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  client.write(`${head}\r\n\r\n${body}`)
  const text = (await buffer(client)).toString()
  return rpcOutcome(text.slice(text.indexOf('\r\n\r\n') + 4))
}

/** The status of a refused WebSocket, `101`, or the outcome of a call on it. */
export async function socketOutcomeOf(url: string, { path = '/', headers, call, from }: Sent): Promise<string> {
  const address = new URL(path, url.replace('http:', 'ws:'))
  const socket = new WebSocket(address, { headers, ...(from !== undefined && { localAddress: from }) })
  const refused = once(socket, 'unexpected-response').then(([, response]) => String(response.statusCode))
  const opened = once(socket, 'open').then(() => undefined)
  try {
    const status = await Promise.race([refused, opened])
    if (status !== undefined || call === undefined) return status ?? '101'
    socket.send(bodyOf(call))
    const [data] = await once(socket, 'message')
    return rpcOutcome(String(data))
  } finally {
    refused.catch(() => undefined)
    opened.catch(() => undefined)
    socket.on('error', () => undefined)
    socket.terminate()
  }
}

function bodyOf([method, ...params]: NonNullable<Sent['call']>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function rpcOutcome(text: string): string {
  const { result, error } = JSON.parse(text)
  if (error !== undefined) return String(error.code)
  return Array.isArray(result) && result.length === 0 ? 'none' : 'ok'
}
