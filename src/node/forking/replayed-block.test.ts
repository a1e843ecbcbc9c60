import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type ForkedNode, openTestFork, startForkedNode, startNodeOn } from '../../../test/support/forked-node.ts'
import type { ManualNode } from '../../../test/support/manual-node.ts'
import { normal } from '../../../test/support/normal-value.ts'
import { BlockBuilder } from '../../engine/block/build-block.ts'
import { ForkError } from '../../fork/source/fork-error.ts'
import type { MiningMode } from '../development/mining-mode.ts'

const NUMBER = 3
const AUTO: MiningMode = { kind: 'on-demand', auto: true, interval: undefined }

let upstream: ForkedNode
let node: ManualNode | undefined
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())
afterEach(async () => {
  vi.restoreAllMocks()
  await node?.node.stop()
  node = undefined
})

/** The block of the upstream, and a node that begins after its second transaction. */
async function start(mining: MiningMode) {
  const original = upstream.node.node.view().block({ kind: 'number', number: NUMBER })!
  const fork = await openTestFork(upstream.proxy.url, { transactionHash: original.block.transactions[1]!.hash })
  node = await startNodeOn(fork, { log: pino({ level: 'silent' }), development: { mining } })
  return { original, ...node }
}

function replayed({ node }: Pick<ManualNode, 'node'>) {
  return node.view().block({ kind: 'number', number: NUMBER })!
}

test.each<[string, MiningMode]>([
  ['flashblocks', { kind: 'flashblocks' }],
  ['blocks on demand', AUTO],
])('a chain that begins after a transaction has the block up to it: %s', async (_, mining) => {
  const { original, ...started } = await start(mining)

  const { block, receipts } = replayed(started)
  expect(started.node.view().head.sealed.latest).toBe(NUMBER)
  expect(block.transactions.map(({ hash }) => hash)).toEqual(
    original.block.transactions.slice(0, 2).map(({ hash }) => hash),
  )
  expect(normal(receipts)).toEqual(normal(original.receipts.slice(0, 2)))
  const { timestamp, mixHash, miner, gasLimit, baseFeePerGas } = original.block.header
  expect(block.header).toMatchObject({ timestamp, mixHash, miner, gasLimit, baseFeePerGas })
})

test('a reset whose transactions lack state leaves the chain on the fork block, and the next one completes it', async () => {
  const started = await start(AUTO)
  const { snapshots, mining } = started.node.development!
  const { settings } = mining
  const failures: unknown[] = []
  started.node.events.on('failed', (error) => failures.push(error))
  const { add } = BlockBuilder.prototype
  const adding = vi.spyOn(BlockBuilder.prototype, 'add')
  adding.mockImplementationOnce(function (this: BlockBuilder, ...added) {
    return add.apply(this, added)
  })
  adding.mockRejectedValueOnce(new ForkError('FORK_UNREACHABLE', 'the state of the second transaction'))

  const refused = await snapshots.reset('chain')

  expect(refused).toMatchObject({ code: 'REPLAY_REFUSED', error: { code: 'FORK_UNREACHABLE' } })
  expect(started.node.view().head.sealed.latest).toBe(NUMBER - 1)
  expect(started.node.view().head.pending.block.transactions).toEqual([])
  expect(mining.settings).toMatchObject({ coinbase: settings.coinbase, gasLimit: settings.gasLimit, once: undefined })
  expect(await snapshots.reset('chain')).toBeUndefined()
  expect(started.node.view().head.sealed.latest).toBe(NUMBER)
  expect(failures).toEqual([])
})

test('a reset returns to the state after the transaction', async () => {
  const started = await start(AUTO)
  const before = replayed(started)
  await started.node.development!.mining.mine({ blocks: 2 })

  await started.node.development!.snapshots.reset('chain')

  expect(started.node.view().head.sealed.latest).toBe(NUMBER)
  expect(replayed(started).block.header.stateRoot).toBe(before.block.header.stateRoot)
})
