import { describe, expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { signTransfer, type TransferOptions } from '../../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { AUTO, FLASHBLOCKS, intervalMode, MANUAL, type MiningMode } from '../../development/mining-mode.ts'
import type { View } from '../../view/view.ts'

const GWEI = 1_000_000_000n
const RECIPIENT = DEVELOPMENT_ACCOUNTS[9]!.address

async function open(mining: MiningMode, options: Parameters<typeof startManualNode>[0] = {}) {
  const manual = await startManualNode({ ...options, development: { mining } })
  onTestFinished(() => manual.node.stop())
  const { node } = manual
  return {
    ...manual,
    development: node.development!,
    forecast: async () => await node.forecast!(node.view()),
    send: async (transfer: TransferOptions) => {
      const transaction = signTransfer(transfer)
      expect(await node.submit(transaction.raw)).toMatchObject({ kind: 'accepted' })
      return transaction.hash
    },
  }
}

const hashesOf = ({ head }: View) => head.pending.block.transactions.map(({ hash }) => hash)

describe.each([
  ['on request', MANUAL],
  ['at an interval', intervalMode(60_000)],
])('while blocks are mined %s', (_, mode) => {
  test('the forecast is the block that is mined next', async () => {
    const { node, development, forecast, send } = await open(mode)
    await development.state.setBalance(RECIPIENT, 5n)
    await send({ from: 0, nonce: 0n, value: 3n })
    await send({ from: 1, nonce: 0n, maxPriorityFeePerGas: 2n * GWEI })
    await send({ from: 1, nonce: 1n })

    const { head } = await forecast()
    await development.mining.mine({ blocks: 1 })

    const mined = node.view().block({ kind: 'number', number: 1 })!
    expect(mined.block.transactions).toHaveLength(3)
    expect(head.pending.block).toEqual(mined.block)
    expect(head.pending.receipts).toEqual(mined.receipts)
    expect(head.pending.state.account(RECIPIENT)!.balance).toBe(5n + 3n + 1n + 1n)
    expect(head.pending.trie.root).toBe(mined.block.header.stateRoot)
  })
})

test('the forecast changes neither the head nor the pool', async () => {
  const { node, forecast, send } = await open(MANUAL)
  const hash = await send({ from: 0, nonce: 0n })
  const view = node.view()

  const forecasted = await forecast()

  expect(node.view()).toBe(view)
  expect(hashesOf(view)).toEqual([])
  expect(view.pool.get(hash)).toBeDefined()
  expect(forecasted.isForecast).toBe(true)
  expect(forecasted.head.sealed).toEqual(view.head.sealed)
  expect(hashesOf(forecasted)).toEqual([hash])
})

test('the forecast leaves out what cannot be included: nonce gaps, low fee caps and what does not fit', async () => {
  const { forecast, send } = await open(MANUAL, { network: { gasLimit: 100_000n, baseFee: GWEI } })
  const first = await send({ from: 0, nonce: 0n, gasLimit: 60_000n, maxPriorityFeePerGas: GWEI })
  await send({ from: 1, nonce: 0n, gasLimit: 90_000n })
  await send({ from: 1, nonce: 1n })
  await send({ from: 2, nonce: 1n })
  await send({ from: 3, nonce: 0n, maxFeePerGas: GWEI / 2n })
  const last = await send({ from: 4, nonce: 0n })

  expect(hashesOf(await forecast())).toEqual([first, last])
})

test('the forecast has the order of the pool', async () => {
  const { forecast, send } = await open(MANUAL, { pool: { order: 'fifo' } })
  const hashes = [
    await send({ from: 0, nonce: 0n }),
    await send({ from: 1, nonce: 0n, maxPriorityFeePerGas: 2n * GWEI }),
  ]

  expect(hashesOf(await forecast())).toEqual(hashes)
})

test('the forecast is built again when pool, settings or time have changed, and only then', async () => {
  const { clock, development, forecast, send } = await open(MANUAL)
  await send({ from: 0, nonce: 0n })
  const first = await forecast()
  expect(await forecast()).toBe(first)

  await send({ from: 1, nonce: 0n })
  const second = await forecast()
  expect(hashesOf(second)).toHaveLength(2)
  expect(await forecast()).toBe(second)

  await development.mining.setNextBaseFee(7n)
  const third = await forecast()
  expect(third.head.pending.block.header.baseFeePerGas).toBe(7n)

  clock.moveTo(5_000)
  const fourth = await forecast()
  expect(fourth.head.pending.block.header.timestamp).toBe(third.head.pending.block.header.timestamp + 5n)
  expect(await forecast()).toBe(fourth)
})

test('requests for one forecast share its execution', async () => {
  const { node, send } = await open(MANUAL)
  await send({ from: 0, nonce: 0n })

  const [first, second] = await Promise.all([node.forecast!(node.view()), node.forecast!(node.view())])

  expect(second).toBe(first)
})

test('the forecast on a view stays possible after later blocks have been stored', async () => {
  const { node, development, forecast, send } = await open(MANUAL)
  await send({ from: 0, nonce: 0n })
  await development.mining.mine({ blocks: 1 })
  const hash = await send({ from: 1, nonce: 0n })
  const view = node.view()
  view.retain()
  await development.mining.mine({ blocks: 2 })
  await node.idle()
  expect(await forecast()).toBeDefined()

  const forecasted = await node.forecast!(view)

  expect(hashesOf(forecasted)).toEqual([hash])
  expect(forecasted.head.pending.trie.root).toBe(forecasted.head.pending.block.header.stateRoot)
  view.release()
})

test('an empty pool leaves the view as it is until time has passed', async () => {
  const { node, clock, forecast } = await open(AUTO)

  expect(await forecast()).toBe(node.view())

  clock.moveTo(9_000)
  const { header } = node.view().head.pending.block
  expect((await forecast()).head.pending.block.header.timestamp).toBe(header.timestamp + 9n)
})

test('while blocks are built on schedule, the pending block is the open one', async () => {
  const { node, forecast, send, development } = await open(MANUAL)
  await send({ from: 0, nonce: 0n })

  await development.mining.setMode(() => FLASHBLOCKS, { minesWaiting: false })

  expect(await forecast()).toBe(node.view())
})

test('a node without development methods that builds blocks on schedule has no forecast', async () => {
  const { node } = await startManualNode()
  onTestFinished(() => node.stop())

  expect(node.forecast).toBeUndefined()
})
