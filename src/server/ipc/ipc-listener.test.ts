import { once } from 'node:events'
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualServer, startManualServer } from '../../../test/support/manual-server.ts'
import { JsonSplitter } from './json-splitter.ts'

let folder: string
let path: string
let server: ManualServer | undefined
const clients: Client[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-ipc-'))
  path = join(folder, 'node.ipc')
})
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  await server?.stop()
  server = undefined
  rmSync(folder, { recursive: true })
})

async function start(
  rpcOptions: Parameters<typeof startManualServer>[0] = {},
  limits: Parameters<typeof startManualServer>[2] = {},
): Promise<ManualServer> {
  server = await startManualServer(rpcOptions, {}, limits, { ipcPath: path })
  return server
}

interface Client {
  readonly socket: Socket
  /** The next message. */
  next(): Promise<Record<string, unknown>>
}

async function client(): Promise<Client> {
  const socket = connect(path)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const splitter = new JsonSplitter()
  const received: string[] = []
  let wake: () => void = () => undefined
  socket.on('data', (chunk) => {
    received.push(...splitter.push(chunk))
    wake()
  })
  const opened: Client = {
    socket,
    async next() {
      while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return JSON.parse(received.shift()!)
    },
  }
  clients.push(opened)
  return opened
}

function request(id: number, method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

test('answers requests by line, concatenated, in parts and in batches, each with a newline', async () => {
  await start()
  const { socket, next } = await client()

  socket.write(`${request(1, 'eth_chainId')}\n${request(2, 'eth_chainId')}${request(3, 'net_version')}`)
  expect([await next(), await next(), await next()].map(({ id, result }) => [id, result])).toEqual([
    [1, '0x7a69'],
    [2, '0x7a69'],
    [3, '31337'],
  ])
  const batch = `[${request(4, 'eth_chainId')},${request(5, 'eth_chainId')}]`
  socket.write(batch.slice(0, 20))
  socket.write(batch.slice(20))
  expect(await next()).toMatchObject([{ id: 4 }, { id: 5 }])
})

test('delivers notifications after the response with their subscription id', async () => {
  const { nextBlock } = await start()
  const { socket, next } = await client()
  socket.write(request(1, 'eth_subscribe', 'newHeads'))
  const { result } = await next()

  await nextBlock()

  expect(await next()).toMatchObject({
    method: 'eth_subscription',
    params: { subscription: result, result: { number: '0x1' } },
  })
})

test('enables all namespaces, also those that are not open over WebSocket', async () => {
  await start({ wsNamespaces: ['eth'] })
  const { socket, next } = await client()

  socket.write(request(1, 'debug_getBadBlocks'))

  expect(await next()).toMatchObject({ result: [] })
})

test('answers what is not JSON with a parse error and goes on', async () => {
  await start()
  const { socket, next } = await client()

  socket.write(`nonsense\n{"a"}\n${request(1, 'eth_chainId')}`)

  expect(await next()).toMatchObject({ error: { code: -32700 } })
  expect(await next()).toMatchObject({ error: { code: -32700 } })
  expect(await next()).toMatchObject({ result: '0x7a69' })
})

test('answers all requests of a client that closes its side at once, then closes', async () => {
  await start()
  const { socket, next } = await client()
  const closed = once(socket, 'close')

  socket.end(request(1, 'eth_chainId') + request(2, 'eth_estimateGas', { to: `0x${'11'.repeat(20)}` }))

  expect(await next()).toMatchObject({ id: 1 })
  expect(await next()).toMatchObject({ id: 2, result: '0x5208' })
  await closed
})

test('processes no more requests at once than the limit of a connection', async () => {
  await start({}, { maxInFlight: 2 })
  const { socket, next } = await client()
  const ids = Array.from({ length: 20 }, (_, index) => index)

  socket.write(ids.map((id) => request(id, 'eth_estimateGas', { to: `0x${'11'.repeat(20)}` })).join('\n'))

  const answered: Record<string, unknown>[] = []
  for (const _ of ids) answered.push(await next())
  expect(answered.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(ids)
})

test('closes a connection whose message is too large', async () => {
  await start({}, { maxBodyBytes: 1_000 })
  const { socket } = await client()

  socket.write(`{"a":"${'x'.repeat(2_000)}`)

  await once(socket, 'close')
})

test('closes a connection whose message is not complete in time', async () => {
  await start({}, { requestTimeoutMs: 20 })
  const { socket } = await client()

  socket.write('{"a":')

  await once(socket, 'close')
})

test('accepts no more connections than sockets are allowed', async () => {
  await start({}, { maxSockets: 1 })
  const first = await client()
  const second = await client()

  await once(second.socket, 'close')
  first.socket.write(request(1, 'eth_chainId'))
  expect(await first.next()).toMatchObject({ id: 1 })
})

test.runIf(process.platform !== 'win32')(
  'only the user of the node may open the socket, which stop removes',
  async () => {
    const { stop } = await start()
    expect(statSync(path).mode & 0o777).toBe(0o600)

    await stop()
    server = undefined

    expect(existsSync(path)).toBe(false)
  },
)

test.runIf(process.platform !== 'win32')(
  'replaces a socket that a killed process left, but no other file',
  async () => {
    // Closing unlinks the path, so that the abandoned socket is a hard link of it.
    const other = createSocketServer().listen(join(folder, 'other'))
    await once(other, 'listening')
    linkSync(join(folder, 'other'), path)
    await expect(start()).rejects.toThrow(`cannot listen on ${path}: another process serves it; choose another path`)
    other.close()
    await once(other, 'close')
    await (await start()).stop()
    server = undefined

    writeFileSync(path, 'precious')
    await expect(start()).rejects.toThrow('there is another file')
    await expect(start()).rejects.toMatchObject({ code: 'IPC_PATH' })
  },
)
