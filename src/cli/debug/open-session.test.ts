import { beforeAll, expect, test } from 'vitest'
import { type DebugScene, openDebugScene } from '../../../test/debugger/debug-scene.ts'
import { fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import { JsonRpcError, type Request } from '../stock/chain/json-rpc.ts'
import { openDebugSession } from './open-session.ts'

// Nothing listens there: the node verifies no sources.
const NODE = { rpcUrl: 'http://127.0.0.1:9', requestTimeoutMs: 1_000 }

let scene: DebugScene
beforeAll(async () => {
  scene = await openDebugScene(fixtureBuild())
  return () => scene.node.stop()
})

/** The requests of a session, and what the node answers to them. */
function requestsOf(changed: (method: string, result: unknown) => unknown = (_, result) => result) {
  const sent: Request[] = []
  const request = async (request: Request): Promise<unknown> => {
    sent.push(request)
    const [method, ...params] = request
    const { result, error } = await scene.node.request(method, ...params)
    if (error === undefined) return changed(method, result)
    throw new JsonRpcError(method, error.code, { message: error.message } as never)
  }
  return { sent, rpc: { request } }
}

const quote = () => ({ to: scene.pool, data: scene.input('Pool', 'swap', [0, 5_000n, 6_000n]) })
const open = (block: string, { rpc }: ReturnType<typeof requestsOf>) =>
  openDebugSession({ call: quote(), block }, NODE, { rpc, built: scene.build.contracts })

test('a call is traced at one block, although the tag moves', async () => {
  const requests = requestsOf()
  const session = await open('latest', requests)
  await scene.node.nextBlock()

  await session.view(session.start)

  const blocks = requests.sent.filter(([method]) => method === 'debug_traceCall').map(([, , block]) => block)
  expect(blocks).toHaveLength(2)
  expect(blocks[0]).toMatch(/^0x[0-9a-f]{64}$/)
  expect(blocks[1]).toBe(blocks[0])
})

test('a call at the pending block is refused after that block changed', async () => {
  const session = await open('pending', requestsOf())
  await session.view(session.start)
  const other = await open('pending', requestsOf())
  await scene.node.nextBlock()

  await expect(other.view(other.start)).rejects.toThrow('the pending block changed: name a block with --block')
})

test('windows that are too large for the node are loaded in parts', async () => {
  const requests = requestsOf()
  const { rpc } = requests
  const limited = {
    request: async (request: Request) => {
      const config = request.at(-1) as { readonly tracerConfig?: { readonly ranges?: readonly { count: number }[] } }
      const counts = config?.tracerConfig?.ranges?.map(({ count }) => count) ?? []
      if (counts.some((count) => count > 8))
        throw new JsonRpcError('debug_traceCall', -32003, { message: 'large' } as never)
      return rpc.request(request)
    },
  }
  const session = await open('latest', { ...requests, rpc: limited })

  const view = await session.view(session.start)

  expect(view.machine.stack.length).toBeGreaterThan(0)
})

test.each([
  ['columns', 'debug_traceCall', () => ({ structLogs: [] }), 'needs a node of Tickertape'],
  ['a block', 'eth_getBlockByNumber', () => null, 'the node has no block latest'],
])('a node that answers without %s is refused with what to do', async (_, method, answer, message) => {
  const requests = requestsOf((asked, result) => (asked === method ? answer() : result))

  await expect(open('latest', requests)).rejects.toThrow(message)
})

test('a node that runs the call differently is refused', async () => {
  let traces = 0
  const requests = requestsOf((method, result) => (method === 'debug_traceCall' && traces++ > 0 ? [] : result))
  const session = await open('latest', requests)

  await expect(session.view(session.start)).rejects.toThrow('differently this time: open it again')
})
