import { afterEach, expect, test } from 'vitest'
import { endAll, start } from '../../../test/support/replica-scene.ts'
import { streamOf } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { ToWorker } from './messages.ts'
import { ServedWorker } from './served-worker.ts'

afterEach(endAll)

const MEBIBYTE = 2 ** 20

async function serve(now = () => 0) {
  const scene = await start({
    pool: { maxPoolTransactions: 100_000, maxTransactionsPerSender: 100_000, maxQueuedPerSender: 100_000 },
  })
  const messages: ToWorker[] = []
  const failures: unknown[] = []
  const served = new ServedWorker(
    { worker: 1, workers: 1, settings: 'ours', directory: scene.node.logPosition().directory },
    {
      channel: { notify: (message, _, onSent) => messages.push(message) && onSent?.() },
      stream: streamOf(scene.node),
      now,
      nextRound: (action) => action(),
      onFailure: (error) => failures.push(error),
    },
  )
  const handover = () => messages.find((message) => message.kind === 'begin')!.handover
  const records = () => messages.filter((message) => message.kind === 'records')
  /** Sequence number of the newest record sent. */
  const sequences = () => records().flatMap(({ first, records: sent }) => sent.map((_, index) => first + index))
  const bytes = () =>
    records().reduce((sum, message) => sum + message.records.reduce((all, { length }) => all + length, 0), 0)
  return { ...scene, served, messages, failures, handover, records, sequences, bytes }
}

/** Records of more than a hundred kilobytes each. */
async function sendLarge(node: Awaited<ReturnType<typeof serve>>['node'], count: number, nonce: number): Promise<void> {
  const data = new Uint8Array(120_000).fill(1)
  for (let index = 0; index < count; index++) {
    const { raw } = signTransfer({ nonce: BigInt(nonce + index), data, gasLimit: 10_000_000n })
    expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
  }
}

test('sends a worker the pool, then its start, and no records before it has started', async () => {
  const { node, nextFlashblock } = await start()
  await node.submit(signTransfer({ nonce: 3n }).raw)
  const messages: ToWorker[] = []
  const served = new ServedWorker(
    { worker: 2, workers: 3, settings: 'ours', directory: 'there' },
    {
      channel: { notify: (message, _, onSent) => messages.push(message) && onSent?.() },
      stream: streamOf(node),
      now: () => 0,
      nextRound: (action) => action(),
      onFailure: (error) => expect.unreachable(String(error)),
    },
  )
  const [pool, begin] = messages
  expect(pool).toMatchObject({ kind: 'pool' })
  if (pool?.kind !== 'pool' || begin?.kind !== 'begin') throw new Error('it begins otherwise')
  expect(pool.records.map(decodeRecord)).toMatchObject([{ kind: 'pool', transactions: [{ nonce: 3n }] }])
  expect(begin).toMatchObject({ worker: 2, workers: 3, settings: 'ours', handover: { directory: 'there', from: 1 } })
  await nextFlashblock()
  expect(messages).toHaveLength(2)
  served.takeApplied(begin.handover.to)
  expect(messages.slice(2)).toMatchObject([{ kind: 'records', first: begin.handover.to + 1 }])
  served.close()
  await nextFlashblock()
  expect(messages).toHaveLength(3)
})

test('limits records sent to a stalled worker, and sends the rest once and in order when it continues', async () => {
  let time = 0
  const { node, served, handover, records, sequences, bytes, failures } = await serve(() => time)
  served.takeApplied(handover().to)
  expect(served.stalledFor).toBe(0)
  await sendLarge(node, 1, 0)
  time = 3_000
  await sendLarge(node, 80, 1)
  expect(served.stalledFor).toBe(3_000)
  expect(bytes()).toBeGreaterThan(3 * MEBIBYTE)
  expect(bytes()).toBeLessThan(5 * MEBIBYTE)
  const sent = sequences().at(-1)!
  expect(sent).toBeLessThan(streamOf(node).newestSequence)
  // The newest records are in memory; these are only in the files.
  for (let applied = sent; applied < streamOf(node).newestSequence; applied = sequences().at(-1)!) {
    served.takeApplied(applied)
  }
  served.takeApplied(streamOf(node).newestSequence)
  expect(served.stalledFor).toBe(0)
  const { to } = handover()
  expect(sequences()).toEqual(Array.from({ length: streamOf(node).newestSequence - to }, (_, index) => to + 1 + index))
  expect(records().length).toBeGreaterThan(8)
  expect(failures).toEqual([])
  served.close()
})

test('sends a large pool piece by piece, as the worker reads it', async () => {
  const { node } = await start({
    pool: { maxPoolTransactions: 100_000, maxTransactionsPerSender: 100_000, maxQueuedPerSender: 100_000 },
  })
  const sent = Array.from({ length: 600 }, (_, index) => signTransfer({ nonce: BigInt(index + 1) }))
  await Promise.all(sent.map(({ raw }) => node.submit(raw)))
  const messages: ToWorker[] = []
  const unread: (() => void)[] = []
  const served = new ServedWorker(
    { worker: 1, workers: 1, settings: 'ours', directory: 'there' },
    {
      channel: { notify: (message, _, onSent) => messages.push(message) && onSent && unread.push(onSent) },
      stream: streamOf(node),
      now: () => 0,
      nextRound: (action) => action(),
      onFailure: (error) => expect.unreachable(String(error)),
    },
  )
  expect(messages.map(({ kind }) => kind)).toEqual(['pool'])
  for (let read = unread.shift(); read !== undefined; read = unread.shift()) read()
  expect(messages.at(-1)).toMatchObject({ kind: 'begin' })
  const records = messages.flatMap((message) => (message.kind === 'pool' ? message.records.map(decodeRecord) : []))
  const hashes = records.flatMap((record) =>
    record.kind === 'pool' ? record.transactions.map(({ hash }) => hash) : [],
  )
  expect(hashes.sort()).toEqual(sent.map(({ hash }) => hash).sort())
  served.close()
})
