import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pendingAt, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { PENDING } from '../view/block-reference.ts'
import { AUTO, FLASHBLOCKS, intervalMode, MANUAL, type MiningMode } from './mining-mode.ts'

const START = BigInt(Date.UTC(2026, 0, 1) / 1000)

async function open(mining: MiningMode, options: Parameters<typeof startManualNode>[0] = {}) {
  const manual = await startManualNode({ ...options, development: { mining } })
  onTestFinished(() => manual.node.stop())
  const { node } = manual
  const { mining: operations, time } = node.development!
  const latest = () => node.view().head.sealed.latest
  return {
    ...manual,
    mining: operations,
    time,
    latest,
    sealed: (number = latest()) => node.view().block({ kind: 'number', number })!.block,
    pending: () => node.view().block(PENDING)!.block,
    send: (from: number, nonce: bigint, fees = {}) => node.submit(signTransfer({ from, nonce, ...fees }).raw),
  }
}

describe('auto', () => {
  test('seals a block with the transaction before it is answered', async () => {
    const { node, send, latest, sealed, pending } = await open(AUTO)

    expect(await send(0, 0n)).toMatchObject({ kind: 'accepted' })

    expect(latest()).toBe(1)
    expect(sealed().transactions).toHaveLength(1)
    expect(node.view().pool.size).toBe(0)
    expect(pending()).toMatchObject({ header: { number: 2 }, transactions: [] })
  })

  test('emits pooled, flashblock and sealed in the order of the default mode', async () => {
    const { node, send, clock } = await open(AUTO)
    clock.moveTo(5_000)
    const events: string[] = []
    node.events.on('pooled', () => events.push('pooled'))
    node.events.on('flashblock', ({ block, layer }) => events.push(`flashblock ${block.header.number}.${layer.index}`))
    node.events.on('sealed', ({ block }) => events.push(`sealed ${block.header.number}`))

    await send(0, 0n)

    expect(events).toEqual(['pooled', 'flashblock 1.0', 'flashblock 1.1', 'sealed 1', 'flashblock 2.0'])
  })

  test('includes transactions that arrive during a block in the next one together', async () => {
    const { send, latest, sealed } = await open(AUTO)

    const sends = Array.from({ length: 9 }, (_, from) => send(from, 0n))
    for (const sent of await Promise.all(sends)) expect(sent.kind).toBe('accepted')

    expect(latest()).toBeLessThanOrEqual(3)
    const counts = Array.from({ length: latest() }, (_, index) => sealed(index + 1).transactions.length)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(9)
  })

  test('answers a transaction behind a nonce gap without a block', async () => {
    const { send, latest, node } = await open(AUTO)

    expect(await send(0, 1n)).toMatchObject({ kind: 'accepted' })
    expect(latest()).toBe(0)
    expect(node.view().pool.size).toBe(1)

    await send(0, 0n)
    expect(latest()).toBe(1)
    expect(node.view().pool.size).toBe(0)
  })

  test('mines further blocks while transactions do not fit in one', async () => {
    const { send, latest, mining, sealed } = await open(MANUAL, { network: { gasLimit: 100_000n } })
    for (let from = 0; from < 6; from++) await send(from, 0n)

    await mining.setMode(() => AUTO, { minesWaiting: true })

    expect(latest()).toBe(2)
    expect([sealed(1), sealed(2)].map(({ transactions }) => transactions.length)).toEqual([4, 2])
  })

  test('mines restored transactions at the start', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tickertape-mining-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const manual = await startManualNode({ directory, development: { mining: MANUAL } })
    await manual.node.submit(signTransfer({ nonce: 0n }).raw)
    await manual.node.stop()

    const { latest } = await open(AUTO, { directory })

    expect(latest()).toBe(1)
  })
})

