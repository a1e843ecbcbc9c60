import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { createRpc } from '../../rpc/create-rpc.ts'
import { filterRouting, identifierBytes } from './filter-routing.ts'
import { FilterService } from './filter-service.ts'
import type { CallResponse } from './messages.ts'
import type { WorkerLink } from './worker-link.ts'

const GIVEN_UP: CallResponse = { kind: 'error', code: -32002, message: 'no response', data: undefined }

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
})
/** A filter of worker 2, polled by worker 1; `way` is the link between them. */
async function scene(filter: readonly [method: string, ...params: unknown[]], way: WayTo = (request) => request()) {
  const kept = createRpc(node.options, { ...node.deps, randomBytes: identifierBytes(2) })
  const answering = new FilterService({ rpc: kept, clock: node.clock })
  const between = { way }
  const link: Pick<WorkerLink, 'call'> = { call: (_, call) => between.way(() => answering.handle(call)) }
  const forwarder = filterRouting({ worker: 1, workers: 2, compat: undefined }, link)
  const [method, ...params] = filter
  const id = (await kept.run(method, params)) as string
  const client = { isGone: () => false }
  const poll = async () =>
    JSON.parse((await forwarder.forward('eth_getFilterChanges', [id], client)!).text) as unknown[]
  const pollThere = async () => JSON.parse(JSON.stringify(await kept.run('eth_getFilterChanges', [id]))) as unknown[]
  return { between, client, poll, pollThere }
}

type WayTo = (request: () => Promise<CallResponse>) => Promise<CallResponse>

const arrives: WayTo = (request) => request()
/** The request runs, but its response arrives after the caller's timeout. */
const late: WayTo = async (request) => {
  await request()
  return GIVEN_UP
}

async function emit(nonce: bigint): Promise<void> {
  await node.result('eth_sendRawTransaction', signEmission(nonce, topicOf(Number(nonce))).raw)
  await node.nextBlock()
}

test.each([
  ['logs', ['eth_newFilter', { toBlock: 'pending' }]],
  ['blocks', ['eth_newBlockFilter']],
  ['transactions', ['eth_newPendingTransactionFilter']],
] as const)('the next poll of any worker returns the %s of an abandoned poll', async (_, filter) => {
  const { between, poll, pollThere } = await scene(filter)
  await emit(1n)
  between.way = late
  await expect(poll()).rejects.toMatchObject({ code: -32002 })
  await emit(2n)
  await expect(poll()).rejects.toMatchObject({ code: -32002 })
  between.way = arrives
  expect(await poll()).toHaveLength(2)
  expect(await poll()).toEqual([])
  await emit(3n)
  between.way = late
  await expect(poll()).rejects.toMatchObject({ code: -32002 })
  expect(await pollThere()).toHaveLength(1)
  expect(await pollThere()).toEqual([])
})

test('returns a large response that was lost in transit with the next poll', async () => {
  const { between, poll, pollThere } = await scene(['eth_newBlockFilter'])
  await node.nextBlock()
  between.way = async (request) => {
    await request()
    return { kind: 'gone' }
  }
  await expect(poll()).rejects.toMatchObject({ message: 'filter not found' })
  expect(await pollThere()).toHaveLength(1)
})

test('a poll that arrives after its timeout does not consume the changes', async () => {
  const { between, poll, pollThere } = await scene(['eth_newBlockFilter'])
  const waiting: (() => Promise<CallResponse>)[] = []
  between.way = async (request) => {
    waiting.push(request)
    return GIVEN_UP
  }
  await node.nextBlock()
  for (let times = 0; times < 3; times++) await expect(poll()).rejects.toMatchObject({ code: -32002 })
  // The link recovers: polls and put-backs arrive together, in order.
  await Promise.all(waiting.map((request) => request()))
  expect(await pollThere()).toHaveLength(1)
  expect(await pollThere()).toEqual([])
})

test('the next poll returns the changes of several undone polls, undone in any order', async () => {
  const { between, poll, pollThere } = await scene(['eth_newBlockFilter'])
  const ends: (() => Promise<CallResponse>)[] = []
  let isPoll = true
  between.way = async (request) => {
    if (isPoll) await request()
    else ends.push(request)
    isPoll = !isPoll
    return GIVEN_UP
  }
  for (let block = 0; block < 3; block++) {
    await node.nextBlock()
    await expect(poll()).rejects.toMatchObject({ code: -32002 })
  }
  const [first, second, third] = ends
  for (const end of [second, first, third]) await end!()
  expect(await pollThere()).toHaveLength(3)
})

test('a poll whose client disconnects before the response arrives does not consume the changes', async () => {
  const { between, client, poll, pollThere } = await scene(['eth_newBlockFilter'])
  await node.nextBlock()
  between.way = async (request) => {
    const response = await request()
    client.isGone = () => true
    return response
  }

  await poll()

  expect(await pollThere()).toHaveLength(1)
  expect(await pollThere()).toEqual([])
})

test('a put-back that overtakes its poll keeps the changes', async () => {
  const { between, poll, pollThere } = await scene(['eth_newBlockFilter'])
  await node.nextBlock()
  const waiting: (() => Promise<CallResponse>)[] = []
  between.way = async (request) => {
    waiting.push(request)
    return GIVEN_UP
  }

  await expect(poll()).rejects.toMatchObject({ code: -32002 })
  for (const request of waiting.reverse()) await request()

  expect(await pollThere()).toHaveLength(1)
  expect(await pollThere()).toEqual([])
})
