import { once } from 'node:events'
import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { endAll, expectSame, follow, SHORT_WINDOW, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, sourceOf } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { decodeRecord, encodeRecord } from '../../state/records/record.ts'
import type { RecordSource, StreamMessage } from '../log/record-source.ts'
import type { ReplicaHandle } from '../roles/node-handle.ts'
import type { View } from '../view/view.ts'
import { MIRRORED_POOL } from './pool-mirror.ts'

afterEach(endAll)

/** Takes the place of a transaction with nonce 0. */
const REPLACEMENT = signTransfer({ nonce: 0n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n })

/** A source that adds a transaction to the first pool record that it sends after `spoil`. */
function spoilable(url: string, added: ReturnType<typeof signTransfer>) {
  let isSpoiling = false
  const spoilt = (message: StreamMessage): StreamMessage => {
    if (message.kind !== 'records') return message
    const records = message.records.map(({ sequence, payload }) => {
      const record = decodeRecord(payload)
      if (!isSpoiling || record.kind !== 'pool') return { sequence, payload }
      isSpoiling = false
      const transactions = [...record.transactions, added]
      return { sequence, payload: encodeRecord({ ...record, transactions }) }
    })
    return { kind: 'records', records }
  }
  const source: RecordSource = {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(url).connect(hello)
      return {
        handshake: connection.handshake,
        next: async () => spoilt(await connection.next()),
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
  const spoil = () => {
    isSpoiling = true
  }
  return { source, spoil }
}

test('a replica whose pool refuses a recorded transaction names it, and continues from a snapshot', async () => {
  const { node, stream, send, nextBlock } = await start(SHORT_WINDOW)
  const foreign = signTransfer({ nonce: 0n, from: 1, chainId: 1n })
  const { source, spoil } = spoilable(stream.url, foreign)
  const logged: string[] = []
  const replica = await follow(source, {}, pino({ level: 'error' }, { write: (line: string) => logged.push(line) }))
  for (let block = 0; block < 3; block++) await nextBlock()
  await caughtUp(replica, node)

  spoil()
  await send(0n)
  await nextBlock()
  await send(2n)
  await nextBlock()
  await caughtUp(replica, node)

  expect(replica.following).toMatchObject({ snapshots: 1, faults: { pool: 1, invalid: 0 } })
  expect(logged.join()).toContain(
    `POOL_DIFFERS: the pool here refuses ${foreign.hash}, which the leader's has: WRONG_CHAIN_ID`,
  )
  await expectSame(replica, node)
})

test('a replica has all transactions of a leader whose limits are looser than the defaults', async () => {
  const { node, stream, send, nextBlock } = await start({
    pool: { maxQueuedPerSender: 100, maxTransactionBytes: 200_000, replacementBumpPercent: 0n },
  })
  const replica = await follow(stream.url)
  const large = { nonce: 1n, from: 1, data: new Uint8Array(150_000), gasLimit: 3_000_000n }
  const replacing = { ...large, maxFeePerGas: 10_000_000_001n, maxPriorityFeePerGas: 1_000_001n }

  for (let nonce = 1n; nonce <= 70n; nonce++) await send(nonce)
  for (const transfer of [large, replacing]) {
    expect(await node.submit(signTransfer(transfer).raw)).toMatchObject({ kind: 'accepted' })
  }
  await nextBlock()
  await caughtUp(replica, node)

  const pooledAt = ({ pool }: View) =>
    [...pool.senders()].flatMap((sender) => pool.bySender(sender)).map(({ transaction }) => transaction.hash)
  expect(pooledAt(replica.view())).toHaveLength(71)
  expect(pooledAt(replica.view())).toEqual(pooledAt(node.view()))
  expect(replica.following.faults.pool).toBe(0)
})

test('the mirrored pool has no limit of its own: only its leader decides', () => {
  const { maxDropReasons, judgesSenders, acceptsUnprotected, order, ...limits } = MIRRORED_POOL

  expect({ maxDropReasons, judgesSenders, acceptsUnprotected, order }).toEqual({
    maxDropReasons: DEFAULT_POOL_OPTIONS.maxDropReasons,
    judgesSenders: false,
    acceptsUnprotected: true,
    order: 'fees',
  })
  // Prices and price bumps, which are bigints, are lower bounds; the others are upper bounds.
  const open = Object.entries(limits).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? 0n : Number.POSITIVE_INFINITY,
  ])
  expect(limits).toEqual(Object.fromEntries(open))
})

