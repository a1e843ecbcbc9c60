import { afterEach, expect, test } from 'vitest'
import { pendingAt } from '../../test/support/manual-node.ts'
import { endAll, SHORT_WINDOW, start } from '../../test/support/replica-scene.ts'
import { streamOf } from '../../test/support/replicas.ts'
import { signTransfer } from '../../test/support/transfers.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import { buildGenesis } from '../node/core/genesis-chain.ts'
import type { SoloHandle } from '../node/roles/node-handle.ts'
import type { Hash } from '../primitives/hex.ts'
import type { DropRecord, PoolRecord } from '../state/records/record.ts'
import { decodeSnapshotPart } from '../state/records/snapshot-part.ts'

afterEach(endAll)

interface RecordedPool {
  readonly waiting: readonly Hash[]
  readonly dropped: readonly Hash[]
  /** The newest announced record. */
  readonly until: number
}

function messages(records: readonly (PoolRecord | DropRecord)[], until: number): RecordedPool {
  const hashes = (kind: 'pool' | 'drop') =>
    records.flatMap((record) => (record.kind === kind ? record.transactions.map(({ hash }) => hash) : []))
  return { waiting: hashes('pool'), dropped: hashes('drop'), until }
}

/** The pool in the handover of an RPC worker. */
function poolOfReader(node: SoloHandle): RecordedPool {
  const { pool, poolSequence, close } = streamOf(node).beginReader()
  close()
  return messages([...{ [Symbol.iterator]: () => pool }], poolSequence)
}

/** The pool in a snapshot. */
function poolOfReplica(node: SoloHandle): RecordedPool {
  const { config } = node
  const genesisHash = buildGenesis(createNetwork().genesis).block.hash
  const greeted = streamOf(node).handshake({
    chainId: config.chainId,
    genesisHash,
    cursor: undefined,
    finalized: undefined,
  })
  if (greeted.kind === 'refused') throw new Error(greeted.message)
  const { handshake, parts, close } = greeted.replica
  if (handshake.begins.kind !== 'snapshot' || parts === undefined) throw new Error('it begins with records')
  const pool = [...{ [Symbol.iterator]: () => parts }].flatMap((bytes) => {
    const part = decodeSnapshotPart(bytes)
    return part.kind === 'pool' ? part.record : []
  })
  close()
  return messages(pool, handshake.begins.poolSequence)
}

const FOLLOWERS = [
  ['a replica', poolOfReplica],
  ['an RPC worker', poolOfReader],
] as const

test.each(FOLLOWERS)(
  'the initial pool of %s excludes transactions whose record is not durable',
  async (_, reportedTo) => {
    const { node, nextBlock, send } = await start(SHORT_WINDOW)
    for (let block = 0; block < 3; block++) await nextBlock()
    await node.idle()
    await send(1n)
    const [settled] = pendingAt(node)
    const durable = streamOf(node).newestSequence
    const { raw, hash } = signTransfer({ nonce: 2n })
    const sent = node.submit(raw)
    // The sync begins after the current step of the event loop.
    for (let step = 0; step < 100 && pendingAt(node).length < 2; step++) await Promise.resolve()
    expect(pendingAt(node).map((transaction) => transaction.hash)).toEqual([settled!.hash, hash])
    expect(reportedTo(node)).toEqual({ waiting: [settled!.hash], dropped: [], until: durable })
    await sent
    expect(reportedTo(node)).toEqual({ waiting: [settled!.hash, hash], dropped: [], until: durable + 1 })
  },
)

test.each(FOLLOWERS)(
  'the initial pool of %s includes dropped transactions until the drop record is durable',
  async (_, reportedTo) => {
    const { node, nextBlock, nextFlashblock, send } = await start({
      ...SHORT_WINDOW,
      pool: { transactionLifetimeMs: 1 },
    })
    for (let block = 0; block < 3; block++) await nextBlock()
    await node.idle()
    await send(7n)
    const { hash } = pendingAt(node)[0]!
    const begins: RecordedPool[] = []
    node.events.on('dropped', () => begins.push(reportedTo(node)))
    await nextBlock()
    expect(node.view().pool.dropReason(hash)).toEqual({ code: 'EXPIRED' })
    expect(begins).toMatchObject([{ waiting: [hash], dropped: [] }])
    await nextFlashblock()
    expect(reportedTo(node)).toMatchObject({ waiting: [], dropped: [hash] })
  },
)
