import { type Agent, request } from 'node:http'
import { expect } from 'vitest'
import { decoded, type RpcClient } from '../../src/rpc/protocol/rpc-client.ts'
import { createServer, type ServerDeps, type ServerOptions } from '../../src/server/create-server.ts'
import type { HttpRpc } from '../../src/server/http/rpc-exchange.ts'

/** Answers the decoded text of each request. */
export interface TextRpc {
  handle(text: string, client: RpcClient): string | undefined | Promise<string | undefined>
}

export type EchoRpc = TextRpc & Omit<NonNullable<ServerDeps['rpc']>, 'respond'>

/** Decodes the text of each request when it arrives. */
export function decoding<T extends TextRpc>(rpc: T): T & HttpRpc {
  return { ...rpc, respond: (text, client) => rpc.handle(decoded(text), client) }
}

/** Returns each text unchanged, to test the transport alone. */
export const ECHO: EchoRpc = {
  handle: async (text) => (text === 'nothing' ? undefined : text),
  connect: (send) => ({
    receive: async (text) => {
      if (text === 'flood') for (let count = 0; count < 2_000; count++) send('x'.repeat(10_000))
      else send(text)
    },
    close: () => undefined,
  }),
}

/**
 * A server on a free port; REST requests return 418 and the path. Logged errors fail the test.
 *
 * @param more.rpc `undefined`: the server has no JSON-RPC
 */
export function startEcho(
  options: Partial<ServerOptions> = {},
  more: Partial<Omit<ServerDeps, 'rpc'>> & { readonly rpc?: EchoRpc | undefined } = {},
) {
  const { rpc, ...parts } = { rpc: ECHO, ...more }
  return createServer(
    { host: '127.0.0.1', port: 0, ...options },
    {
      ...(rpc && { rpc: decoding(rpc) }),
      rest: { handle: ({ target }) => ({ status: 418, headers: {}, body: target }) },
      log: { error: (details) => expect.unreachable(JSON.stringify(details)) },
      ...parts,
    },
  )
}

export interface EchoResponse {
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}

/** Uses `node:http`, which can set any `Host` and method. */
export function requestServer(options: {
  readonly port: number
  readonly method?: string
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly agent?: Agent
}): Promise<EchoResponse> {
  const { port, method = 'POST', path = '/', body = '', agent } = options
  const headers = { 'content-type': 'application/json', ...options.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, body: text, headers: response.headers }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
