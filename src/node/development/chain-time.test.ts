import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Hash } from '../../primitives/hex.ts'
import { PENDING } from '../view/block-reference.ts'
import { FLASHBLOCKS, MANUAL, type MiningMode } from './mining-mode.ts'

const START = BigInt(Date.UTC(2026, 0, 1) / 1000)

async function open(mining: MiningMode, options: Parameters<typeof startManualNode>[0] = {}) {
  const manual = await startManualNode({ ...options, development: { mining } })
  onTestFinished(() => manual.node.stop())
  const { node } = manual
  const { mining: operations, time } = node.development!
  return {
    ...manual,
    mining: operations,
    time,
    /** Timestamps of the sealed blocks and of the open one, relative to the start. */
    timestamps: () => {
      const { latest } = node.view().head.sealed
      const sealed = Array.from(
        { length: latest },
        (_, index) => node.view().header({ kind: 'number', number: index + 1 })!,
      )
      return [...sealed, node.view().block(PENDING)!.block.header].map(({ timestamp }) => Number(timestamp - START))
    },
  }
}

const PREV_RANDAO = `0x${'7'.repeat(64)}` as Hash

/** A copy of the data directory of a node that still runs, as SIGKILL would leave it. */
async function killedNode(mining: MiningMode, act: (manual: ManualNode) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'tickertape-killed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const manual = await startManualNode({ directory: join(folder, 'running'), development: { mining } })
  await act(manual)
  await cp(join(folder, 'running'), join(folder, 'copy'), { recursive: true, filter: (path) => !path.endsWith('lock') })
  await manual.node.stop()
  return { directory: join(folder, 'copy'), clock: manual.clock }
}

describe('on demand', () => {
  test('the wall clock at the last seal is kept apart from chain time', async () => {
    const { clock, time, mining } = await open(MANUAL)
    expect(await time.increase(1_000n)).toBe(1_000n)
    clock.moveTo(3_000)
    const sealed = clock.wall()
    await mining.mine({ blocks: 1 })

    clock.moveTo(9_000)

    expect(time.lastSealedMs).toBe(sealed)
  })

  test('increases add up, and show in the open block', async () => {
    const { time, timestamps } = await open(MANUAL)

    expect(await time.increase(100n)).toBe(100n)
    expect(await time.increase(50n)).toBe(150n)

    expect(timestamps()).toEqual([150])
  })

  test('an increase adds to the time that blocks have reached, not to the clock behind them', async () => {
    const { time, mining, timestamps } = await open(MANUAL)
    await mining.mine({ blocks: 40 })
    const reached = timestamps().at(-2)!

    await time.increase(30n)
    await mining.mine({ blocks: 1 })

    expect(timestamps().at(-2)).toBe(reached + 30)
  })

  test('a chosen timestamp is that of the next block, and time continues from it', async () => {
    const { clock, time, mining, timestamps } = await open(MANUAL)
    expect(await time.setNextTimestamp(START + 500n)).toBeUndefined()
    clock.moveTo(3_000)

    await mining.mine({ blocks: 1 })
    clock.moveTo(8_000)
    await mining.mine({ blocks: 1 })

    expect(timestamps()).toEqual([500, 505, 506])
  })

  test('refuses a timestamp that is not later than that of the newest block', async () => {
    const { time, mining, timestamps } = await open(MANUAL)
    await mining.mine({ blocks: 1, timestamp: START + 10n })

    const refused = { code: 'TIMESTAMP_TOO_LOW', timestamp: START + 10n, parent: START + 10n }
    expect(await time.setNextTimestamp(START + 10n)).toEqual(refused)
    expect(await mining.mine({ blocks: 3, timestamp: START + 10n })).toEqual(refused)
    expect(await time.setNextTimestamp(1n << 60n)).toMatchObject({ code: 'TIMESTAMP_TOO_HIGH' })
    expect(await time.increase(1n << 62n)).toMatchObject({ code: 'TIMESTAMP_TOO_HIGH' })
    expect(timestamps()).toEqual([10, 11])
  })

  test('time can be set back: blocks then follow one second apart', async () => {
    const { clock, time, mining, timestamps } = await open(MANUAL)
    await time.setNextTimestamp(START + 500n)
    await mining.mine({ blocks: 1 })

    expect(await time.set(START + 100n)).toBe(0n)
    await mining.mine({ blocks: 1 })
    expect(await time.set(START + 900n)).toBe(800n)
    clock.moveTo(2_000)
    await mining.mine({ blocks: 1 })

    expect(timestamps()).toEqual([500, 501, 902, 903])
  })

  test('an interval determines the timestamps until it is removed', async () => {
    const { time, mining, timestamps } = await open(MANUAL)
    expect(await time.setInterval(13n)).toBeUndefined()
    await mining.mine({ blocks: 1, timestamp: START + 100n })
    await mining.mine({ blocks: 2 })

    expect(await time.setInterval(undefined)).toBe(13n)
    await mining.mine({ blocks: 1 })

    expect(timestamps()).toEqual([100, 113, 126, 127, 128])
  })

  test.each([
    ['from the second block on', false, [0, 10, 20, 21]],
    ['from the first block on', true, [10, 20, 30, 31]],
  ])('mined blocks have an interval %s', async (_, spacesFirst, expected) => {
    const { mining, timestamps } = await open(MANUAL)

    await mining.mine({ blocks: 3, intervalSeconds: 10n, spacesFirst })

    expect(timestamps()).toEqual(expected)
  })

  test.each([true, false])('an interval begins at a timestamp that was set (spaces first: %s)', async (spacesFirst) => {
    const { mining, time, timestamps } = await open(MANUAL)
    await time.setNextTimestamp(START + 100n)

    await mining.mine({ blocks: 3, intervalSeconds: 10n, spacesFirst })

    expect(timestamps()).toEqual([100, 110, 120, 121])
  })
})

