import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import {
  asking,
  caughtUp,
  type ServedStream,
  serveStream,
  shows,
  sourceOf,
  startReplica,
} from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/networks.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { encodeText } from '../../server/replicas/messages.ts'
import { decodeRecord, encodeRecord } from '../../state/record.ts'
import { decodeSnapshotPart, encodeSnapshotPart } from '../../state/snapshot-part.ts'
import type { NodeService } from '../node-service.ts'
import { verifyChain } from '../verify-chain.ts'
import { type RecordSource, SourceError, type StreamMessage } from './record-source.ts'
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

/** A source whose stream is changed on the way. */
function changed(url: string, change: (message: StreamMessage, connections: number) => StreamMessage): RecordSource {
  let connections = 0
  return {
    name: url,
    async connect(greeting) {
      const connection = await sourceOf(url).connect(greeting)
      connections += 1
      const nth = connections
      return {
        get welcome() {
          return connection.welcome
        },
        next: async () => change(await connection.next(), nth),
        submit: (raw) => connection.submit(raw),
        close: () => connection.close(),
      }
    },
  }
}

/** Flashblocks with transactions lose their receipts, in a record that is well-formed otherwise. */
function withoutReceipts(message: StreamMessage): StreamMessage {
  if (message.kind !== 'records') return message
  return {
    kind: 'records',
    records: message.records.map(({ sequence, payload }) => {
      const record = decodeRecord(payload)
      if (record.kind !== 'flashblock' || record.transactions.length === 0) return { sequence, payload }
      return { sequence, payload: encodeRecord({ ...record, receipts: [] }) }
    }),
  }
}

test('a record that is not what its header says is not applied, and asked for again', async () => {
  const { node, nextFlashblock, nextBlock, stream, send } = await start()
  const source = changed(stream.url, (message, nth) => (nth === 1 ? withoutReceipts(message) : message))
  const replica = await follow(source)
  await send(0n)
  await nextFlashblock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  await nextBlock()
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ connections: 2, snapshots: 0, faults: { invalid: 1 } })
})

test('a replica that finds the same record wrong again and again takes the chain over anew', async () => {
  const { node, nextFlashblock, nextBlock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const source = changed(stream.url, (message, nth) => (nth < 4 ? withoutReceipts(message) : message))
  const replica = await follow(source, { replayBlocks: 1 })
  await send(4n)
  await nextFlashblock()
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ connections: 4, snapshots: 2, faults: { invalid: 3 } })
  await expectSame(replica, node)
})

test('a snapshot that breaks off, or is not whole, is begun anew', async () => {
  const { node, nextBlock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const source = changed(stream.url, (message, nth) => {
    if (message.kind !== 'part') return message
    const part = decodeSnapshotPart(message.bytes)
    if (nth === 1 && part.kind === 'block') throw new SourceError('CLOSED', 'the connection was closed')
    if (nth === 2 && part.kind === 'state') {
      const [address] = [...part.diff.accounts.keys()]
      const accounts = new Map(part.diff.accounts).set(address!, {
        account: { nonce: 0n, balance: 10n ** 30n, codeHash: EMPTY_CODE_HASH },
        storageCleared: false,
      })
      return { kind: 'part', bytes: encodeSnapshotPart({ ...part, diff: { ...part.diff, accounts } }) }
    }
    if (nth === 3) return { kind: 'part', bytes: Buffer.from('nonsense') }
    return message
  })
  const replica = await follow(source, { replayBlocks: 1 })
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(replica.following).toMatchObject({ connections: 4, snapshots: 4, faults: { lost: 1, invalid: 2 } })
})

test('a directory whose snapshot was never finished begins anew', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const source = changed(stream.url, (message) => {
    if (message.kind === 'snapshotEnd') throw new SourceError('FORKED', 'as if somebody had ended the process here')
    return message
  })
  await expect(startReplica(source, { directory })).rejects.toThrow(/as if somebody/)
  const replica = await follow(stream.url, { directory, replayBlocks: 1 })
  await caughtUp(replica, node)
  await expectSame(replica, node)
})

test('blocks taken back from below a snapshot: the replica takes over another, and says which blocks are gone', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 5n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await caughtUp(replica, node)
  const unwound = once(replica.events, 'unwound')
  expect(await node.setHead(2)).toEqual({ kind: 'unwound' })
  await nextFlashblock()
  const [{ blocks }] = await unwound
  expect(blocks.map(({ block }: { block: { header: { number: number } } }) => block.header.number)).toEqual([
    6, 5, 4, 3,
  ])
  await shows(replica, node.view().head.sequence)
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(replica.following.snapshots).toBe(2)
})

