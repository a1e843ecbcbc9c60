import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'

/** A clock on which each read takes a millisecond while it is `busy`. */
class BusyClock extends ManualClock {
  busy = false
  #spent = 0

  override monotonic(): number {
    if (this.busy) this.#spent += 1
    return super.monotonic() + this.#spent
  }
}

/** A node. `others` runs once during a yield of the slot being executed. */
async function scene(others: (node: Awaited<ReturnType<typeof startManualNode>>['node']) => Promise<void>) {
  const clock = new BusyClock({ wall: Date.UTC(2026, 0, 1) })
  let yields = 0
  const manual = await startManualNode({
    clock,
    yieldTurn: async () => {
      if (!clock.busy) return
      yields += 1
      if (yields === 1) await others(manual.node)
    },
  })
  return {
    ...manual,
    async busyFlashblock() {
      clock.busy = true
      await manual.nextFlashblock()
      clock.busy = false
      return yields
    },
  }
}

const cheap = { maxPriorityFeePerGas: 1_000_000n }
const dear = { maxPriorityFeePerGas: 2_000_000n }

test('acknowledges a submission while a slot is being executed', async () => {
  const late = signTransfer({ from: 5, nonce: 0n })
  let response: string | undefined
  const { node, busyFlashblock } = await scene(async (open) => {
    response = (await open.submit(late.raw)).kind
  })
  for (const from of [0, 1, 2, 3]) await node.submit(signTransfer({ from, nonce: 0n }).raw)
  expect(await busyFlashblock()).toBeGreaterThan(0)
  expect(response).toBe('accepted')
  expect(node.view().head.pending.block.transactions).toHaveLength(4)
  expect(node.view().transaction(late.hash)?.kind).toBe('pooled')
  await node.stop()
})

test('does not execute a transaction that was replaced during a yield', async () => {
  const replaced = signTransfer({ from: 3, nonce: 0n, ...cheap })
  const replacing = signTransfer({ from: 3, nonce: 0n, maxFeePerGas: 20_000_000_000n, ...dear })
  const { node, busyFlashblock, nextFlashblock } = await scene(async (open) => {
    expect((await open.submit(replacing.raw)).kind).toBe('accepted')
  })
  for (const from of [0, 1, 2]) await node.submit(signTransfer({ from, nonce: 0n, ...dear }).raw)
  await node.submit(replaced.raw)
  await node.submit(signTransfer({ from: 3, nonce: 1n, ...cheap }).raw)
  await busyFlashblock()
  expect(node.view().head.pending.block.transactions).toHaveLength(3)
  await nextFlashblock()
  expect(node.view().transaction(replacing.hash)?.kind).toBe('included')
  expect(node.view().transaction(replaced.hash)).toBeUndefined()
  expect(node.view().head.pending.block.transactions).toHaveLength(5)
  await node.stop()
})

test('limits other work to a tenth of a slot while it is being executed', async () => {
  const { node, clock, busyFlashblock } = await scene(async () => {
    for (let looks = 0; looks < 50; looks++) clock.monotonic()
  })
  for (const from of [0, 1, 2, 3, 4, 5, 6, 7]) await node.submit(signTransfer({ from, nonce: 0n }).raw)
  expect(await busyFlashblock()).toBe(1)
  expect(node.view().head.pending.block.transactions).toHaveLength(8)
  await node.stop()
})
