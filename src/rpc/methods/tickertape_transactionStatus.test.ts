import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChainDirectories } from '../../../test/support/chain-directory.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { endAll, follow, start } from '../../../test/support/replica-scene.ts'
import { asking, caughtUp } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer, type TransferOptions } from '../../../test/support/transfers.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function send(options: TransferOptions, to = node): Promise<string> {
  const { hash, raw } = signTransfer(options)
  await to.result('eth_sendRawTransaction', bytesToHex(raw))
  return hash
}

const status = (hash: string, of = node) => of.result('tickertape_transactionStatus', hash)

test('reports a transaction as unknown, pooled, preconfirmed, sealed and safe', async () => {
  expect(await status(`0x${'12'.repeat(32)}`)).toEqual({ status: 'unknown' })
  await node.nextFlashblock()
  const hash = await send({ nonce: 0n })
  expect(await status(hash)).toEqual({ status: 'pooled', waitsFor: { reason: 'flashblock' } })
  await node.nextFlashblock()
  const place = { flashblockIndex: '0x2', preconfirmedAt: toQuantity(node.clock.wall()) }
  await node.nextFlashblock()
  const { hash: partial } = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await status(hash)).toEqual({
    status: 'preconfirmed',
    blockNumber: '0x1',
    blockHash: partial,
    transactionIndex: '0x0',
    ...place,
  })
  await node.nextBlock()
  const sealed = await node.result('eth_getBlockByNumber', '0x1', false)
  const sealedAt = toQuantity(node.clock.wall())
  const inBlock = {
    status: 'sealed',
    blockNumber: '0x1',
    blockHash: sealed.hash,
    transactionIndex: '0x0',
    ...place,
    sealedAt,
  }
  expect(await status(hash)).toMatchObject(inBlock)
  await node.node.idle()
  expect(await status(hash)).toEqual({ ...inBlock, finality: 'safe' })
})

test('reports why a pooled transaction waits: a nonce gap, the next flashblock, its sender’s balance', async () => {
  const ether = 10n ** 18n
  const [second, third] = [
    await send({ nonce: 1n, value: 6_000n * ether }),
    await send({ nonce: 2n, value: 6_000n * ether }),
  ]
  expect(await status(second)).toEqual({ status: 'pooled', waitsFor: { reason: 'nonceGap', expectedNonce: '0x0' } })
  await send({ nonce: 0n })
  expect(await status(second)).toEqual({ status: 'pooled', waitsFor: { reason: 'flashblock' } })
  expect(await status(third)).toMatchObject({
    status: 'pooled',
    waitsFor: { reason: 'balance', balance: toQuantity(10_000n * ether) },
  })
})

test('reports a DA footprint above the room of the open block', async () => {
  const gasLimit = 300_000n
  const narrow = await startRpcNode({}, { network: { gasLimit, daFootprintGasScalar: 2_000 } })
  // A transaction counts 100 compressed bytes at least.
  const [first, second] = [await send({ nonce: 0n }, narrow), await send({ from: 1, nonce: 0n }, narrow)]
  await narrow.nextFlashblock()
  await narrow.nextFlashblock()

  const statuses = await Promise.all([first, second].map((hash) => status(hash, narrow)))

  expect(statuses.map((found) => found.status).sort()).toEqual(['pooled', 'preconfirmed'])
  expect(statuses.find((found) => found.status === 'pooled')).toEqual({
    status: 'pooled',
    waitsFor: { reason: 'dataFootprint', dataFootprint: toQuantity(200_000n), room: toQuantity(100_000n) },
  })
  await narrow.stop()
})

test('reports a fee cap below the base fee, and a gas limit above the room of the next flashblock', async () => {
  const small = await startRpcNode({}, { network: { gasLimit: 300_000n } })
  const { baseFeePerGas } = await small.result('eth_getBlockByNumber', 'pending', false)
  const wide = await send({ nonce: 0n, gasLimit: 200_000n }, small)
  const behind = await send({ nonce: 1n }, small)
  expect(await status(wide, small)).toEqual({
    status: 'pooled',
    waitsFor: { reason: 'gasRoom', gas: '0x30d40', room: '0x7530' },
  })
  expect(await status(behind, small)).toEqual({
    status: 'pooled',
    waitsFor: { reason: 'predecessor', transactionHash: wide },
  })
  for (let from = 1; from < 8; from++) await send({ from, nonce: 0n, gasLimit: 30_000n }, small)
  await small.nextBlock()
  const raised = BigInt(String((await small.result('eth_getBlockByNumber', 'pending', false)).baseFeePerGas))
  expect(raised).toBeGreaterThan(BigInt(String(baseFeePerGas)))
  const cheap = await send({ from: 9, nonce: 0n, maxFeePerGas: raised - 1n, maxPriorityFeePerGas: 0n }, small)
  expect(await status(cheap, small)).toMatchObject({ status: 'pooled', waitsFor: { reason: 'baseFee' } })
  await small.stop()
})