test('a replica reports no drop of a transaction whose replacement the leader refuses', async () => {
  const { node, stream, send, nextBlock } = await start(SHORT_WINDOW)
  const replaced = signTransfer({ nonce: 0n })
  const { source, spoil } = spoilable(stream.url, REPLACEMENT)
  const replica = await follow(source)
  const dropped: string[] = []
  replica.events.on('dropped', ({ hash }) => dropped.push(hash))

  await node.submit(replaced.raw)
  await caughtUp(replica, node)
  spoil()
  await send(1n)
  await nextBlock()
  await caughtUp(replica, node)

  expect(replica.view().transaction(replaced.hash)).toMatchObject({ kind: 'included' })
  expect(dropped).toEqual([REPLACEMENT.hash])
})

/** Resolves when a replica's pool has a transaction. */
function mirrored({ events }: ReplicaHandle, hash: string): Promise<void> {
  return new Promise((resolve) => {
    events.on('pooled', (pooled) => pooled.hash === hash && resolve())
  })
}

test('a replica goes on when the leader lists a transaction whose replacement waits for its sync', async () => {
  const { node, stream, nextBlock } = await start()
  const replaced = signTransfer({ nonce: 0n })
  // Behind the REPLACEMENT, as in the list before an unwinding.
  const { source, spoil } = spoilable(stream.url, replaced)
  const replica = await follow(source)
  const dropped: string[] = []
  replica.events.on('dropped', ({ hash }) => dropped.push(hash))

  const isMirrored = mirrored(replica, replaced.hash)
  await node.submit(replaced.raw)
  await isMirrored
  spoil()
  await node.submit(REPLACEMENT.raw)
  await nextBlock()
  await caughtUp(replica, node)

  expect(replica.following.faults.pool).toBe(0)
  expect(dropped).toEqual([replaced.hash])
  await expectSame(replica, node)
})

test('a replica that applies its records anew does not judge old ones by the pool that it has', async () => {
  const { node, stream, nextBlock } = await start()
  const { source, spoil } = spoilable(stream.url, signTransfer({ nonce: 0n, from: 1, chainId: 1n }))
  const replica = await follow(source)
  const pooled: string[] = []
  replica.events.on('pooled', ({ hash }) => pooled.push(hash))
  await nextBlock()
  const replaced = signTransfer({ nonce: 0n })
  const waiting = signTransfer({ nonce: 5n })

  const isMirrored = mirrored(replica, REPLACEMENT.hash)
  for (const { raw } of [replaced, REPLACEMENT]) await node.submit(raw)
  await isMirrored
  const beginsAnew = once(replica.events, 'unwound')
  spoil()
  await node.submit(waiting.raw)
  await beginsAnew
  await nextBlock()
  await caughtUp(replica, node)

  expect(replica.following).toMatchObject({ snapshots: 0, faults: { pool: 1 } })
  expect(pooled).toEqual([replaced.hash, REPLACEMENT.hash, waiting.hash])
  await expectSame(replica, node)
})

test('a replica reports a replaced transaction when the leader has recorded its drop', async () => {
  const { node, stream, nextBlock } = await start(SHORT_WINDOW)
  const replica = await follow(stream.url)
  const replaced = signTransfer({ nonce: 0n })
  const dropped: object[] = []
  replica.events.on('dropped', (event) => dropped.push(event))

  for (const { raw } of [replaced, REPLACEMENT]) await node.submit(raw)
  await nextBlock()
  await caughtUp(replica, node)

  expect(dropped).toEqual([{ hash: replaced.hash, reason: { code: 'REPLACED', by: REPLACEMENT.hash } }])
})

