import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { createClient, http, publicActions, testActions, walletActions } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../src/rest/routes/routes.ts'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import { exampleOf } from '../../src/rpc/registry/open-rpc.ts'
import { EXAMPLES } from '../support/method-examples.ts'
import { asyncFunction, examplesIn } from '../support/reference-page.ts'
import { freePort, type StudioNode, startStudioNode } from './studio-node.ts'

const READING = RPC_METHODS.filter(({ effect }) => effect === 'none')
/** Codes of requests that are wrong as such, and of faults of the node. */
const NEVER = [-32700, -32600, -32601, -32603]

let node: StudioNode
let examples: ReturnType<typeof examplesIn>
beforeAll(async () => {
  node = await startStudioNode(await freePort(), ['--ephemeral', '--demo-stocks', 'v2'])
  examples = examplesIn(await (await fetch(`${node.url}/docs`)).text())
})
afterAll(() => node?.stop())

/** An example as a reader runs it: with the address of the node in place of the default one. */
const own = (example: string) => example.replaceAll(/(?:http:\/\/)?127\.0\.0\.1:8545/g, node.url)

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

  const [first] = await once(child.stdout, 'data')

  child.kill()
  expect(String(first)).toMatch(/^retry: .*\n(?:id: .*\n)?event: ready\ndata: \{.*"block_number"/)
})

test('curl of every method that changes nothing has a result, or an error that is not of the request', async () => {
  const served = READING.filter(({ name }) => examples.get(name)?.has('curl'))
  const wrong: string[] = []
  for (const { name } of served) {
    const reply = JSON.parse(await shell(examples.get(name)!.get('curl')!)) as { error?: { code: number } }
    if (reply.error === undefined ? !('result' in reply) : NEVER.includes(reply.error.code)) {
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