test('reports the reason of a drop: replaced, evicted, expired or reorganised', async () => {
  const tight = await startRpcNode({}, { pool: { maxPoolTransactions: 2, transactionLifetimeMs: 3_000 } })
  const replaced = await send({ nonce: 1n }, tight)
  const by = await send({ nonce: 1n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000n }, tight)
  expect(await status(replaced, tight)).toEqual({ status: 'dropped', reason: 'replaced', replacedBy: by })
  const poor = await send({ from: 1, nonce: 1n, maxPriorityFeePerGas: 1n }, tight)
  await send({ from: 2, nonce: 0n, maxPriorityFeePerGas: 5_000_000n }, tight)
  expect(await status(poor, tight)).toEqual({ status: 'dropped', reason: 'evicted' })
  await tight.nextBlock()
  await tight.nextBlock()
  expect(await status(by, tight)).toEqual({ status: 'dropped', reason: 'expired' })
  await tight.stop()

  const gone = await send({ nonce: 0n })
  await node.nextBlock()
  const { hash: blockHash } = await node.result('eth_getBlockByNumber', '0x1', false)
  await node.result('debug_setHead', '0x0')
  expect(await status(gone)).toEqual({ status: 'dropped', reason: 'reorganised', blockNumber: '0x1', blockHash })
  await send({ nonce: 0n })
  expect(await status(gone)).toMatchObject({ status: 'pooled' })
})

test('remembers at most maxDropReasons dropped transactions', async () => {
  const forgetful = await startRpcNode({}, { pool: { maxDropReasons: 2 } })
  const hashes: string[] = []
  for (let tip = 1n; tip < 5n; tip++) {
    const fees = { maxFeePerGas: 10n ** 10n * 2n ** tip, maxPriorityFeePerGas: 10n ** 6n * 2n ** tip }
    hashes.push(await send({ nonce: 1n, ...fees }, forgetful))
  }
  const statuses = await Promise.all(hashes.map(async (hash) => (await status(hash, forgetful)).status))
  expect(statuses).toEqual(['unknown', 'dropped', 'dropped', 'pooled'])
  await forgetful.stop()
})

describe('the flashblock of a sealed transaction', () => {
  const directories = new ChainDirectories()
  afterAll(() => directories.remove())
  afterEach(endAll)

  test('is known after a restart by the records, without times', async () => {
    const directory = directories.next()
    const first = await startRpcNode({}, { directory })
    const early = await send({ nonce: 0n }, first)
    await first.nextFlashblock()
    await first.nextFlashblock()
    await first.nextFlashblock()
    const late = await send({ nonce: 1n }, first)
    await first.nextFlashblock()
    await first.nextBlock()
    const before = await Promise.all([early, late].map((hash) => status(hash, first)))
    expect(before.map(({ flashblockIndex }) => flashblockIndex)).toEqual(['0x1', '0x4'])
    await first.stop()

    const again = await startRpcNode({}, { directory, clock: first.clock })

    for (const [index, hash] of [early, late].entries()) {
      const { preconfirmedAt: _, sealedAt: __, ...known } = before[index]!
      expect(await status(hash, again)).toEqual({ ...known, finality: 'safe' })
    }
  })

  test('is known where this process showed it, also when its partial hashes are forgotten', async () => {
    const schedule = createSchedule(2_000, 1_000)
    const { node: solo, ...whole } = await startRpcNode({}, { schedule })
    const hash = await send({ nonce: 0n }, { ...whole, node: solo })
    for (let block = 0; block < 64; block++) await whole.nextBlock()
    const later = asking(solo)
    const flashblockIndex = async () => JSON.parse(await later('tickertape_transactionStatus', hash)).result
    expect(await flashblockIndex()).toMatchObject({ flashblockIndex: '0x1' })

    for (let block = 0; block < 2; block++) await whole.nextBlock()

    expect(await flashblockIndex()).not.toHaveProperty('flashblockIndex')
    expect(await whole.result('tickertape_transactionStatus', hash)).toMatchObject({ flashblockIndex: '0x1' })
  })

  test('is that of the new block after blocks were unwound', async () => {
    const { hash, raw } = signTransfer({ nonce: 0n })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    await node.nextBlock()
    expect(await status(hash)).toMatchObject({ flashblockIndex: '0x1' })
    await node.result('debug_setHead', '0x0')
    await node.nextFlashblock()
    await node.nextFlashblock()
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    await node.nextFlashblock()
    const preconfirmedAt = toQuantity(node.clock.wall())
    const { flashblockIndex } = await status(hash)
    expect(flashblockIndex).toBe('0x3')

    await node.nextBlock()

    const sealedAt = toQuantity(node.clock.wall())
    expect(await status(hash)).toMatchObject({ status: 'sealed', flashblockIndex, preconfirmedAt, sealedAt })
  })

  test('is given by a replica with the times at which it showed them, and by one that joins later without', async () => {
    const { node: leader, nextBlock, nextFlashblock, stream } = await start()
    const clock = new ManualClock({ wall: 5_000_000 })
    const replica = await follow(stream.url)
    const ask = asking(replica, {}, { clock })
    const { hash, raw } = signTransfer({ nonce: 0n })
    await leader.submit(raw)
    await nextFlashblock()
    await nextFlashblock()
    await caughtUp(replica, leader)
    clock.moveTo(1_500)
    await nextBlock()
    await caughtUp(replica, leader)

    const here = JSON.parse(await ask('tickertape_transactionStatus', hash)).result
    const later = await follow(stream.url)
    await caughtUp(later, leader)
    const there = JSON.parse(await asking(later)('tickertape_transactionStatus', hash)).result

    expect(here).toMatchObject({
      status: 'sealed',
      flashblockIndex: '0x1',
      preconfirmedAt: toQuantity(5_000_000),
      sealedAt: toQuantity(5_001_500),
    })
    expect(there).toMatchObject({ status: 'sealed', flashblockIndex: '0x1' })
    expect(there).not.toHaveProperty('preconfirmedAt')
    expect(there).not.toHaveProperty('sealedAt')
  })
})
