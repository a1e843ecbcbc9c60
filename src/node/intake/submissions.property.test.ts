import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { constantSidecar, signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { ForgetfulDirectory } from '../../../test/support/forgetful-node.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { type ManualNode, pendingAt, startManualNode } from '../../../test/support/manual-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { signTransfer, type TransferOptions } from '../../../test/support/transfers.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { decodeRecord } from '../../state/records/record.ts'
import type { SubmitResult } from '../core/results.ts'

const ETHER = 10n ** 18n

let nodes: ManualNode[] = []
afterEach(async () => {
  for (const { node } of nodes) await node.stop()
  nodes = []
})

/** A node that builds no blocks, so that transactions stay in the pool. Development accounts have 10,000 ether. */
async function start(options: Parameters<typeof startManualNode>[0] = {}): Promise<ManualNode> {
  const manual = await startManualNode({ sequencing: false, ...options })
  nodes.push(manual)
  return manual
}

function outcome(result: SubmitResult): unknown {
  return result.kind === 'refused' ? result.refusal : result.kind
}

async function together({ node }: ManualNode, sent: readonly Bytes[]): Promise<unknown[]> {
  return (await Promise.all(sent.map((raw) => node.submit(raw)))).map(outcome)
}

async function oneByOne({ node }: ManualNode, sent: readonly Bytes[]): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (const raw of sent) outcomes.push(outcome(await node.submit(raw)))
  return outcomes
}

function waiting({ node }: ManualNode): string[] {
  return pendingAt(node).map(({ hash }) => hash)
}

test("rejects the second of two transactions whose total cost exceeds the sender's balance", async () => {
  const manual = await start()
  const [first, second] = [0n, 1n].map((nonce) => signTransfer({ nonce, value: 6_000n * ETHER }))
  const results = await together(manual, [first!.raw, second!.raw])
  expect(results).toMatchObject(['accepted', { code: 'INSUFFICIENT_FUNDS', queuedCost: expect.any(BigInt) }])
  // No record contains it, so no drop is emitted.
  expect(manual.node.view().pool.dropReason(second!.hash)).toBeUndefined()
})

test('rejects in-flight and queued transactions when the disk fails, and keeps none of them', async () => {
  const directory = new ForgetfulDirectory()
  const { node } = await directory.open()
  const sends = [0n, 1n, 0n, 1n].map((nonce, index) =>
    signTransfer({ nonce, maxFeePerGas: BigInt(index + 1) * 10n ** 10n }),
  )
  directory.disk.capacity = 0
  const results = await Promise.allSettled(sends.map(({ raw }) => node.submit(raw)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
  expect(pendingAt(node)).toEqual([])
  expect(node.view().pool.size).toBe(0)
  await node.stop()
})

test('rejects a transaction whose nonce a concurrent flashblock uses, and keeps its successor', async () => {
  const manual = await start({ sequencing: true })
  const { node } = manual
  const cheap = signTransfer({ nonce: 0n })
  expect(outcome(await node.submit(cheap.raw))).toBe('accepted')
  const higherFee = signTransfer({ nonce: 0n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n })
  const behind = signTransfer({ nonce: 1n })
  const { records } = node.replication
  const recordedDrops = () =>
    Array.from(records.newReader().read(1, records.durableSequence), ({ payload }) => decodeRecord(payload)).flatMap(
      (record) => (record.kind === 'drop' ? record.transactions.map(({ hash }) => hash) : []),
    )
  const emitted: (readonly [hash: string, isRecorded: boolean])[] = []
  node.events.on('dropped', ({ hash }) => emitted.push([hash, recordedDrops().includes(hash)]))
  const sending = together(manual, [higherFee.raw, behind.raw])
  // The transactions are judged; their record is written in a later step.
  for (let step = 0; step < 100 && pendingAt(node).length < 3; step++) await null
  expect(pendingAt(node)).toHaveLength(3)
  manual.clock.moveTo(manual.clock.next!)
  const results = await sending
  await node.idle()
  expect(results).toMatchObject([{ code: 'NONCE_TOO_LOW' }, 'accepted'])
  expect(node.view().pool.dropReason(higherFee.hash)).toMatchObject({ code: 'INVALID', reason: 'NONCE_TOO_LOW' })
  // Until then, a restart or another leader has it in the pool.
  expect(emitted).toEqual([[higherFee.hash, true]])
  expect(node.view().transaction(cheap.hash)?.kind).toBe('included')
  expect(node.view().pendingNonce(cheap.from)).toBe(2n)
})

const transfers: fc.Arbitrary<TransferOptions> = fc.record({
  from: fc.integer({ min: 0, max: 1 }),
  nonce: fc.bigInt({ min: 0n, max: 6n }),
  value: fc.constantFrom(1n, 2_500n * ETHER, 6_000n * ETHER),
  maxFeePerGas: fc.constantFrom(10_000_000_000n, 10_500_000_000n, 20_000_000_000n),
  maxPriorityFeePerGas: fc.constantFrom(1_000_000n, 2_000_000n),
})

test('property: concurrent submissions have the same results as sequential ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(transfers, { minLength: 2, maxLength: 24 }), async (list) => {
      const pool = { maxTransactionsPerSender: 4, maxQueuedPerSender: 2 }
      const [one, other] = [await start({ pool }), await start({ pool })]
      const sent = list.map((options) => signTransfer(options).raw)
      expect(await together(one, sent)).toEqual(await oneByOne(other, sent))
      // The order of transactions from different senders may differ.
      expect(waiting(one).sort()).toEqual(waiting(other).sort())
      for (const { node } of nodes) await node.stop()
      nodes = []
    }),
    { numRuns: propertyRuns(60) },
  )
})

