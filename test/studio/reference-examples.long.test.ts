import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Client,
  type ClientConfig,
  createClient,
  http,
  publicActions,
  testActions,
  type WebSocketTransport,
  walletActions,
  webSocket,
} from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ROUTES } from '../../src/rest/routes/routes.ts'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import { exampleOf } from '../../src/rpc/registry/open-rpc.ts'
import { EXAMPLES } from '../support/method-examples.ts'
import { asyncFunction, examplesIn } from '../support/reference-page.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const READING = RPC_METHODS.filter(({ effect }) => effect === 'none')

/** Codes of requests for a block, transaction or nonce that the chain of the examples has and this one lacks. */
const ABSENT_HERE = [-32000, -32001]

let node: StudioNode
let examples: ReturnType<typeof examplesIn>
beforeAll(async () => {
  node = await startStudioNode(await freePort(), ['--ephemeral', '--demo-stocks', 'v2'])
  examples = examplesIn(await (await fetch(`${node.url}/docs`)).text())
})
afterAll(() => node?.stop())

/** An example as a reader runs it: with the address of the node in place of the default one. */
const own = (example: string) => example.replaceAll('127.0.0.1:8545', new URL(node.url).host)

async function shell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', own(command).replace('curl ', 'curl -m 20 ')])
  return stdout
}

test.each(
  ROUTES.filter(({ response }) => response.contentType !== 'text/event-stream').map(
    (route) => [route.path, route] as const,
  ),
)('curl and fetch of %s have the same answer', async (path, { response }) => {
  const example = examples.get(`get-${path}`)!
  const logged: unknown[][] = []

  const text = await shell(example.get('curl')!)
  await asyncFunction(['console'], own(example.get('fetch')!))({ log: (...values: unknown[]) => logged.push(values) })

  const [[status, body]] = logged as [[number, unknown]]
  expect(status).toBe(200)
  // A block may be sealed between the two requests: the answers have the same members.
  const answer: unknown = response.contentType === 'application/json' ? JSON.parse(text) : text
  expect(typeof answer).toBe(typeof body)
  expect(Object.keys(Object(answer)).slice(0, 50)).toEqual(Object.keys(Object(body)).slice(0, 50))
})

test('curl of the events receives the first one', async () => {
  const command = examples.get('get-/v1/tokenized-stocks/events')!.get('curl')!
  const child = spawn('sh', ['-c', `exec ${own(command)}`])
  onTestFinished(() => void child.kill())

  let received = ''
  for await (const part of child.stdout) {
    received += String(part)
    if (/\ndata: .*\n\n/.test(received)) break
  }

  expect(received).toMatch(/^retry: .*\n(?:id: .*\n)?event: ready\ndata: \{.*"block_number"/)
})

test('curl of every method that changes nothing has a result, the error of its example, or asks for what this chain lacks', async () => {
  const served = READING.filter(({ name }) => examples.get(name)?.has('curl'))
  const wrong: string[] = []
  for (const method of served) {
    const { name } = method
    const reply = JSON.parse(await shell(examples.get(name)!.get('curl')!)) as { error?: { code: number } }
    const { error } = exampleOf(method, EXAMPLES)
    const codes = [error?.code, ...ABSENT_HERE]
    if (reply.error === undefined ? !('result' in reply) : !codes.includes(reply.error.code)) {
      wrong.push(`${name}: ${JSON.stringify(reply)}`)
    }
  }

  expect(wrong).toEqual([])
  expect(served.length).toBeGreaterThan(90)
})

test('viem of every method that changes nothing resolves, or fails as the node does', async () => {
  const client = createClient({ transport: http(node.url) })
    .extend(publicActions)
    .extend(walletActions)
    .extend(testActions({ mode: 'anvil' }))
  const served = READING.filter(({ name }) => examples.has(name))
  const wrong: string[] = []
  for (const method of served) {
    const { name } = method
    const code = examples.get(name)!.get('viem')!
    const error = await asyncFunction(
      ['client'],
      code,
    )(client).then(
      () => undefined,
      (reason: Error) => reason,
    )
    if (error === undefined) continue
    const failure = await node.request(name, exampleOf(method, EXAMPLES).params).then(
      (result) => (result === null ? 'could not be found' : 'none'),
      ({ message }: Error) => message.slice(`${name}: `.length),
    )
    if (!error.message.includes(failure)) wrong.push(`${name}: ${error.message}`)
  }

  expect(wrong).toEqual([])
  expect(served.length).toBeGreaterThan(90)
})

test.each(['eth_subscribe', 'eth_unsubscribe'])('viem of %s runs over a WebSocket', async (name) => {
  const [imports, program] = own(examples.get(name)!.get('viem')!).split(/\n\n([\s\S]*)/)
  expect(imports).toBe("import { createClient, webSocket } from 'viem'")
  const ofTest = (url: string) => webSocket(url, { reconnect: false, keepAlive: false })
  let client: Client<WebSocketTransport> | undefined
  const create = (config: ClientConfig<WebSocketTransport>) => {
    client = createClient(config)
    return client
  }
  onTestFinished(async () => (await client!.transport.getRpcClient()).close())

  await new Promise((resolve, reject) => {
    const run = asyncFunction(['createClient', 'webSocket', 'console'], program!)
    const done = run(create, ofTest, { log: resolve })
    done.then(() => name === 'eth_unsubscribe' && resolve(undefined), reject)
  })
})
