import { once } from 'node:events'
import { createServer as createNodeServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { startEcho } from './echo-server.ts'

/** Rounds of the event loop after which a server in this process has written all available responses. */
const ROUNDS = 8

export interface ReceivedResponse {
  readonly status: number
  readonly body: string
}

/** Everything that a server sent for some bytes. */
export interface Exchange {
  readonly responses: readonly ReceivedResponse[]
  /** Whether the server keeps the connection open. */
  readonly isOpen: boolean
}

/** A server of this process that is given connections. */
export interface ServedConnections {
  readonly port: number
  /** The server's side of the next connection. */
  accepted(): Promise<Socket>
  close(): Promise<void>
}

/** A server of this project that responds to each request with its method and target. */
export async function startOwnServer(): Promise<ServedConnections> {
  const server = await startEcho(
    { isHanded: true, allowedHosts: ['*'] },
    {
      rpc: undefined,
      rest: { handle: ({ method, target }) => ({ status: 200, headers: {}, body: `${method} ${target}` }) },
    },
  )
  return acceptFor(
    (socket) => server.take(socket),
    () => server.close(),
  )
}

/** A bare server of `node:http` with default options that does the same. */
export async function startNodeServer(): Promise<ServedConnections> {
  const server = createNodeServer((request, response) => {
    const answer = () => {
      const body = `${request.method} ${request.url}`
      response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body)
    }
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    // Node forgets responses that are not made when it finds an error behind their requests.
    if (Number(length) === 0 && coding === undefined) answer()
    else request.resume().on('end', answer)
  })
  // It starts the timeouts of connections.
  server.emit('listening')
  return acceptFor(
    (socket) => server.emit('connection', socket),
    async () => {
      server.close()
    },
  )
}

async function acceptFor(serve: (socket: Socket) => void, close: () => Promise<void>): Promise<ServedConnections> {
  const listener: Server = createServer({ allowHalfOpen: true, noDelay: true }, serve)
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    accepted: async () => ((await once(listener, 'connection')) as [Socket])[0],
    close: async () => {
      listener.close()
      await close()
    },
  }
}

/** Sends each piece when the server has read the one before, and waits until it has answered what it can. */
export async function exchange(server: ServedConnections, pieces: readonly Buffer[]): Promise<Exchange> {
  const accepting = server.accepted()
  const client = connect({ port: server.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const received: Buffer[] = []
  let hasEnded = false
  client.on('data', (chunk) => received.push(chunk))
  client.on('end', () => {
    hasEnded = true
  })
  client.on('error', () => {
    hasEnded = true
  })
  const socket = await accepting
  let sent = 0
  for (const piece of pieces) {
    if (socket.destroyed || hasEnded) break
    client.write(piece)
    sent += piece.length
    while (socket.bytesRead < sent && !socket.destroyed && !hasEnded) await round()
    await round()
  }
  for (let count = 0; count < ROUNDS; count++) await round()
  while (client.bytesRead < socket.bytesWritten && !client.destroyed && !hasEnded) await round()
  if (socket.destroyed || socket.writableEnded) while (!hasEnded && !client.destroyed) await round()
  client.destroy()
  return { responses: readResponses(Buffer.concat(received).toString('latin1')), isOpen: !hasEnded }
}

function round(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The final responses in a text; interim ones are not counted. */
export function readResponses(text: string): ReceivedResponse[] {
  const responses: ReceivedResponse[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) throw new Error(`half a response: ${text.slice(at)}`)
    const head = text.slice(at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(status)) throw new Error(`no status line: ${text.slice(at, at + 80)}`)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    // Node refuses a request without Host with an empty chunked body.
    const chunks = /\r\ntransfer-encoding: chunked/i.test(head) ? '0\r\n\r\n' : ''
    // The response to HEAD has a length and no body.
    const isBodiless = end + 4 === text.length || text.startsWith('HTTP/1.1 ', end + 4)
    at = end + 4 + (isBodiless ? 0 : length + chunks.length)
    if (at > text.length) throw new Error(`half a body: ${text.slice(end + 4)}`)
    if (status >= 200) responses.push({ status, body: text.slice(end + 4, at - chunks.length) })
  }
  return responses
}