/** A source that is lost behind the first pool record with a transaction until `restore`. */
function losableBehind(url: string, hash: string) {
  let isLost = false
  const source: RecordSource = {
    name: url,
    async connect(hello) {
      const connection = await sourceOf(isLost ? 'ws://127.0.0.1:1' : url).connect(hello)
      const next = async () => {
        if (isLost) connection.close()
        const message = await connection.next()
        if (message.kind !== 'records') return message
        const end = message.records.findIndex(({ payload }) => {
          const record = decodeRecord(payload)
          return record.kind === 'pool' && record.transactions.some((transaction) => transaction.hash === hash)
        })
        if (end === -1) return message
        isLost = true
        return { ...message, records: message.records.slice(0, end + 1) }
      }
      return {
        handshake: connection.handshake,
        next,
        submit: (raw) => connection.submit(raw),
        request: (request) => connection.request(request),
        close: () => connection.close(),
      }
    },
  }
  const restore = () => {
    isLost = false
  }
  return { source, restore }
}

test('a replica that continues from a snapshot reports the replaced transaction whose drop it missed', async () => {
  const { node, stream, nextBlock } = await start(SHORT_WINDOW)
  const replaced = signTransfer({ nonce: 0n })
  const { source, restore } = losableBehind(stream.url, REPLACEMENT.hash)
  const replica = await follow(source)
  const reported = new Promise((resolve) =>
    replica.events.on('dropped', ({ hash, reason }) => hash === replaced.hash && resolve(reason)),
  )
  const isMirrored = new Promise<void>((resolve) =>
    replica.events.on('pooled', ({ hash }) => hash === REPLACEMENT.hash && resolve()),
  )

  for (const { raw } of [replaced, REPLACEMENT]) await node.submit(raw)
  await isMirrored
  for (let block = 0; block < 6; block++) await nextBlock()
  restore()

  expect(await reported).toEqual({ code: 'REPLACED', by: REPLACEMENT.hash })
  expect(replica.following.snapshots).toBe(1)
})

test('a replica that continues from a snapshot reports no drop of a transaction that a skipped block includes', async () => {
  const { node, stream, nextBlock } = await start(SHORT_WINDOW)
  const included = signTransfer({ nonce: 0n })
  const { source, restore } = losableBehind(stream.url, included.hash)
  const replica = await follow(source)
  const isMirrored = once(replica.events, 'pooled')
  const dropped: string[] = []
  replica.events.on('dropped', ({ hash }) => dropped.push(hash))

  await node.submit(included.raw)
  await isMirrored
  for (let block = 0; block < 6; block++) await nextBlock()
  restore()
  await caughtUp(replica, node)

  expect(replica.following.snapshots).toBe(1)
  expect(dropped).toEqual([])
  expect(replica.view().pool.dropReason(included.hash)).toBeUndefined()
  expect(replica.view().pool.size).toBe(0)
})

test.each([
  ['expired', 'EXPIRED', signTransfer({ nonce: 5n }), undefined],
  ['was replaced', 'REPLACED', signTransfer({ nonce: 0n }), REPLACEMENT],
] as const)(
  'a replica that continues from a snapshot drops a transaction that %s in a skipped block',
  async (...given) => {
    const [, code, transaction, replacement] = given
    const { node, stream, nextBlock } = await start({ ...SHORT_WINDOW, pool: { transactionLifetimeMs: 5_000 } })
    const { source, restore } = losableBehind(stream.url, transaction.hash)
    const replica = await follow(source)
    const isMirrored = once(replica.events, 'pooled')
    const isDropped = once(replica.events, 'dropped')

    await node.submit(transaction.raw)
    await isMirrored
    if (replacement !== undefined) await node.submit(replacement.raw)
    for (let block = 0; block < 6; block++) await nextBlock()
    restore()

    expect(await isDropped).toMatchObject([{ hash: transaction.hash, reason: { code } }])
    await caughtUp(replica, node)
    expect(replica.following.snapshots).toBe(1)
    await expectSame(replica, node)
  },
)
