import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
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
import {
  caughtUp,
  poolsAlike,
  serveStream,
  shows,
  sourceOf,
  startReplica,
  streamOf,
} from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { encodeText, STREAM_VERSION } from '../../replication/messages.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import { decodeSnapshotPart, encodeSnapshotPart } from '../../state/records/snapshot-part.ts'
import { type RecordSource, SourceError, type StreamMessage, type StreamSettings } from '../log/record-source.ts'

afterEach(endAll)

/** A source whose stream is modified in transit. */
function changed(url: string, change: (message: StreamMessage, connections: number) => StreamMessage): RecordSource {
  let connections = 0
  return {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      connections += 1
      const nth = connections
      return {
        get handshake() {
          return connection.handshake
        },
        next: async () => change(await connection.next(), nth),
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
}

/** A source that reports other settings. */
function messages(url: string, settings: Partial<StreamSettings>): RecordSource {
  return {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      const { handshake } = connection
      return {
        handshake: { ...handshake, settings: { ...handshake.settings, ...settings } },
        next: () => connection.next(),
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
}

/** Removes the receipts of flashblocks with transactions from otherwise well-formed records. */
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

test('does not apply a record that contradicts its header, and requests it again', async () => {
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

test('restores a snapshot after the same record was invalid three times', async () => {
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

test('a replica with little history follows an unwind down to the finalized block', async () => {
  const { node, nextBlock, stream, send } = await start({ finalityDepth: 5 })
  const replica = await follow(stream.url, { history: 1 })
  for (let nonce = 0n; nonce < 6n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await caughtUp(replica, node)
  const unwound: number[][] = []
  replica.events.on('unwound', ({ blocks }) => unwound.push(blocks.map(({ block }) => block.header.number)))
  expect(await node.setHead(1)).toEqual({ kind: 'unwound' })
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(unwound).toEqual([[7, 6, 5, 4, 3, 2]])
  expect(replica.following).toMatchObject({ connections: 1, faults: { invalid: 0 } })
})

test('a replica whose history is shorter than an unwind reconnects once and continues', async () => {
  const { node, nextBlock, stream, send } = await start({ finalityDepth: 6 })
  // The node was restarted with a larger depth after the replica pruned the states of older blocks.
  const directory = await newDirectory()
  const before = await startReplica(messages(stream.url, { finalityDepth: 3 }), { directory, history: 1 })
  for (let nonce = 0n; nonce < 10n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await caughtUp(before, node)
  await before.idle()
  await before.stop()
  const replica = await follow(stream.url, { directory, history: 1 })
  await caughtUp(replica, node)
  expect(await node.setHead(7)).toEqual({ kind: 'unwound' })
  await caughtUp(replica, node)
  expect(await node.setHead(4)).toEqual({ kind: 'unwound' })
  await nextBlock()
  await caughtUp(replica, node)
  await expectSame(replica, node)
  expect(replica.following).toMatchObject({ connections: 2, faults: { invalid: 1 } })
})

test('restarts an interrupted or invalid snapshot', async () => {
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

test('rejects a snapshot that lacks the code of a contract', async () => {
  const { node, nextBlock, stream } = await start(SHORT_WINDOW)
  for (let block = 0; block < 3; block++) await nextBlock()
  const source = changed(stream.url, (message, nth) => {
    if (message.kind !== 'part' || nth > 1) return message
    const part = decodeSnapshotPart(message.bytes)
    if (part.kind !== 'state') return message
    const code = new Map([...part.diff.code].slice(1))
    return { kind: 'part', bytes: encodeSnapshotPart({ ...part, diff: { ...part.diff, code } }) }
  })
  const replica = await follow(source, { replayBlocks: 1 })
  await caughtUp(replica, node)
  expect(replica.following).toMatchObject({ snapshots: 2, faults: { invalid: 1 } })
})

test('reconnects when the connection ends before the first record', async () => {
  const { node, nextBlock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const source = changed(stream.url, (message, nth) => {
    if (message.kind === 'records' && nth === 1) throw new SourceError('CLOSED', 'the connection was closed')
    return message
  })
  const directory = await newDirectory()
  const replica = await startReplica(source, { directory, replayBlocks: 1 })
  endLater(() => replica.stop())
  await caughtUp(replica, node)
  await expectSame(replica, node)
})

test('resumes a directory with a snapshot and no records', async () => {
  const directory = await newDirectory()
  const { node, nextBlock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 4n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  const source = changed(stream.url, (message) => {
    if (message.kind === 'records') throw new SourceError('FORKED', 'as if somebody had ended the process here')
    return message
  })
  await expect(startReplica(source, { directory })).rejects.toThrow(/as if somebody/)
  const replica = await follow(stream.url, { directory, replayBlocks: 1 })
  await caughtUp(replica, node)
  await expectSame(replica, node)
})

test('restarts the snapshot in a directory whose snapshot is incomplete', async () => {
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

test('serves its own replicas with its old chain while it receives another snapshot', async () => {
  const { node, nextBlock, nextFlashblock, stream, send } = await start(SHORT_WINDOW)
  for (let nonce = 0n; nonce < 5n; nonce++) {
    await send(nonce)
    await nextBlock()
  }
  await node.idle()
  let goOn: () => void = () => {}
  const waits = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let startCopying: () => void = () => {}
  const copying = new Promise<void>((resolve) => {
    startCopying = resolve
  })
  const source = sourceOf(stream.url)
  let connections = 0
  const replica = await follow(
    {
      name: source.name,
      async connect(hello) {
        const connection = await source.connect(hello)
        connections += 1
        if (connections === 1) return connection
        return {
          handshake: connection.handshake,
          async next() {
            const message = await connection.next()
            if (message.kind === 'snapshotEnd') {
              startCopying()
              await waits
            }
            return message
          },
          submit: (raw) => connection.submit(raw),
          request: (request) => connection.request(request),
          close: () => connection.close(),
        }
      },
    },
    { replayBlocks: 1 },
  )
  await caughtUp(replica, node)
  const genesisHash = node.view().blockHash({ kind: 'number', number: 0 })!
  await node.setHead(2)
  await nextFlashblock()
  await copying
  const hello = { chainId: 31337n, genesisHash, cursor: undefined, finalized: undefined }
  endLater(async () => goOn())
  const { sequence } = replica.view().head
  expect(streamOf(replica).handshake(hello)).toMatchObject({ kind: 'welcome' })
  expect(sequence).toBeLessThan(node.view().head.sequence)
  goOn()
  await shows(replica, node.view().head.sequence)
  expect(streamOf(replica).handshake(hello)).toMatchObject({ kind: 'welcome' })
})

test('rejects a replica without the token and names --replica-token', async () => {
  const { node } = await start()
  const stream = await serveStream(node, { token: 'secret' })
  endLater(() => stream.close())
  await expect(startReplica(stream.url)).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
    message: expect.stringMatching(/--replica-token/),
  })
  await expect(startReplica(sourceOf(stream.url, { token: 'wrong' }))).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
  const replica = await follow(sourceOf(stream.url, { token: 'secret' }))
  await caughtUp(replica, node)
})

test('rejects WebSockets of web pages with 403', async () => {
  const { stream } = await start()
  const socket = new WebSocket(stream.url, { origin: 'http://localhost:3000' })
  const [error] = await once(socket, 'error')
  expect(error.message).toMatch(/403/)
})

test('disconnects a replica that does not read with 1013', async () => {
  const { node, stream: open } = await start(SHORT_WINDOW)
  await open.close()
  let onDropped: (reason: string) => void = () => {}
  const dropped = new Promise<string>((resolve) => {
    onDropped = resolve
  })
  const stream = await serveStream(node, { maxQueuedBytes: 1_000, writeTimeoutMs: 2_000, onDropped })
  endLater(() => stream.close())
  const socket = new WebSocket(stream.url)
  await once(socket, 'open')
  const { chainId, genesisHash } = {
    chainId: 31337n,
    genesisHash: node.view().blockHash({ kind: 'number', number: 0 })!,
  }
  socket.send(
    encodeText({
      type: 'hello',
      version: STREAM_VERSION,
      chainId,
      genesisHash,
      cursor: undefined,
      finalized: undefined,
    }),
  )
  await once(socket, 'message')
  socket.pause()
  // More than the sockets' own buffers hold.
  const data = new Uint8Array(120_000).fill(1)
  for (let nonce = 0n; nonce < 60n; nonce++) {
    await node.submit(signTransfer({ nonce, data, gasLimit: 5_200_000n }).raw)
  }
  expect(await dropped).toBe('slow')
  socket.resume()
  const [code] = await once(socket, 'close')
  expect(code).toBe(1013)
})

test('transactions dropped at a restart with a smaller pool leave the pools of replicas', async () => {
  const directory = await newDirectory()
  const { node, send, stream } = await start({ directory })
  for (const nonce of [1n, 2n, 3n]) await send(nonce)
  const replica = await follow(stream.url)
  await poolsAlike(replica, node)
  await stream.close()
  await node.stop()
  const again = await startManualNode({ directory, pool: { maxTransactionsPerSender: 1 } })
  endLater(() => again.node.stop())
  const served = await serveStream(again.node, { port: stream.port })
  endLater(() => served.close())
  await again.nextFlashblock()
  await caughtUp(replica, again.node)
  expect(again.node.view().pool.size).toBe(1)
  const { pool } = replica.view()
  expect(pool.size).toBe(1)
  expect(pool.dropReason(signTransfer({ nonce: 3n }).hash)).toMatchObject({ code: 'INVALID' })
})
