import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { constantSidecar, signBlobTransfer } from '../../test/support/blob-transactions.ts'
import { layer1Genesis } from '../../test/support/layer1-genesis.ts'
import { type ManualNode, startManualNode } from '../../test/support/manual-node.ts'
import { signTransfer, type TransferOptions } from '../../test/support/transfers.ts'
import type { Bytes } from '../primitives/hex.ts'
import type { SubmitResult } from './node-service.ts'

const ETHER = 10n ** 18n

let nodes: ManualNode[] = []
afterEach(async () => {
  for (const { node } of nodes) await node.stop()
  nodes = []
})

/** Whose chain stands still: what is sent stays in the pool. Development accounts have 10,000 ether. */
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
  return node.waiting().map(({ hash }) => hash)
}

test('of two that the sender cannot pay together, both were recorded, and followers showed the second one', async () => {
  const manual = await start()
  const [first, second] = [0n, 1n].map((nonce) => signTransfer({ nonce, value: 6_000n * ETHER }))
  const results = await together(manual, [first!.raw, second!.raw])
  expect(results).toMatchObject(['accepted', { code: 'INSUFFICIENT_FUNDS', queuedCost: expect.any(BigInt) }])
  // It is in no record: nobody has to be told that it is gone.
  expect(manual.node.view().pool.dropReason(second!.hash)).toBeUndefined()
})

const transfers: fc.Arbitrary<TransferOptions> = fc.record({
  from: fc.integer({ min: 0, max: 1 }),
  nonce: fc.bigInt({ min: 0n, max: 6n }),
  value: fc.constantFrom(1n, 2_500n * ETHER, 6_000n * ETHER),
  maxFeePerGas: fc.constantFrom(10_000_000_000n, 10_500_000_000n, 20_000_000_000n),
  maxPriorityFeePerGas: fc.constantFrom(1_000_000n, 2_000_000n),
})

test('transactions that are sent together are answered as if one were sent after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(transfers, { minLength: 2, maxLength: 24 }), async (list) => {
      const pool = { maxPerSender: 4, maxGappedPerSender: 2 }
      const [one, other] = [await start({ pool }), await start({ pool })]
      const sent = list.map((options) => signTransfer(options).raw)
      expect(await together(one, sent)).toEqual(await oneByOne(other, sent))
      // Of other senders, one may be there before the other.
      expect(waiting(one).sort()).toEqual(waiting(other).sort())
      for (const { node } of nodes) await node.stop()
      nodes = []
    }),
    { numRuns: 60 },
  )
})

describe('blobs, whose proofs take long', () => {
  test('what a sender sends after one waits for it, and is not behind a gap', async () => {
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const genesis = layer1Genesis()
    const manual = await start({ genesis, pool: { maxGappedPerSender: 1 }, yieldTurn: () => held })
    const later = [1n, 2n, 3n].map((nonce) => signTransfer({ nonce }).raw)
    const other = signTransfer({ from: 1, nonce: 0n })
    const answering = together(manual, [signBlobTransfer().sent, ...later])
    // Nobody else waits for it.
    expect(await manual.node.submit(other.raw)).toMatchObject({ kind: 'accepted' })
    expect(waiting(manual)).toEqual([other.hash])
    goOn()
    expect(await answering).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
  })

  test('proofs of many that came together were checked without a turn for others between', async () => {
    let turns = 0
    const yieldTurn = () => {
      turns++
      return new Promise<void>((resolve) => setImmediate(resolve))
    }
    const manual = await start({ genesis: layer1Genesis(), yieldTurn })
    const sent = [0, 1, 2].map((from) => signBlobTransfer({ from, sidecar: constantSidecar([5n, 6n]) }).sent)
    const begun = turns
    const seen: number[] = []
    const watching = (async () => {
      for (let done = false; !done; ) {
        await new Promise((resolve) => setImmediate(resolve))
        if (seen.at(-1) !== turns - begun) seen.push(turns - begun)
        done = turns - begun >= 6
      }
    })()
    expect(await together(manual, sent)).toEqual(['accepted', 'accepted', 'accepted'])
    await watching
    // One more at a time: there was a turn after each blob.
    expect(seen.filter((count) => count > 0)).toEqual([1, 2, 3, 4, 5, 6])
  })
})
