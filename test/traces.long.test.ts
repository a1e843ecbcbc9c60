import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { bytesToHex } from '../src/primitives/hex.ts'
import { hasNatsServer, startNatsServer } from './support/nats.ts'
import { signTransfer } from './support/transfers.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const PASSWORD = 's3cretpassword'
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`
const SERVER_KIND = 2

/** A span as OTLP/HTTP has it in JSON. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** A collector that keeps the spans it receives. */
async function startCollector() {
  const spans: OtlpSpan[] = []
  const authorizations = new Set<string | undefined>()
  const server = createServer(async (request, response) => {
    expect(request.url).toBe('/v1/traces')
    authorizations.add(request.headers.authorization)
    let body = ''
    for await (const chunk of request) body += chunk
    const { resourceSpans } = JSON.parse(body) as OtlpRequest
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { spans, authorizations, url: `http://user:${PASSWORD}@127.0.0.1:${port}` }
}

interface Node {
  readonly child: ChildProcess
  readonly rpc: string
  readonly ws: string
  /** Everything printed so far. */
  readonly printed: () => string
}

async function startNode(...flags: readonly string[]): Promise<Node> {
  const child = spawn(process.execPath, [MAIN, 'start', '--ephemeral', '--port', '0', '--json-ready', ...flags])
  onTestFinished(() => void child.kill())
  let text = ''
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (data) => {
      text += data
    })
  }
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return { ...JSON.parse(line), child, printed: () => text }
  }
  throw new Error(`the node did not start: ${text}`)
}

/** A subscriber of flashblocks. */
async function subscribe({ ws }: Node): Promise<void> {
  const socket = new WebSocket(ws)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newFlashblocks', {}] }))
  await once(socket, 'message')
}

const sending = (nonce: bigint, method = 'eth_sendRawTransaction') =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: [bytesToHex(signTransfer({ nonce }).raw)] })

async function post({ rpc }: Node, body: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  expect(await response.json()).toHaveProperty('result')
}

/** Spans of one trace once it has a `write`, by name and name of the parent. */
async function traceOf(spans: readonly OtlpSpan[], isIts: (span: OtlpSpan) => boolean): Promise<readonly OtlpSpan[]> {
  const found = () => {
    const traceId = spans.find(isIts)?.traceId
    return spans.filter((span) => span.traceId === traceId)
  }
  await expect.poll(() => found().map(({ name }) => name), { timeout: 20_000 }).toContain('write')
  return found()
}

function treeOf(trace: readonly OtlpSpan[]): readonly (readonly [name: string, parent: string | undefined])[] {
  return trace.map(({ name, parentSpanId }) => [name, trace.find(({ spanId }) => spanId === parentSpanId)?.name])
}

const EXPECTED = [
  ['pool', 'eth_sendRawTransaction'],
  ['sync', 'pool'],
  ['flashblock', 'eth_sendRawTransaction'],
  ['build', 'flashblock'],
  ['sync', 'flashblock'],
  ['write', 'flashblock'],
]

test('exports one trace of a send, from its request to the first subscriber, inside that of the client', async () => {
  const collector = await startCollector()
  const node = await startNode('--otlp-endpoint', collector.url, '--log-requests')
  await subscribe(node)

  await post(node, sending(0n), { traceparent: TRACEPARENT })
  const trace = await traceOf(collector.spans, ({ name }) => name === 'eth_sendRawTransaction')

  if (process.env.SHOW_TRACE !== undefined) process.stdout.write(`${JSON.stringify(trace, undefined, 2)}\n`)
  const [root] = trace
  expect(root).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, kind: SERVER_KIND })
  expect(treeOf(trace)).toEqual([['eth_sendRawTransaction', undefined], ...EXPECTED])
  for (const span of trace) {
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root!.startTimeUnixNano))
  }
  const logged = node.printed().split('\n')
  const line = logged.find((text) => text.includes('"method":"eth_sendRawTransaction"'))
  expect(JSON.parse(line!)).toMatchObject({ level: 'info', client: '127.0.0.1', traceId: TRACE_ID, msg: 'request' })
  expect([...collector.authorizations]).toEqual([`Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`])
  expect(node.printed()).not.toContain(PASSWORD)
})

test('traces a send over WebSocket that waits for its receipt, below the traceparent of the upgrade', async () => {
  const collector = await startCollector()
  const node = await startNode('--otlp-endpoint', collector.url)
  await subscribe(node)
  const socket = new WebSocket(node.ws, { headers: { traceparent: TRACEPARENT } })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')

  socket.send(sending(0n, 'eth_sendRawTransactionSync'))
  const isRequest = ({ name }: OtlpSpan) => name === 'eth_sendRawTransactionSync'
  const trace = await traceOf(collector.spans, isRequest)

  expect(trace.find(isRequest)).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID })
  // The request ends with the receipt: the collector may get its span after those of the flashblock.
  const names = trace.map(({ name }) => name).sort()
  expect(names).toEqual(['eth_sendRawTransactionSync', ...EXPECTED.map(([name]) => name)].sort())
})

test.runIf(hasNatsServer)('shows the wait for the replicated log', async () => {
  const collector = await startCollector()
  const nats = await startNatsServer()
  onTestFinished(() => nats.close())
  const node = await startNode('--otlp-endpoint', collector.url, '--nats', nats.url, '--allow-old-nats')
  await subscribe(node)

  await post(node, sending(0n))
  const trace = await traceOf(collector.spans, ({ name }) => name === 'eth_sendRawTransaction')

  expect(treeOf(trace)).toEqual(
    expect.arrayContaining([
      ['publish', 'pool'],
      ['publish', 'flashblock'],
    ]),
  )
})

test('traces a send in the RPC worker that receives it, without the steps of the writer process', async () => {
  const collector = await startCollector()
  const node = await startNode('--otlp-endpoint', collector.url, '--rpc-workers', '1')
  await subscribe(node)

  await post(node, sending(0n))
  const trace = await traceOf(collector.spans, ({ name }) => name === 'eth_sendRawTransaction')

  expect(treeOf(trace)).toEqual([
    ['eth_sendRawTransaction', undefined],
    ['pool', 'eth_sendRawTransaction'],
    ['flashblock', 'eth_sendRawTransaction'],
    ['write', 'flashblock'],
  ])
})

test('runs on without its collector, warns of it, and shows no secret of its URL', async () => {
  const node = await startNode('--otlp-endpoint', `http://user:${PASSWORD}@127.0.0.1:9/${PASSWORD}`)

  await post(node, sending(0n))
  await expect.poll(node.printed, { timeout: 30_000 }).toContain('traces cannot be exported')
  const exited = once(node.child, 'exit')
  node.child.kill('SIGTERM')

  expect((await exited)[0]).toBe(0)
  expect(node.printed()).not.toContain(PASSWORD)
})
