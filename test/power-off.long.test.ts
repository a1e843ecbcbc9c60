import { expect, test } from 'vitest'
import { Announced } from './support/announced.ts'
import { ForgetfulDirectory, SENDERS, SLOTS } from './support/forgetful-node.ts'
import type { ManualNode } from './support/manual-node.ts'
import { testRandom } from './support/test-seed.ts'
import { signTransfer } from './support/transfers.ts'

const LIVES = 1_000
/** Consecutive runs of a node on one chain. */
const LIVES_OF_A_CHAIN = 4

/** Runs a node until the power fails or the steps are done. Adds its acknowledgements to `announced`. */
async function live(manual: ManualNode, announced: Announced, random: () => number, isOn: () => boolean) {
  const { node, clock } = manual
  const underway: Promise<unknown>[] = []
  const steps = Math.floor(random() * 16)
  for (let step = 0; step < steps && isOn(); step += 1) {
    const choice = random()
    if (choice < 0.5) underway.push(send())
    else if (choice < 0.9) {
      clock.moveTo(clock.next!)
      // While the flashblock is being written, or before.
      if (random() < 0.4) underway.push(send())
      if (random() < 0.8) await node.idle()
    } else if (choice < 0.97) await Promise.allSettled(underway.splice(0))
    else await unwind()
    // The alarm of the next slot is set when this slot is done.
    if (clock.next === undefined) await node.idle()
    if (clock.next === undefined) break
  }
  await Promise.allSettled(underway)

  async function send(): Promise<void> {
    const from = Math.floor(random() * SENDERS.length)
    const next = node.view().pendingNonce(SENDERS[from]!.address)
    // Usually the next nonce, sometimes one behind a gap or a replacement.
    const nonce = random() < 0.15 ? next + 1n : random() < 0.15 && next > 0n ? next - 1n : next
    const maxPriorityFeePerGas = BigInt(1 + Math.floor(random() * 4)) * 1_000_000n
    const maxFeePerGas = 10_000_000_000n + maxPriorityFeePerGas * 1_000n
    const value = BigInt(Math.floor(random() * 1e6))
    const to = random() < 0.5 ? SENDERS[0]!.address : undefined
    const options = { from, nonce, value, maxFeePerGas, maxPriorityFeePerGas, ...(to && { to }) }
    const transaction = signTransfer(options)
    announced.sending(transaction)
    const result = await node.submit(transaction.raw)
    // An acknowledgement after the power failure does not count.
    if (result.kind === 'accepted' && isOn()) announced.acknowledge(transaction)
  }

  async function unwind(): Promise<void> {
    const { latest } = node.view().head.sealed
    const target = Math.max(0, latest - Math.floor(random() * 3))
    await Promise.allSettled([...underway.splice(0), node.idle()])
    announced.forgetAbove(target, node.view())
    await node.setHead(target).catch(() => {})
  }
}

interface Tally {
  flashblocks: number
  acknowledged: number
  sealed: number
  cuts: Record<string, number>
}

/** Several runs on one chain, each ended by a power failure, with a check of all acknowledgements after each. */
async function chainOfLives(seed: number, tally: Tally, sync = true): Promise<void> {
  const random = testRandom(seed)
  const directory = new ForgetfulDirectory()
  const { power } = directory
  const announced = new Announced()
  for (let life = 0; life <= LIVES_OF_A_CHAIN; life += 1) {
    // Sometimes the power already fails while the node opens.
    while (random() < 0.3) {
      power.cutAfter(Math.floor(random() * 4))
      await directory.open({ sync }).catch((error: unknown) => {
        if (power.isOn) throw error
      })
      await directory.powerOff(random)
    }
    const manual = await directory.open({ sync })
    announced.check(manual.node.view())
    await continues(manual, announced)
    power.cutAfter(Math.floor(random() * 25))
    await live(manual, announced, random, () => power.isOn)
    await (random() < 0.9 ? directory.powerOff(random) : directory.kill(random))
  }
  tally.acknowledged += announced.acknowledged.size
  tally.sealed += announced.sealed.size
  for (const { length } of announced.flashblocks.values()) tally.flashblocks += length
  for (const [kind, count] of Object.entries(power.cutsByKind)) tally.cuts[kind] = (tally.cuts[kind] ?? 0) + count
}

/** A reopened node resumes its open block at the next index. */
async function continues({ node, nextFlashblock }: ManualNode, announced: Announced): Promise<void> {
  const { index, block } = node.view().head.pending
  expect(index).toBeLessThan(SLOTS)
  announced.follow(node)
  const next: number[] = []
  node.events.once('flashblock', ({ layer }) => next.push(layer.header.number, layer.index))
  await nextFlashblock()
  expect(next).toEqual([block.header.number, index + 1])
}

test(`${LIVES} lives of a node, ended by a loss of power at a sync point: nothing announced is missing`, {
  timeout: 240_000,
}, async () => {
  const tally: Tally = { flashblocks: 0, acknowledged: 0, sealed: 0, cuts: {} }
  for (let seed = 1; seed <= LIVES / LIVES_OF_A_CHAIN; seed += 1) {
    await chainOfLives(seed, tally).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error })
    })
  }
  // The test covered each kind of sync point, with enough data.
  expect(tally.cuts.file).toBeGreaterThan(300)
  expect(tally.cuts.directory).toBeGreaterThan(100)
  expect(tally.cuts.commit).toBeGreaterThan(40)
  expect(tally.flashblocks).toBeGreaterThan(2_000)
  expect(tally.acknowledged).toBeGreaterThan(1_500)
  expect(tally.sealed).toBeGreaterThan(300)
})

test('detects a log that acknowledges without syncing', async () => {
  const tally: Tally = { flashblocks: 0, acknowledged: 0, sealed: 0, cuts: {} }
  let found = 0
  for (let seed = 1; seed <= 10; seed += 1) {
    await chainOfLives(seed, tally, false).catch(() => {
      found += 1
    })
  }
  expect(found).toBeGreaterThan(5)
})
