import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import {
  asking,
  caughtUp,
  type ServedStream,
  serveStream,
  shows,
  startReplica,
} from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { NodeService } from '../node-service.ts'
import type { Replica } from './replica.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Scene extends ManualNode {
  readonly stream: ServedStream
  send(nonce: bigint): Promise<void>
}

async function start(options: Parameters<typeof startManualNode>[0] = {}): Promise<Scene> {
  const manual = await startManualNode(options)
  closing.push(() => manual.node.stop())
  const stream = await serveStream(manual.node)
  closing.push(() => stream.close())
  return { ...manual, stream, send: (nonce) => send(manual.node, nonce) }
}

async function send(node: NodeService, nonce: bigint): Promise<void> {
  expect(await node.submit(signTransfer({ nonce }).raw)).toMatchObject({ kind: 'accepted' })
}

async function follow(...options: Parameters<typeof startReplica>): Promise<Replica> {
  const replica = await startReplica(...options)
  closing.push(() => replica.stop())
  return replica
}

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-replica-'))
  closing.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A node whose records reach back a block or two only. */
const SHORT_WINDOW = { replayBlocks: 1, segmentBytes: 2_000 }

const QUESTIONS: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_blockNumber'],
  ['eth_getBlockByNumber', 'pending', true],
  ['eth_getBlockByNumber', 'latest', true],
  ['eth_getBlockReceipts', 'pending'],
  ['eth_getBlockReceipts', 'latest'],
  ['eth_getBalance', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'],
  ['eth_getTransactionCount', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'],
  ['eth_getProof', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', [], 'pending'],
  ['eth_feeHistory', '0x2', 'latest', [50]],
  ['txpool_content'],
  ['eth_syncing'],
]

/** Everything that is asked is answered the same, byte by byte. */
async function expectSame(replica: NodeService, node: NodeService): Promise<void> {
  const [ask, wanted] = [asking(replica), asking(node)]
  for (const question of QUESTIONS) {
    expect(await ask(...question), question.join(' ')).toBe(await wanted(...question))
  }
}

test('a replica that begins with nothing answers what the node that it follows answers', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start()
  await send(0n)
  await nextBlock()
  const replica = await follow(stream.url)
  await caughtUp(replica, node)
  await expectSame(replica, node)
  await send(1n)
  await nextFlashblock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(replica.following).toMatchObject({ isConnected: true, connections: 1, snapshots: 0 })
})

test('a replica takes over a snapshot when the records do not reach back to genesis', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 6n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.submit(signTransfer({ nonce: 9n }).raw)
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ connections: 1, snapshots: 1 })
  await expectSame(replica, node)
  await nextBlock()
  await caughtUp(replica, node)
  await replica.idle()
  await expectSame(replica, node)
})

test('after a restart a replica goes on from its own records, and answers before its source is there', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream, send } = await start()
  const first = await startReplica(stream.url, { directory })
  await send(0n)
  await nextBlock()
  await caughtUp(first, node)
  await first.stop()
  await send(1n)
  await nextBlock()
  await stream.close()
  const again = await follow(stream.url, { directory })
  expect(again.view().head.sealed.latest).toBe(1)
  const { port } = stream
  const reopened = await serveStream(node, { port })
  closing.push(() => reopened.close())
  await caughtUp(again, node)
  await expectSame(again, node)
  expect(again.following.snapshots).toBe(0)
})

test('a replica that was away for longer than records are kept takes over a snapshot where it is', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  const first = await startReplica(stream.url, { directory })
  await nextBlock()
  await caughtUp(first, node)
  await first.stop()
  for (let nonce = 0n; nonce < 6n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const again = await follow(stream.url, { directory })
  await nextFlashblock()
  await caughtUp(again, node)
  await expectSame(again, node)
  expect(again.following.snapshots).toBe(1)
})

test('a transaction sent to a replica is in its pool when it is answered', async () => {
  const { node, stream, nextFlashblock } = await start()
  const replica = await follow(stream.url)
  await caughtUp(replica, node)
  const { raw, hash } = signTransfer({ nonce: 0n })
  expect(await replica.submit(raw)).toMatchObject({ kind: 'accepted', transaction: { hash } })
  expect(replica.view().transaction(hash)?.kind).toBe('pooled')
  expect(await replica.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
  expect(await replica.submit(signTransfer({ nonce: 0n, value: 2n }).raw)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'REPLACEMENT_UNDERPRICED', requiredMaxFeePerGas: expect.any(BigInt) },
  })
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(replica.view().transaction(hash)?.kind).toBe('included')
})

test('blocks that are taken back are taken back on the replica, and listeners hear of it', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start()
  const replica = await follow(stream.url)
  await send(0n)
  for (let block = 0; block < 4; block++) await nextBlock()
  await caughtUp(replica, node)
  const unwound = once(replica.events, 'unwound')
  expect(await node.setHead(1)).toEqual({ kind: 'unwound' })
  const [{ blocks }] = await unwound
  expect(blocks.map(({ block }: { block: { header: { number: number } } }) => block.header.number)).toEqual([
    5, 4, 3, 2,
  ])
  await shows(replica, node.view().head.sequence)
  await expectSame(replica, node)
  await nextFlashblock()
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
})

test('what left the pool left it on the replica, for the same reason', async () => {
  const { node, stream, nextFlashblock, nextBlock } = await start({ pool: { lifetimeMs: 1 } })
  const replica = await follow(stream.url)
  const { raw, hash } = signTransfer({ nonce: 7n })
  await node.submit(raw)
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(replica.view().pool.size).toBe(1)
  await nextBlock()
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(replica.view().pool.size).toBe(0)
  expect(replica.view().pool.dropReason(hash)).toEqual({ code: 'EXPIRED' })
})

test('a replica of a replica is one of the node', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start()
  const between = await follow(stream.url)
  const second = await serveStream(between)
  closing.push(() => second.close())
  const replica = await follow(second.url)
  await send(0n)
  await nextBlock()
  await nextFlashblock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  const { raw, hash } = signTransfer({ nonce: 1n })
  await replica.submit(raw)
  expect(replica.view().transaction(hash)?.kind).toBe('pooled')
})

test('another chain is refused, and says which flags to look at', async () => {
  const { stream } = await start({ network: { chainId: 5n } })
  await expect(startReplica(stream.url)).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringMatching(/genesis flags/),
  })
})

test('another history of the same chain is refused, and the replica says that it cannot go on', async () => {
  const directory = await newDirectory()
  const one = await start()
  const first = await startReplica(one.stream.url, { directory })
  await one.send(0n)
  await one.nextBlock()
  await caughtUp(first, one.node)
  await first.stop()
  const other = await start()
  for (let block = 0; block < 3; block++) await other.nextBlock()
  const again = await follow(other.stream.url, { directory })
  const [error] = again.hasFailed ? [undefined] : await once(again.events, 'failed')
  if (error !== undefined) expect(error).toMatchObject({ code: 'FORKED' })
  expect(again.hasFailed).toBe(true)
})

test('taking blocks back is refused by a replica', async () => {
  const { stream } = await start()
  const replica = await follow(stream.url)
  await expect(replica.setHead()).rejects.toMatchObject({ code: 'NOT_ON_REPLICA' })
})