describe('flashblocks', () => {
  test('an increase replaces an empty open block, and flashblocks keep their times', async () => {
    const { clock, nextFlashblock, nextBlock, time, timestamps } = await open(FLASHBLOCKS)
    await nextFlashblock()
    clock.moveTo(350)

    await time.increase(1_000n)

    expect(timestamps()).toEqual([1_002])
    expect(clock.next).toBe(400)
    await nextBlock()
    expect(timestamps()).toEqual([1_002, 1_004])
  })

  test('a chosen timestamp is that of the block after one with transactions', async () => {
    const { node, clock, nextFlashblock, nextBlock, time, timestamps } = await open(FLASHBLOCKS)
    await node.submit(signTransfer({ nonce: 0n }).raw)
    await nextFlashblock()
    clock.moveTo(300)

    expect(await time.setNextTimestamp(START + 700n)).toBeUndefined()

    expect(timestamps()).toEqual([2, 700])
    await nextBlock()
    expect(timestamps()).toEqual([2, 700, 702])
  })
})

test('chain time and its interval survive a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-time-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const before = await startManualNode({ directory, development: { mining: MANUAL } })
  await before.node.development!.time.increase(1_000n)
  await before.node.development!.time.setInterval(5n)
  await before.node.stop()

  const { time, mining, timestamps } = await open(MANUAL, { directory })

  expect(await time.setInterval(undefined)).toBe(5n)
  await mining.mine({ blocks: 1 })
  expect(timestamps()).toEqual([1_000, 1_001])
})

test('a new chain begins at the given time', async () => {
  const { clock, node } = await startManualNode({ development: { mining: MANUAL, timestamp: 1_800_000_000n } })
  onTestFinished(() => node.stop())
  clock.moveTo(7_000)

  await node.development!.mining.mine({ blocks: 1 })

  expect(node.view().header({ kind: 'number', number: 1 })!.timestamp).toBe(1_800_000_007n)
})

test('chain time of a chain that began at a given time goes on after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-time-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const development = { mining: MANUAL, timestamp: 1_800_000_000n }
  const before = await startManualNode({ directory, development })
  before.clock.moveTo(7_000)
  await before.node.stop()

  const { node } = await startManualNode({ directory, development, clock: before.clock })
  onTestFinished(() => node.stop())
  before.clock.moveTo(9_000)
  await node.development!.mining.mine({ blocks: 1 })

  expect(node.view().header({ kind: 'number', number: 1 })!.timestamp).toBe(1_800_000_009n)
})

test.each(['chain', 'everything'] as const)('a reset of %s begins at the given time again', async (scope) => {
  const { clock, node } = await startManualNode({ development: { mining: MANUAL, timestamp: 1_800_000_000n } })
  onTestFinished(() => node.stop())
  const { mining, time, snapshots } = node.development!
  await time.increase(1_000_000n)
  clock.moveTo(7_000)

  await snapshots.reset(scope)
  clock.moveTo(9_000)
  await mining.mine({ blocks: 1 })

  expect(node.view().header({ kind: 'number', number: 1 })!.timestamp).toBe(1_800_000_002n)
})

describe('after a process that was killed', () => {
  test('settings for the next block hold that were acknowledged', async () => {
    const killed = await killedNode(MANUAL, async ({ node }) => {
      const { mining, time } = node.development!
      await time.setNextTimestamp(START + 500n)
      await mining.setNextBaseFee(123_456_789_000n)
      await mining.setPrevRandao(PREV_RANDAO)
    })

    const { node, mining } = await open(MANUAL, killed)
    await mining.mine({ blocks: 1 })

    const sealed = node.view().header({ kind: 'number', number: 1 })!
    const expected = { timestamp: START + 500n, baseFeePerGas: 123_456_789_000n, mixHash: PREV_RANDAO }
    expect(sealed).toMatchObject(expected)
  })

  test('chain time continues from a chosen timestamp whose block was sealed on schedule', async () => {
    const killed = await killedNode(FLASHBLOCKS, async ({ node, nextBlock }) => {
      await node.development!.time.setNextTimestamp(START + 500n)
      await nextBlock()
    })

    const { timestamps, nextBlock } = await open(FLASHBLOCKS, killed)
    await nextBlock()

    expect(timestamps()).toEqual([500, 502, 504])
  })
})
