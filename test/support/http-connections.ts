import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { RpcClient } from '../../src/rpc/protocol/rpc-client.ts'
import { ClientResolver } from '../../src/server/http/client-resolver.ts'
import { HttpConnection } from '../../src/server/http/http-connection.ts'
import { HttpService } from '../../src/server/http/http-service.ts'
import { TrustedProxies } from '../../src/server/http/trusted-proxies.ts'
import { BodyStreams } from '../../src/server/transport/body-streams.ts'
import { CoalescedWrites } from '../../src/server/transport/coalesced-writes.ts'
import { DEFAULT_LIMITS } from '../../src/server/transport/limits.ts'
import { NO_MONITOR } from '../../src/server/transport/monitor.ts'
import type { ChargeCost } from '../../src/server/transport/rate-limiter.ts'
import { RequestBudget } from '../../src/server/transport/request-budget.ts'
import { ResponseBudget } from '../../src/server/transport/response-budget.ts'
import { decoding, ECHO, type TextRpc } from './echo-server.ts'

export const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
export const post = (body: string, more = '') => `${HEAD}${more}Content-Length: ${body.length}\r\n\r\n${body}`

export async function open({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Everything until the server ends the connection. */
export async function rest(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** JSON-RPC whose responses a test releases. */
export function heldRpc() {
  const held: { text: string; client: RpcClient; goOn: () => void }[] = []
  const response: TextRpc['handle'] = (text, client) =>
    new Promise((resolve) => held.push({ text, client, goOn: () => resolve(text) }))
  return { rpc: { ...ECHO, handle: response }, held }
}

/** Writes of a round that ends on request, with a manual clock. */
export function heldWrites() {
  const clock = { now: 0 }
  let end = () => {}
  const writes = new CoalescedWrites({
    now: () => clock.now,
    nextRound: (action) => {
      end = action
    },
  })
  return { writes, clock, endRound: () => end() }
}

export const AT_ONCE: TextRpc = { handle: (text) => text }

/** Responds at once, and reports each text first. */
export function telling(tell: (text: string) => void): TextRpc {
  return {
    handle: (text) => {
      tell(text)
      return text === '"large"' ? 'x'.repeat(20_000) : text
    },
  }
}

/** A connection, its client, and the socket that it reads. */
export async function bothSides(
  rpc: TextRpc,
  {
    charge = () => 0,
    writes = new CoalescedWrites({ now: () => performance.now(), nextRound: setImmediate }),
  }: { readonly charge?: ChargeCost; readonly writes?: CoalescedWrites } = {},
) {
  const limits = DEFAULT_LIMITS
  const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }
  const streams = new BodyStreams(limits, { monitor: NO_MONITOR })
  const service = new HttpService(
    { limits, allowedHosts: [] },
    {
      rpc: decoding(rpc),
      rest: { handle: ({ target }) => ({ status: 418, headers: {}, body: target }) },
      log,
      monitor: NO_MONITOR,
      budget: new ResponseBudget({ limit: limits.maxUnreadBytes }),
      streams,
      requestId: () => 'test',
    },
  )
  const nothing = { allowedOrigins: [], socketOrigins: [], operations: new Map(), pages: new Map() }
  const access = { ...nothing, hasOutsideAccess: false, chargeOf: () => charge }
  const listener = createServer({ allowHalfOpen: true })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const client = connect({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const [socket] = (await once(listener, 'connection')) as [Socket]
  const upgrades = { open: () => expect.unreachable('no request is an upgrade') }
  const onUpgraded = () => undefined
  const requests = new RequestBudget(
    { limit: limits.maxIncomingBytes },
    { connections: () => 1, nextRound: setImmediate },
  )
  const connection = new HttpConnection(limits, {
    socket,
    writes,
    service,
    upgrades,
    streams,
    requests,
    clients: new ClientResolver({
      proxies: new TrustedProxies([]),
      access,
      outside: undefined,
      onProxied: () => undefined,
    }),
    log,
    onUpgraded,
  })
  const close = () => {
    client.destroy()
    socket.destroy()
    listener.close()
  }
  return { client, socket, connection, close }
}
