import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startReader } from '../../../test/support/readers.ts'
import {
  endAll,
  endLater,
  expectSame,
  follow,
  newDirectory,
  type Scene,
  SHORT_WINDOW,
  start,
} from '../../../test/support/replica-scene.ts'
import { asking, caughtUp, sourceOf } from '../../../test/support/replicas.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { RECORDS_FROM_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import { CHAIN_TABLES, type TableName } from '../../state/chain-store/encoding/tables.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { openFollower } from '../following/open-follower.ts'
import { ReplicaChainError } from '../following/replica-chain.ts'
import type { RecordSource } from '../log/record-source.ts'
import { backUp, restoreBackup } from '../tools/backup.ts'
import type { ReplicaHandle } from './node-handle.ts'

afterEach(endAll)

const { genesis } = createNetwork()
const noStep = async () => {}
const TRACED = ['debug_traceBlockByNumber', '0x2'] as const

/** A source that demands a snapshot on request, and withholds its second part until told. */
function gatedSource(url: string) {
  const gate = { isClosed: false, isDemanded: false, arrived: () => {}, open: () => {} }
  let endConnection = () => {}
  const source: RecordSource = {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      const isSnapshot = connection.handshake.begins.kind === 'snapshot'
      let parts = 0
      return {
        handshake: connection.handshake,
        async next() {
          if (isSnapshot && gate.isClosed && ++parts === 2) {
            await new Promise<void>((resolve) => {
              gate.open = resolve
              gate.arrived()
            })
          }
          const ended = new Promise<void>((resolve) => {
            endConnection = resolve
          })
          const message = gate.isDemanded ? undefined : await Promise.race([connection.next(), ended])
          if (message !== undefined) return message
          gate.isDemanded = false
          throw new ReplicaChainError('TOO_OLD', 'a snapshot is demanded')
        },
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
  return {
    source,
    /** Resolves when a part of a snapshot has arrived; the next one comes after `finish`. */
    begin: () =>
      new Promise<void>((resolve) => {
        gate.isClosed = true
        gate.isDemanded = true
        gate.arrived = resolve
        endConnection()
      }),
    finish() {
      gate.isClosed = false
      gate.open()
    },
  }
}

/** A replica with three blocks whose snapshot of a longer chain is arriving. */
async function transferring() {
  const scene = await start(SHORT_WINDOW)
  const directory = await newDirectory()
  const gated = gatedSource(scene.stream.url)
  const replica = await follow(gated.source, { directory, scrubBytesPerSecond: 2 ** 30 })
  await blocks(scene, 0n, 3n)
  await caughtUp(replica, scene.node)
  await replica.idle()
  await gated.begin()
  const before = replica.view().head
  await blocks(scene, 3n, 6n)
  return { scene, directory, replica, before, ...gated }
}

async function blocks(scene: Scene, from: bigint, to: bigint): Promise<void> {
  for (let nonce = from; nonce < to; nonce++) {
    await scene.send(nonce)
    await scene.nextBlock()
  }
}

/** A node that serves the directory as it would be after a kill, without its source. */
async function restarted(directory: string): Promise<ReplicaHandle> {
  const copy = join(await newDirectory(), 'copy')
  cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  return await follow('ws://127.0.0.1:1/replica', { directory: copy })
}

test('a node, its readers and its threads serve the old chain until a snapshot is complete', async () => {
  const { scene, replica, before, directory, finish } = await transferring()
  before.base.retain()
  endLater(async () => before.base.release())

  const traced = await asking(replica)(...TRACED)
  expect(traced).toContain('"result":')
  const started = await startReader(replica)
  endLater(() => started.stop())
  await expectSame(started.reader, replica)
  const follower = await openFollower({ genesis, directory, finalityDepth: 0, retainedHeads: 4 })
  endLater(async () => follower.close())
  expect(follower.start(replica.logPosition())).toBe(true)
  expect(follower.head(before.sequence)?.pending.block.hash).toBe(before.pending.block.hash)
  finish()
  await caughtUp(replica, scene.node)

  expect(replica.following.snapshots).toBeGreaterThan(0)
  await expectSame(replica, scene.node)
  // What was read before keeps its snapshot.
  expect(before.base.block(2)).toBeDefined()
  expect(started.reader.view().blockHash({ kind: 'number', number: 2 })).toBeDefined()
  const again = await startReader(replica)
  endLater(() => again.stop())
  await expectSame(again.reader, scene.node)
  expect(replica.damage?.tables.size).toBe(0)
})

test('a backup during a snapshot has the old chain, and one after it the new chain', async () => {
  const { scene, replica, before, directory, finish } = await transferring()
  const [backup, restored, restoredLater] = await Promise.all([newDirectory(), newDirectory(), newDirectory()])

  await backUp({ directory, genesis }, backup, {}, noStep)
  await restoreBackup({ directory: restored, genesis }, backup, { verify: true }, noStep)
  const shown = await follow('ws://127.0.0.1:1/replica', { directory: restored })
  expect(shown.view().head.pending.block.hash).toBe(before.pending.block.hash)
  finish()
  await caughtUp(replica, scene.node)
  await backUp({ directory, genesis }, backup, { newHistory: true }, noStep)
  await restoreBackup({ directory: restoredLater, genesis }, backup, {}, noStep)
  const later = await follow('ws://127.0.0.1:1/replica', { directory: restoredLater })

  await expectSame(later, scene.node)
})

test('a node killed during a snapshot starts with the old chain, and one killed afterwards with the new one', async () => {
  const { scene, replica, before, directory, finish } = await transferring()

  const during = await restarted(directory)
  expect(during.view().head.pending.block.hash).toBe(before.pending.block.hash)
  await expectSame(during, replica)
  const records = join(await newDirectory(), 'records')
  cpSync(join(directory, 'records'), records, { recursive: true })
  finish()
  await caughtUp(replica, scene.node)
  await replica.idle()
  const afterwards = await restarted(directory)
  await expectSame(afterwards, scene.node)
  expect(afterwards.view().blockHash({ kind: 'number', number: 2 })).toBeDefined()
})

test('a node killed before the records of the replaced chain were dropped drops them at its start', async () => {
  const { scene, replica, directory, finish } = await transferring()
  const image = join(await newDirectory(), 'image')
  const copyOf = (path: string) => cpSync(path, image, { recursive: true, filter: (name) => !name.endsWith('/lock') })
  copyOf(directory)
  finish()
  await caughtUp(replica, scene.node)
  await replica.stop()
  for (const name of ['data.mdb', 'pages.sum']) cpSync(join(directory, name), join(image, name))
  const store = openLmdbStore<TableName>({ path: image, ...CHAIN_TABLES })
  const batch = new WriteBatch<TableName>()
  const from = Buffer.alloc(8)
  from.writeBigUInt64BE(500n)
  batch.put('metadata', RECORDS_FROM_KEY, from)
  await store.commit(batch)
  await store.close()

  const again = await follow(scene.stream.url, { directory: image })
  await caughtUp(again, scene.node)

  await expectSame(again, scene.node)
})