describe('manual', () => {
  test('keeps transactions in the pool until a block is requested', async () => {
    const { node, clock, send, mining, latest, sealed } = await open(MANUAL)
    await send(0, 0n)
    clock.moveTo(60_000)
    await node.idle()
    expect(latest()).toBe(0)

    expect(await mining.mine({ blocks: 1 })).toBeUndefined()

    expect(latest()).toBe(1)
    expect(sealed().transactions).toHaveLength(1)
    expect(sealed().header.timestamp).toBe(START + 60n)
  })

  test('mines blocks without transactions, with strictly increasing timestamps', async () => {
    const { mining, latest, sealed } = await open(MANUAL)

    await mining.mine({ blocks: 5 })

    expect(latest()).toBe(5)
    const timestamps = [1, 2, 3, 4, 5].map((number) => sealed(number).header.timestamp)
    expect(timestamps).toEqual([0n, 1n, 2n, 3n, 4n].map((later) => START + later))
  })

  test('drops one transaction, those of a sender, or all', async () => {
    const { node, send, mining } = await open(MANUAL)
    for (const from of [0, 1, 2]) for (const nonce of [0n, 1n]) await send(from, nonce)
    const { hash, from } = signTransfer({ from: 0, nonce: 1n })

    expect(await mining.dropTransaction(hash)).toBe(true)
    expect(await mining.dropTransaction(hash)).toBe(false)
    expect(node.view().pool.size).toBe(5)
    expect(await mining.dropTransactions((transaction) => transaction.from === from)).toHaveLength(1)
    expect(await mining.dropTransactions()).toHaveLength(4)
    expect(node.view().pool.size).toBe(0)
    await mining.mine({ blocks: 1 })
    expect(node.view().head.recent.at(-1)!.block.transactions).toHaveLength(0)
  })

  test('survives a restart with pool and blocks', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tickertape-mining-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const first = await startManualNode({ directory, development: { mining: MANUAL } })
    const { mining } = first.node.development!
    await first.node.submit(signTransfer({ from: 1, nonce: 0n }).raw)
    first.clock.moveTo(10_000)
    await mining.mine({ blocks: 3 })
    first.clock.moveTo(20_000)
    await mining.mine({ blocks: 1 })
    await first.node.submit(signTransfer({ from: 2, nonce: 0n }).raw)
    await first.node.submit(signTransfer({ from: 3, nonce: 0n }).raw)
    await mining.dropTransaction(signTransfer({ from: 3, nonce: 0n }).hash)
    first.clock.moveTo(30_000)
    await mining.setGasLimit(1_000_000n)
    const { hash } =
      first.node.view().head.recent.at(-1)?.block ?? first.node.view().block({ kind: 'number', number: 4 })!.block
    await first.node.stop()

    const { node, latest, sealed } = await open(MANUAL, { directory })

    expect(latest()).toBe(4)
    expect(sealed().hash).toBe(hash)
    expect(pendingAt(node).map((pooled) => pooled.hash)).toEqual([signTransfer({ from: 2, nonce: 0n }).hash])
  })
})

describe('interval', () => {
  test('mines a block at each interval, also without transactions', async () => {
    const { node, clock, send, latest, sealed } = await open(intervalMode(3_000))
    await send(0, 0n)
    clock.moveTo(2_999)
    await node.idle()
    expect(latest()).toBe(0)
    clock.moveTo(3_000)
    await node.idle()
    clock.moveTo(6_000)
    await node.idle()

    expect(latest()).toBe(2)
    expect(sealed(1)).toMatchObject({ header: { timestamp: START + 3n }, transactions: [{}] })
    expect(sealed(2)).toMatchObject({ header: { timestamp: START + 6n }, transactions: [] })
  })

  test('keeps its times when other operations run in between', async () => {
    const { node, clock, mining, latest } = await open(intervalMode(3_000))
    clock.moveTo(2_000)
    await mining.mine({ blocks: 1 })

    clock.moveTo(3_000)
    await node.idle()

    expect(latest()).toBe(2)
  })

  test('works beside auto', async () => {
    const { node, clock, send, latest } = await open({ ...intervalMode(3_000), auto: true })
    await send(0, 0n)
    expect(latest()).toBe(1)

    clock.moveTo(3_000)
    await node.idle()

    expect(latest()).toBe(2)
  })
})

test('a block on request is the open block of the schedule, unless its timestamp is chosen', async () => {
  const { send, nextFlashblock, mining, latest, sealed } = await open(FLASHBLOCKS)
  await send(0, 0n)
  await nextFlashblock()

  await mining.mine({ blocks: 1, intervalSeconds: 1n })

  expect([latest(), sealed().transactions.length]).toEqual([1, 1])
  await send(0, 1n)
  await nextFlashblock()
  await mining.mine({ blocks: 1, intervalSeconds: 1n, spacesFirst: true })
  expect([latest(), sealed(2).transactions.length, sealed(3).transactions.length]).toEqual([3, 1, 0])
})

describe('changing the mode', () => {
  test('seals an open block with transactions and continues in the new mode', async () => {
    const { send, nextFlashblock, mining, latest, sealed, pending } = await open(FLASHBLOCKS)
    await send(0, 0n)
    await nextFlashblock()
    expect(latest()).toBe(0)

    await mining.setMode(() => MANUAL, { minesWaiting: false })
    expect(latest()).toBe(1)
    expect(sealed().transactions).toHaveLength(1)
    expect(pending().transactions).toHaveLength(0)
    await send(1, 0n)
    expect(latest()).toBe(1)

    await mining.setMode(() => FLASHBLOCKS, { minesWaiting: false })
    await nextFlashblock()
    expect(pending().transactions).toHaveLength(1)
  })

  test('returns to flashblocks every 200 ms', async () => {
    const { clock, mining, nextFlashblock, nextBlock, node, latest } = await open(AUTO)
    clock.moveTo(12_345)
    await mining.setMode(() => FLASHBLOCKS, { minesWaiting: false })
    expect(clock.next).toBe(12_545)

    await nextFlashblock()
    expect(node.view().head.pending.index).toBe(1)
    await nextBlock()
    expect(latest()).toBe(1)
  })
})