test('what a replica that took over a snapshot does not have is pruned history', async () => {
  const { node, nextBlock, stream } = await start({ ...SHORT_WINDOW, finalityDepth: 2 })
  // More blocks than a snapshot brings.
  for (let block = 0; block < 260; block++) await nextBlock()
  await node.idle()
  const replica = await follow(stream.url, { replayBlocks: 1 })
  await caughtUp(replica, node)
  const ask = asking(replica)
  expect(await ask('eth_getBlockByNumber', 'earliest', false)).toBe(
    await asking(node)('eth_getBlockByNumber', 'earliest', false),
  )
  expect(await ask('eth_getBlockByNumber', '0x4', false)).toBe(await asking(node)('eth_getBlockByNumber', '0x4', false))
  const pruned = expect.objectContaining({ error: { code: 4444, message: 'pruned history unavailable' } })
  const parsed = async (method: string, ...params: unknown[]) => JSON.parse(await ask(method, ...params))
  expect(await parsed('eth_getBlockByNumber', '0x1', false)).toEqual(pruned)
  expect(await parsed('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual(pruned)
  expect(await parsed('eth_getBalance', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x80')).toEqual(pruned)
  const { result } = await parsed('eth_capabilities')
  expect([result.blocks.oldestBlock, result.state.oldestBlock]).toEqual(['0x4', '0x104'])
}, 60_000)

test('without the token nobody follows, and a start says which flag is missing', async () => {
  const { node } = await start()
  const stream = await serveStream(node, { token: 'secret' })
  closing.push(() => stream.close())
  await expect(startReplica(stream.url)).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
    message: expect.stringMatching(/--replica-token/),
  })
  await expect(startReplica(sourceOf(stream.url, { token: 'wrong' }))).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
  const replica = await follow(sourceOf(stream.url, { token: 'secret' }))
  await caughtUp(replica, node)
})

test('a web page does not follow a chain', async () => {
  const { stream } = await start()
  const socket = new WebSocket(stream.url, { origin: 'http://localhost:3000' })
  const [error] = await once(socket, 'error')
  expect(error.message).toMatch(/403/)
})

test('a replica that does not read is cut off with 1013', async () => {
  const { node, stream: open } = await start(SHORT_WINDOW)
  await open.close()
  let onDropped: (reason: string) => void = () => {}
  const dropped = new Promise<string>((resolve) => {
    onDropped = resolve
  })
  const stream = await serveStream(node, { maxQueuedBytes: 1_000, stallLimit: 500, onDropped })
  closing.push(() => stream.close())
  const socket = new WebSocket(stream.url)
  await once(socket, 'open')
  const { chainId, genesisHash } = {
    chainId: 31337n,
    genesisHash: node.view().blockHash({ kind: 'number', number: 0 })!,
  }
  socket.send(encodeText({ type: 'hello', version: 1, chainId, genesisHash, cursor: undefined, finalized: undefined }))
  await once(socket, 'message')
  socket.pause()
  // More than the sockets' own buffers take.
  const data = new Uint8Array(120_000).fill(1)
  for (let nonce = 0n; nonce < 60n; nonce++) {
    await node.submit(signTransfer({ nonce, data, gasLimit: 5_200_000n }).raw)
  }
  expect(await dropped).toBe('slow')
  socket.resume()
  const [code] = await once(socket, 'close')
  expect(code).toBe(1013)
})

test("a replica's directory is a chain like any other: it verifies, and another node goes on with it", async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream, send } = await start()
  const replica = await startReplica(stream.url, { directory })
  await send(0n)
  for (let block = 0; block < 3; block++) await nextBlock()
  await send(1n)
  const { sequence } = node.view().head
  await caughtUp(replica, node)
  await replica.stop()
  const location = { directory, genesis: createNetwork().genesis }
  expect(await verifyChain(location, async () => {})).not.toMatchObject({ kind: 'different' })
  const { node: other, nextBlock: next } = await startManualNode({ directory })
  closing.push(() => other.stop())
  expect(other.view().head.sequence).toBeGreaterThanOrEqual(sequence)
  await expectSame(other, node)
  await next()
  expect(other.view().head.sealed.latest).toBe(4)
})

test('a replica that began with a snapshot cannot be verified from genesis, and says so', async () => {
  const directory = await newDirectory()
  const { nextBlock, stream } = await start(SHORT_WINDOW)
  for (let block = 0; block < 4; block++) await nextBlock()
  await (await startReplica(stream.url, { directory })).stop()
  const location = { directory, genesis: createNetwork().genesis }
  await expect(verifyChain(location, async () => {})).rejects.toMatchObject({ code: 'PARTIAL_CHAIN' })
})
