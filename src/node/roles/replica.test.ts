import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { signDeployment, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import {
  endAll,
  endLater,
  expectSame,
  follow,
  newDirectory,
  SHORT_WINDOW,
  start,
} from '../../../test/support/replica-scene.ts'
import { asking, caughtUp, poolsAlike, serveStream, shows, startReplica } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import type { ReplicaHandle } from './node-handle.ts'

afterEach(endAll)

test('a replica that starts without data gives the same responses as its source', async () => {
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

test('restores a snapshot when the records do not reach back to genesis', async () => {
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

test('resumes from its own records after a restart, and responds before its source is reachable', async () => {
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
  endLater(() => reopened.close())
  await caughtUp(again, node)
  await expectSame(again, node)
  expect(again.following.snapshots).toBe(0)
})

test('keeps at most maxBlocksBehind blocks above its store while it catches up', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream } = await start()
  const first = await startReplica(stream.url, { directory })
  await nextBlock()
  await caughtUp(first, node)
  await first.stop()
  for (let block = 0; block < 40; block++) await nextBlock()
  await stream.close()
  const maxBlocksBehind = 4
  const again = await follow(stream.url, { directory, maxBlocksBehind })
  let mostRecent = 0
  again.events.on('flashblock', () => {
    mostRecent = Math.max(mostRecent, again.view().head.recent.length)
  })
  const reopened = await serveStream(node, { port: stream.port })
  endLater(() => reopened.close())
  await caughtUp(again, node)
  expect(again.following.snapshots).toBe(0)
  expect(mostRecent).toBeGreaterThan(0)
  expect(mostRecent).toBeLessThanOrEqual(maxBlocksBehind)
  await expectSame(again, node)
})

test('restores a snapshot into its directory after the retained records have passed it', async () => {
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

test('accepts a transaction after it is in the pool of the replica', async () => {
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

test('follows an unwind and emits the removed blocks', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start()
  const replica = await follow(stream.url)
  for (let block = 0n; block < 4n; block++) {
    await send(block)
    await nextBlock()
  }
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

test('keeps the finalized block of an unwind across a restart', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, nextFlashblock, stream } = await start({ finalityDepth: 2 })
  const replica = await startReplica(stream.url, { directory })
  for (let block = 0; block < 6; block++) await nextBlock()
  await caughtUp(replica, node)
  expect(await node.setHead(4)).toEqual({ kind: 'unwound' })
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(node.view().head.sealed).toMatchObject({ latest: 4, finalized: 4 })
  expect(replica.view().head.sealed).toMatchObject({ latest: 4, finalized: 4 })
  await replica.stop()
  const again = await follow(stream.url, { directory })
  await caughtUp(again, node)
  expect(again.view().head.sealed).toMatchObject({ latest: 4, finalized: 4 })
})

test('drops pooled transactions for the same reason as its source', async () => {
  const { node, stream, nextFlashblock, nextBlock } = await start({ pool: { transactionLifetimeMs: 1 } })
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

test('a replica of a replica has the same chain and forwards transactions', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start()
  const between = await follow(stream.url)
  const second = await serveStream(between)
  endLater(() => second.close())
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

test('rejects a source with another chain and names the genesis flags', async () => {
  const { stream } = await start({ network: { chainId: 5n } })
  await expect(startReplica(stream.url)).rejects.toMatchObject({
    code: 'FOREIGN_CHAIN',
    message: expect.stringMatching(/genesis flags/),
  })
})

test('fails with FORKED on a source with another history of the same chain', async () => {
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

test('rejects setHead with NOT_ON_REPLICA', async () => {
  const { stream } = await start()
  const replica = await follow(stream.url)
  await expect(replica.setHead(0)).rejects.toMatchObject({ code: 'NOT_ON_REPLICA' })
})

test('reports data from before its snapshot as pruned history', async () => {
  const { node, nextBlock, stream } = await start({ ...SHORT_WINDOW, finalityDepth: 2 })
  // More blocks than a snapshot transfers.
  for (let block = 0; block < 260; block++) await nextBlock()
  await node.idle()
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await caughtUp(replica, node)
  const request = asking(replica)
  expect(await request('eth_getBlockByNumber', 'earliest', false)).toBe(
    await asking(node)('eth_getBlockByNumber', 'earliest', false),
  )
  expect(await request('eth_getBlockByNumber', '0x4', false)).toBe(
    await asking(node)('eth_getBlockByNumber', '0x4', false),
  )
  const pruned = expect.objectContaining({ error: { code: 4444, message: 'pruned history unavailable' } })
  const parsed = async (method: string, ...params: unknown[]) => JSON.parse(await request(method, ...params))
  expect(await parsed('eth_getBlockByNumber', '0x1', false)).toEqual(pruned)
  expect(await parsed('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual(pruned)
  expect((await parsed('eth_getBalance', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x80')).error).toMatchObject({
    code: -32000,
    message: expect.stringContaining('state at block #128 is pruned'),
  })
  const { result } = await parsed('eth_capabilities')
  expect([result.blocks.oldestBlock, result.state.oldestBlock]).toEqual(['0x4', '0x104'])
}, 60_000)

/** Filters of clients of a replica, each with its poll. */
async function openFilters(
  replica: ReplicaHandle,
  filters: readonly (readonly [method: string, ...params: unknown[]])[],
) {
  return Promise.all(
    filters.map(async ([method, ...params]) => {
      const request = asking(replica)
      const { result: id } = JSON.parse(await request(method, ...params))
      return async () => JSON.parse(await request('eth_getFilterChanges', id))
    }),
  )
}

async function expectEnded(poll: () => Promise<{ readonly error: { readonly message: string } }>): Promise<void> {
  expect((await poll()).error.message).toMatch(/^filter not found: more has changed/)
  expect((await poll()).error.message).toBe('filter not found')
}

test('ends filters whose next block lies before a new snapshot', async () => {
  const { node, nextBlock, stream } = await start({ ...SHORT_WINDOW, finalityDepth: 2 })
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await nextBlock()
  await caughtUp(replica, node)
  const polls = await openFilters(replica, [['eth_newBlockFilter'], ['eth_newFilter', {}]])
  for (const poll of polls) expect((await poll()).result).toEqual([])
  await stream.close()
  // More blocks than a snapshot transfers.
  for (let block = 0; block < 260; block++) await nextBlock()
  await node.idle()
  const again = await serveStream(node, { port: stream.port })
  endLater(() => again.close())
  await caughtUp(replica, node)
  expect(replica.following.snapshots).toBe(1)
  for (const poll of polls) await expectEnded(poll)
}, 60_000)

test('a filter ends when its logs may have been unwound while the replica was away', async () => {
  const { node, nextBlock, nextFlashblock, stream } = await start(SHORT_WINDOW)
  const replica = await follow(stream.url, { replayBlocks: 1 })
  const submit = ({ raw }: { readonly raw: string }) => node.submit(Buffer.from(raw.slice(2), 'hex'))
  await submit(signDeployment())
  await nextBlock()
  await caughtUp(replica, node)
  const [poll] = await openFilters(replica, [['eth_newFilter', { toBlock: 'pending' }]])
  await submit(signEmission(1n, topicOf(1)))
  await nextFlashblock()
  await caughtUp(replica, node)
  expect((await poll!()).result).toMatchObject([{ topics: [topicOf(1)] }])
  await stream.close()
  await node.setHead(1)
  for (let block = 0; block < 4; block++) await nextBlock()
  await node.idle()
  const again = await serveStream(node, { port: stream.port })
  endLater(() => again.close())
  await caughtUp(replica, node)
  expect(replica.following.snapshots).toBe(1)
  await expectEnded(poll!)
})

test('the directory of a replica verifies and can be used by a sequencing node', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream, send } = await start()
  const replica = await startReplica(stream.url, { directory })
  await send(0n)
  for (let block = 0; block < 3; block++) await nextBlock()
  await send(1n)
  const { sequence } = node.view().head
  await caughtUp(replica, node)
  await poolsAlike(replica, node)
  await replica.stop()
  const location = { directory, genesis: createNetwork().genesis }
  expect(await verifyChain(location, async () => {})).not.toMatchObject({ kind: 'different' })
  const { node: other, nextBlock: next } = await startManualNode({ directory })
  endLater(() => other.stop())
  expect(other.view().head.sequence).toBeGreaterThanOrEqual(sequence)
  await expectSame(other, node)
  await next()
  expect(other.view().head.sealed.latest).toBe(4)
})

test('the pool of a restored snapshot survives a restart and a change to the leader role', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, nextFlashblock, stream } = await start(SHORT_WINDOW)
  for (let block = 0; block < 3; block++) await nextBlock()
  const waits = signTransfer({ nonce: 2n })
  await node.submit(waits.raw)
  const dropped = signTransfer({ nonce: 1n })
  await node.submit(dropped.raw)
  const first = await startReplica(stream.url, { directory })
  expect(first.following.snapshots).toBe(1)
  await nextFlashblock()
  await caughtUp(first, node)
  expect(first.view().pool.size).toBe(2)
  await node.submit(signTransfer({ nonce: 1n, maxPriorityFeePerGas: 10n ** 10n, maxFeePerGas: 10n ** 11n }).raw)
  await nextFlashblock()
  await caughtUp(first, node)
  await first.stop()
  await stream.close()
  const again = await startReplica(stream.url, { directory })
  expect(again.view().transaction(waits.hash)?.kind).toBe('pooled')
  expect(again.view().transaction(dropped.hash)).toBeUndefined()
  await expectSame(again, node)
  await again.stop()
  const { node: other, nextFlashblock: next } = await startManualNode({ directory })
  endLater(() => other.stop())
  expect(other.view().transaction(waits.hash)?.kind).toBe('pooled')
  await other.submit(signTransfer({ nonce: 0n }).raw)
  await next()
  expect(other.view().transaction(waits.hash)?.kind).toBe('included')
})

test('verification rejects the directory of a replica restored from a snapshot with PARTIAL_CHAIN', async () => {
  const directory = await newDirectory()
  const { nextBlock, stream } = await start(SHORT_WINDOW)
  for (let block = 0; block < 4; block++) await nextBlock()
  await (await startReplica(stream.url, { directory })).stop()
  const location = { directory, genesis: createNetwork().genesis }
  await expect(verifyChain(location, async () => {})).rejects.toMatchObject({ code: 'PARTIAL_CHAIN' })
})
