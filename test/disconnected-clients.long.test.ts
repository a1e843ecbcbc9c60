import { once } from 'node:events'
import { connect as connectTo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CompiledProgram, compileProgram, type StartedProgram } from './support/compiled-program.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { RpcSocket } from './support/rpc-socket.ts'

const TARGET = `0x${'ca'.repeat(20)}`
/** `JUMPDEST PUSH1 0 JUMP` */
const ENDLESS = { [TARGET]: { code: '0x5b600056' } }
/** An hour, so that no timeout can end a request in these tests. */
const LONG_MS = 3_600_000
/** Requests that may be queued for a thread. */
const MAX_WAITING = 64

const ENDLESS_TRACE = [
  { to: TARGET },
  'latest',
  { tracer: 'noopTracer', timeout: `${LONG_MS}ms`, stateOverrides: ENDLESS },
]

let program: CompiledProgram
let node: StartedProgram
beforeAll(async () => {
  program = await compileProgram()
  const times = ['--call-timeout-ms', '--trace-timeout-ms', '--max-trace-timeout-ms'].flatMap((flag) => [
    flag,
    `${LONG_MS}`,
  ])
  node = await program.start(
    '--ephemeral',
    '--call-workers',
    '1',
    '--max-running-calls',
    '1',
    '--call-gas-cap',
    `${10 ** 15}`,
    ...times,
  )
}, 60_000)
afterAll(async () => {
  await node.stop()
  program.remove()
})

/** Completes when the thread is idle. */
async function shortTrace(): Promise<unknown> {
  const response = await jsonRpcClient(node.url).request('debug_traceCall', { to: TARGET }, 'latest', {
    tracer: 'noopTracer',
  })
  return response.error ?? response.result
}

/** Resolves when the node processes the requests of a new connection: later ones have responses. */
async function connect(...requests: readonly (readonly [method: string, ...params: unknown[]])[]) {
  const socket = await RpcSocket.connect(node.url.replace('http', 'ws'))
  for (const [method, ...params] of requests) void socket.request(method, ...params)
  await socket.result('eth_chainId')
  return socket
}

/** As above over HTTP, with a connection of its own. */
async function connectPlainly(body: unknown): Promise<Socket> {
  const socket = connectTo({ host: '127.0.0.1', port: Number(new URL(node.url).port) })
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  const head =
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ' +
    `${text.length}\r\n\r\n`
  await new Promise((resolve) => socket.write(head + text, resolve))
  // The node has received it: it reads all connections before it reads one again.
  const other = await connect()
  await other.result('eth_chainId')
  await other.close()
  return socket
}

describe('the worker thread stops working for a disconnected client', () => {
  test('on a trace over WebSocket', async () => {
    const socket = await connect(['debug_traceCall', ...ENDLESS_TRACE])
    const behind = shortTrace()
    await socket.close()
    expect(await behind).toEqual({})
  })

  test('on a trace over HTTP, alone and in a batch', async () => {
    const trace = { jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params: ENDLESS_TRACE }
    for (const body of [trace, [trace]]) {
      const socket = await connectPlainly(body)
      const behind = shortTrace()
      socket.destroy()
      expect(await behind).toEqual({})
    }
  })

  test('on a call on the main thread', async () => {
    const socket = await connect(['eth_call', { to: TARGET }, 'latest', ENDLESS])
    // The main thread runs one call only: the first one has ended.
    expect(await socket.result('eth_call', { to: TARGET }, 'latest')).toBe('0x')
    const behind = shortTrace()
    await socket.close()
    expect(await behind).toEqual({})
  })

  test('on requests that wait for a slot', async () => {
    const trace = ['debug_traceCall', ...ENDLESS_TRACE] as const
    const first = await connect(trace, trace)
    const left = await connect(...Array.from({ length: MAX_WAITING - 1 }, () => trace))
    const other = await connect()
    const request = () => other.request('debug_traceCall', { to: TARGET }, 'latest', { tracer: 'noopTracer' })
    expect((await request()).error?.code).toBe(-32005)
    await left.close()
    // A rejection precedes the response to a later request.
    let behind = request()
    const isRefused = async () => {
      await other.request('eth_chainId')
      return Promise.race([behind.then(() => true), other.request('eth_chainId').then(() => false)])
    }
    while (await isRefused()) behind = request()
    await first.close()
    expect((await behind).result).toEqual({})
    await other.close()
  })
})