describe('flashblocks', () => {
  test('mines the open block on request and keeps the times of flashblocks', async () => {
    const { clock, send, nextFlashblock, mining, latest, sealed } = await open(FLASHBLOCKS)
    await nextFlashblock()
    await send(0, 0n)
    await nextFlashblock()
    await send(1, 0n)

    await mining.mine({ blocks: 1 })

    expect(latest()).toBe(1)
    expect(sealed().transactions).toHaveLength(2)
    expect(clock.next).toBe(600)
  })
})

describe('settings of coming blocks', () => {
  test('coinbase and gas limit hold for all later blocks', async () => {
    const { mining, sealed } = await open(MANUAL)
    await mining.setCoinbase('0x00000000000000000000000000000000000000aa' as never)
    await mining.setGasLimit(12_345_678n)

    await mining.mine({ blocks: 2 })

    const expected = { miner: '0x00000000000000000000000000000000000000aa', gasLimit: 12_345_678n }
    expect([sealed(1).header, sealed(2).header]).toMatchObject([expected, expected])
  })

  test('base fee and prevRandao hold for the next block only, and show in the open block', async () => {
    const { mining, pending, sealed } = await open(MANUAL)
    const prevRandao = `0x${'7'.repeat(64)}` as never
    await mining.setNextBaseFee(123_456_789_000n)
    await mining.setPrevRandao(prevRandao)
    expect(pending().header).toMatchObject({ baseFeePerGas: 123_456_789_000n, mixHash: prevRandao })

    await mining.mine({ blocks: 2 })

    expect(sealed(1).header).toMatchObject({ baseFeePerGas: 123_456_789_000n, mixHash: prevRandao })
    expect(sealed(2).header.baseFeePerGas).toBeLessThan(123_456_789_000n)
    expect(sealed(2).header.mixHash).not.toBe(prevRandao)
  })

  test('replaced open blocks leave no trace in hashes that resolve', async () => {
    const { node, mining, pending } = await open(MANUAL)
    const { hash } = pending()

    await mining.setGasLimit(1_000_000n)

    expect(pending().hash).not.toBe(hash)
    expect(node.view().block({ kind: 'hash', hash, requireCanonical: false })).toBeUndefined()
  })
})

test('seals an open block with transactions at the start, when the mode was another one before', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-mining-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const before = await startManualNode({ directory })
  await before.node.submit(signTransfer({ nonce: 0n }).raw)
  await before.nextFlashblock()
  await before.node.stop()

  const { node, latest, sealed, mining } = await open(MANUAL, { directory })

  expect(latest()).toBe(1)
  expect(sealed().transactions).toHaveLength(1)
  await mining.mine({ blocks: 2 })
  await node.idle()
  expect(node.view().head.base.number).toBe(3)
})

describe('many blocks at once', () => {
  test('mines a chain of blocks, of which the last make their opening calls', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tickertape-mining-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const first = await startManualNode({ directory, development: { mining: MANUAL } })
    const { node } = first
    await node.submit(signTransfer({ nonce: 0n }).raw)
    const seen: string[] = []
    node.events.on('sealed', ({ block, view }) => {
      expect(view.header({ kind: 'number', number: block.header.number })!.stateRoot).toBe(block.header.stateRoot)
      seen.push(block.hash)
    })

    await node.development!.mining.mine({ blocks: 1_300, intervalSeconds: 60n })

    const view = node.view()
    const blocks = Array.from({ length: 1_300 }, (_, index) => view.block({ kind: 'number', number: index + 1 })!.block)
    expect(view.head.sealed.latest).toBe(1_300)
    expect(seen).toEqual(blocks.map(({ hash }) => hash))
    for (const [index, { header, hash }] of blocks.entries()) {
      if (index === 0) continue
      const below = blocks[index - 1]!
      expect(header.parentHash).toBe(below.hash)
      expect(header.timestamp).toBe(below.header.timestamp + 60n)
      expect(header.stateRoot === below.header.stateRoot).toBe(index < 1_236)
      expect(view.blockHash({ kind: 'number', number: index + 1 })).toBe(hash)
    }
    expect(view.head.pending.block.header.parentHash).toBe(blocks.at(-1)!.hash)
    await node.idle()
    await node.stop()
    const again = await open(MANUAL, { directory })
    expect(again.sealed().hash).toBe(blocks.at(-1)!.hash)
    expect(again.sealed(200).hash).toBe(blocks[199]!.hash)
    await again.node.stop()
    const { genesis } = createNetwork()
    const verification = await verifyChain({ directory, genesis }, async () => {})
    expect(verification).toMatchObject({ kind: 'sound', blocks: 1_301 })
  })

  test('can be unwound into their middle', async () => {
    const { node, mining, latest, send } = await open(MANUAL)
    await mining.mine({ blocks: 300 })

    expect(await node.setHead(250)).toEqual({ kind: 'unwound' })
    await send(0, 0n)
    await mining.mine({ blocks: 1 })

    expect(latest()).toBe(251)
  })

  test('a request beyond the limit is refused without effect', async () => {
    const { mining, latest } = await open(MANUAL)

    expect(await mining.mine({ blocks: 100_001 })).toEqual({ code: 'TOO_MANY_BLOCKS', blocks: 100_001, limit: 100_000 })
    expect(latest()).toBe(0)
  })
})