/** One blob with the proof of another blob. */
function badSidecar(): BlobSidecar {
  const { proofs, ...sidecar } = constantSidecar([5n])
  const { commitments } = constantSidecar([6n])
  return { ...sidecar, proofs: proofs.map(() => commitments[0]!) }
}

describe('blobs with slow proofs', () => {
  test('later transactions of a sender wait for its blob transaction and are not nonce-gapped', async () => {
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const genesis = layer1Genesis()
    const manual = await start({ genesis, pool: { maxQueuedPerSender: 1 }, yieldTurn: () => held })
    const later = [1n, 2n, 3n].map((nonce) => signTransfer({ nonce }).raw)
    const other = signTransfer({ from: 1, nonce: 0n })
    const answering = together(manual, [signBlobTransfer().sent, ...later])
    // Other transactions need not wait for the proof.
    expect(await manual.node.submit(other.raw)).toMatchObject({ kind: 'accepted' })
    expect(waiting(manual)).toEqual([other.hash])
    goOn()
    expect(await answering).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
  })

  test('yields to other work while admitting many transactions behind a blob transaction', async () => {
    let yields = 0
    const yieldTurn = () => {
      yields++
      return new Promise<void>((resolve) => setImmediate(resolve))
    }
    const manual = await start({ genesis: layer1Genesis(), yieldTurn })
    const later = Array.from({ length: 40 }, (_, index) => signTransfer({ nonce: BigInt(index + 1) }).raw)
    yields = 0
    const results = await together(manual, [signBlobTransfer().sent, ...later])
    expect(results).toEqual(Array.from({ length: 41 }, () => 'accepted'))
    // One yield is that of the blob.
    expect(yields).toBeGreaterThanOrEqual(3)
  })

  test('transactions behind a rejected blob transaction are nonce-gapped', async () => {
    const manual = await start({ genesis: layer1Genesis(), pool: { maxQueuedPerSender: 1 } })
    const later = [1n, 2n].map((nonce) => signTransfer({ nonce }).raw)
    const results = await together(manual, [signBlobTransfer({ sidecar: badSidecar() }).sent, ...later])
    expect(results).toMatchObject([{ code: 'INVALID_BLOBS' }, 'accepted', { code: 'ACCOUNT_LIMIT' }])
  })

  test('limits the number of blobs that wait for verification', async () => {
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const manual = await start({ genesis: layer1Genesis(), yieldTurn: () => held })
    const bad = badSidecar()
    const six = <Item>([item]: readonly Item[]): Item[] => new Array<Item>(6).fill(item!)
    const proofs = six([bad.proofs]).flat()
    const sidecar = { ...bad, blobs: six(bad.blobs), commitments: six(bad.commitments), proofs }
    const sent = Array.from({ length: 12 }, (_, index) =>
      signBlobTransfer({ from: index % 4, nonce: BigInt(Math.floor(index / 4)), sidecar }),
    ).map(({ sent }) => sent)
    const answering = together(manual, sent.slice(0, 11))
    expect(outcome(await manual.node.submit(sent[11]!))).toMatchObject({ code: 'TOO_MANY_BLOBS' })
    // Transactions without blobs are not limited.
    expect(outcome(await manual.node.submit(signTransfer({ from: 5, nonce: 0n }).raw))).toBe('accepted')
    goOn()
    expect(await answering).toMatchObject(new Array(11).fill({ code: 'INVALID_BLOBS' }))
    expect(outcome(await manual.node.submit(sent[11]!))).toMatchObject({ code: 'INVALID_BLOBS' })
    expect(outcome(await manual.node.submit(signBlobTransfer({ from: 6 }).sent))).toBe('accepted')
  })

  test.each([
    ['hold', () => constantSidecar([5n, 6n]), 6, 'accepted'],
    ['do not hold', badSidecar, 3, { code: 'INVALID_BLOBS' }],
  ])('yields after each proof of concurrent transactions whose proofs %s', async (_, sidecar, blobs, result) => {
    let checked = 0
    const yieldTurn = () => {
      checked++
      return new Promise<void>((resolve) => setImmediate(resolve))
    }
    const manual = await start({ genesis: layer1Genesis(), yieldTurn })
    const sent = [0, 1, 2].map((from) => signBlobTransfer({ from, sidecar: sidecar() }).sent)
    checked = 0
    const seen = new Set<number>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve))
        seen.add(checked)
      }
    })()
    const results = await together(manual, sent).finally(() => {
      isOver = true
    })
    await watching
    expect(results).toMatchObject([result, result, result])
    // The event loop ran after each proof.
    expect([...seen].filter((count) => count > 0)).toEqual(Array.from({ length: blobs }, (_, index) => index + 1))
  })
})
