import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ReplicaHandle } from '../src/node/roles/node-handle.ts'
import { blockHeight, blockReference } from '../src/rpc/codecs/block-reference.ts'
import { hash } from '../src/rpc/codecs/bytes.ts'
import { logFilter } from '../src/rpc/codecs/log-filter.ts'
import { RPC_METHODS } from '../src/rpc/methods/all-methods.ts'
import { deployEmitter, signEmission, topicOf } from './support/log-emitter.ts'
import { EXAMPLES } from './support/method-examples.ts'
import { asking, caughtUp, type ServedStream, serveStream, startReplica } from './support/replicas.ts'
import { type RpcNode, startRpcNode } from './support/rpc-node.ts'
import { testRandom } from './support/test-seed.ts'

interface StreamProxy {
  readonly port: number
  disturb(kind: string): Promise<unknown>
  release(): void
  close(): Promise<void>
}

interface Facts {
  readonly heights: readonly number[]
  readonly hashes: readonly string[]
  readonly tags: readonly string[]
}

const load = (name: string) => import(new URL(`./replica/${name}.mjs`, import.meta.url).href)
const { startStreamProxy, DISTURBANCES } = (await load('stream-proxy')) as {
  startStreamProxy(port: number): Promise<StreamProxy>
  DISTURBANCES: readonly string[]
}
const { blockRequests } = (await load('block-requests')) as {
  blockRequests(rpc: object, facts: Facts): readonly (readonly [method: string, params: readonly unknown[]])[]
}

const REPLICAS = 3
let node: RpcNode
let stream: ServedStream
let proxy: StreamProxy
let replicas: ReplicaHandle[]
let nonce = 1n

beforeAll(async () => {
  node = await startRpcNode({}, { finalityDepth: 2 })
  stream = await serveStream(node.node, { newestIntervalMs: 50 })
  proxy = await startStreamProxy(stream.port)
  await deployEmitter(node)
  const url = `ws://127.0.0.1:${proxy.port}/replica`
  replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(url)))
}, 60_000)
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()))
  await proxy.close()
  await stream.close()
  await node.stop()
})

async function emit(): Promise<void> {
  await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce))).raw)
  nonce += 1n
}

/** Compares every method that takes a block, for every block, on every replica. */
async function expectEverythingSame(): Promise<void> {
  await node.node.idle()
  const { latest } = node.node.view().head.sealed
  const heights = [0, Math.max(0, latest - 1), latest, latest + 1]
  const view = node.node.view()
  const hashes = [0, latest].map((number) => String(view.blockHash({ kind: 'number', number })))
  const tags = ['earliest', 'finalized', 'safe', 'latest', 'pending']
  const requests = blockRequests(
    { RPC_METHODS, EXAMPLES, blockHeight, blockReference, logFilter, hash },
    { heights, hashes: [...hashes, view.head.pending.block.hash], tags },
  )
  expect(requests.length).toBeGreaterThan(300)
  for (const replica of replicas) {
    await caughtUp(replica, node.node)
    await replica.idle()
    expect(replica.view().head.sequence).toBe(node.node.view().head.sequence)
    const [request, wanted] = [asking(replica), asking(node.node)]
    for (const [method, params] of requests) {
      expect(await request(method, ...params), `${method} ${JSON.stringify(params)}`).toBe(
        await wanted(method, ...params),
      )
    }
  }
}

test("replicas recover from every disturbance of the stream and then return the sequencer's responses", async () => {
  const random = testRandom()
  for (const kind of [...DISTURBANCES, ...DISTURBANCES]) {
    const reached = proxy.disturb(kind)
    await emit()
    await node.nextFlashblock()
    await reached
    if (random() < 0.5) await node.nextBlock()
    else await node.nextFlashblock()
    if (kind === 'delay') proxy.release()
    for (const replica of replicas) await caughtUp(replica, node.node)
  }
  await expectEverythingSame()
  for (const { following, hasFailed } of replicas) {
    expect(hasFailed).toBe(false)
    // Two of each; late and repeated messages needed no new connection.
    expect(following.faults).toMatchObject({ malformed: 4, oversized: 2, invalid: 0, refused: 0 })
    expect(following.faults.gap).toBeGreaterThanOrEqual(2)
    expect(following.faults.lost).toBeGreaterThanOrEqual(2)
    expect(following.duplicates).toBeGreaterThan(0)
    expect(following.snapshots).toBe(0)
  }
}, 60_000)

test('a replica seals the transactions that it pre-confirmed', async () => {
  const [replica] = replicas
  // The open block may have transactions already.
  await node.nextBlock()
  await caughtUp(replica!, node.node)
  const preconfirmed: unknown[] = []
  const sealed = once(replica!.events, 'sealed')
  replica!.events.on('flashblock', ({ layer }) => preconfirmed.push(...layer.transactions.map(({ hash }) => hash)))
  await emit()
  await node.nextFlashblock()
  await emit()
  await node.nextBlock()
  const [{ block }] = await sealed
  expect(preconfirmed).toEqual(block.transactions.map(({ hash }: { hash: string }) => hash))
})

test('a receipt of a pending transaction comes with the flashblock that a replica receives', async () => {
  const [replica] = replicas
  const { hash, raw } = signEmission(nonce, topicOf(Number(nonce)))
  const pooled = once(replica!.events, 'pooled')
  await node.result('eth_sendRawTransaction', raw)
  nonce += 1n
  await pooled

  const receipt = asking(replica!, { receiptWaitMs: 5_000 })('eth_getTransactionReceipt', hash)
  await node.nextFlashblock()

  expect(JSON.parse(await receipt).result).toMatchObject({ transactionHash: hash })
})

test('follows a reorganisation during a disturbance', async () => {
  for (let block = 0; block < 2; block++) {
    await emit()
    await node.nextBlock()
  }
  const { latest } = node.node.view().head.sealed
  const unwound = Promise.all(replicas.map((replica) => once(replica.events, 'unwound')))
  const reached = proxy.disturb('drop')
  expect(await node.node.setHead(latest - 1)).toEqual({ kind: 'unwound' })
  await reached
  await node.nextFlashblock()
  await unwound
  nonce -= 1n
  await node.nextBlock()
  await expectEverythingSame()
}, 60_000)

test('a malformed message is refused, and the node continues', async () => {
  for (const message of ['no JSON', '{"type":"something"}', '{"type":"hello"}', '[]', Buffer.from([1, 2, 3])]) {
    const socket = new WebSocket(stream.url)
    await once(socket, 'open')
    socket.send(message)
    const [response] = await once(socket, 'message')
    expect(JSON.parse(String(response))).toMatchObject({ type: 'refused', code: 'MALFORMED' })
    const [code] = await once(socket, 'close')
    expect(code).toBe(1008)
  }
  await node.nextFlashblock()
  for (const replica of replicas) await caughtUp(replica, node.node)
})
