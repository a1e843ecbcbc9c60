import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { blocksIn, ChainDirectories } from '../../../test/support/chain-directory.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { endAll, expectSame, follow, start } from '../../../test/support/replica-scene.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Block } from '../../chain/block/block.ts'
import { decodeBlock, encodeBlock } from '../../chain/block/block-codec.ts'
import { decodeExtraData } from '../../chain/block/extra-data.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { BASE_TIME_ADDRESS, BASE_TIME_SLOT, baseTimeTransaction } from '../../chain/system-transactions/base-time.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { AUTO } from '../development/mining-mode.ts'
import { exportChain } from '../tools/export-chain.ts'
import { importChain } from '../tools/import-chain.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { LATEST, PENDING } from '../view/block-reference.ts'
import { DENIM_BLOCKS } from './building/schedule.ts'

const START = 1_767_225_600n
const NETWORK = { upgrade: 'denim', timestamp: START } as const
const DENIM = { network: NETWORK, schedule: DENIM_BLOCKS }
const { genesis } = createNetwork(NETWORK)
const noStep = async () => {}
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(endAll)

let manual: ManualNode

function block(number: number) {
  return manual.node.view().block({ kind: 'number', number })!
}

async function seal(count: number): Promise<void> {
  for (let sealed = 0; sealed < count; sealed++) await manual.nextBlock()
}

/** The milliseconds that BaseTime stores after a block. */
function storedMillis(): bigint {
  const view = manual.node.view()
  return view.storage(view.state(LATEST)!, BASE_TIME_ADDRESS, BASE_TIME_SLOT)
}

test('transactions whose DA footprints exceed a block together are mined in several on demand', async () => {
  manual = await startManualNode({ ...DENIM, development: { mining: AUTO } })
  onTestFinished(() => manual.node.stop())
  const sent = [0, 1, 2].map((from) =>
    signTransfer({ from, nonce: 0n, gasLimit: 10_000_000n, data: randomBytes(120_000) }),
  )

  await Promise.all(sent.map(({ raw }) => manual.node.submit(raw)))

  const view = manual.node.view()
  expect(sent.filter(({ hash }) => view.ownBlockHashOf(hash) === undefined)).toEqual([])
  expect(view.head.sealed.latest).toBeGreaterThan(1)
})

describe('a Denim chain', () => {
  beforeEach(async () => {
    manual = await startManualNode(DENIM)
    onTestFinished(() => manual.node.stop())
  })

  test('has a block for every 200 ms of its schedule, five in each second', async () => {
    const before = manual.clock.monotonic()
    await seal(300)
    expect(manual.clock.monotonic() - before).toBe(300 * 200)
    for (let number = 1; number <= 300; number++) {
      const { header, transactions } = block(number).block
      expect(header.timestamp).toBe(START + BigInt(Math.floor(number / 5)))
      expect(transactions[1]?.hash).toBe(baseTimeTransaction(BigInt(number), (number % 5) * 200).hash)
    }
  })

  test('sets the milliseconds in BaseTime, by the second of two transactions of the depositor', async () => {
    for (let number = 1; number <= 6; number++) {
      await seal(1)
      expect(storedMillis()).toBe(BigInt((number % 5) * 200))
      expect(block(number).block.transactions).toHaveLength(2)
      expect(block(number).receipts.map(({ deposit, outcome }) => [deposit?.nonce, outcome])).toEqual([
        [BigInt(2 * number - 2), { status: 1 }],
        [BigInt(2 * number - 1), { status: 1 }],
      ])
    }
  })

  test('includes a transaction in the next block, with its own hash from the start', async () => {
    const transfer = signTransfer({ nonce: 0n })
    await manual.node.submit(transfer.raw)
    await manual.nextFlashblock()
    expect(manual.node.view().transaction(transfer.hash)).toMatchObject({
      kind: 'included',
      index: 2,
      block: { status: 'sealed', block: { header: { number: 1 } } },
    })
    expect(manual.node.view().block(PENDING)?.block.header.number).toBe(2)
  })

  test('has a tenth of the gas limit and ten times the denominator', () => {
    const { header } = manual.node.view().block(PENDING)!.block
    expect(header.gasLimit).toBe(40_000_000n)
    expect(decodeExtraData(header.extraData)).toEqual({ denominator: 1_000, elasticity: 5, minBaseFee: 5_000_000n })
  })
})

test('blocks that are overdue come at once, none is skipped', async () => {
  manual = await startManualNode(DENIM)
  onTestFinished(() => manual.node.stop())
  await seal(2)
  // As after a pause of the process.
  manual.clock.moveTo(manual.clock.monotonic() + 10_000)
  await manual.node.idle()
  const behind = manual.clock.monotonic()
  while (manual.clock.next !== undefined && manual.clock.next <= behind) await manual.nextFlashblock()
  expect(manual.clock.monotonic()).toBe(behind)
  const { latest } = manual.node.view().head.sealed
  expect(latest).toBe(2 + 50)
  expect(block(latest).block.header.timestamp).toBe(START + BigInt(Math.floor(latest / 5)))
})

test('a chain whose block 0 is in the future waits for its time', async () => {
  manual = await startManualNode({ ...DENIM, network: { ...NETWORK, timestamp: START + 5n } })
  onTestFinished(() => manual.node.stop())
  const before = manual.clock.monotonic()
  await manual.nextFlashblock()
  expect(manual.clock.monotonic() - before).toBe(5_200)
  expect(manual.node.view().head.sealed.latest).toBe(1)
})

test('a restart continues the schedule without skipping a slot', async () => {
  const directory = directories.next()
  manual = await startManualNode({ ...DENIM, directory })
  await seal(7)
  await manual.node.stop()
  manual = await startManualNode({ ...DENIM, directory })
  onTestFinished(() => manual.node.stop())
  await seal(4)
  expect(manual.node.view().head.sealed.latest).toBe(11)
  for (let number = 1; number <= 11; number++) {
    expect(block(number).block.header.timestamp).toBe(START + BigInt(Math.floor(number / 5)))
  }
})

test('a replica applies Denim blocks', async () => {
  const { node, stream, send, nextBlock } = await start(DENIM)
  await send(0n)
  for (let count = 0; count < 7; count++) await nextBlock()
  const replica = await follow(stream.url, createNetwork(NETWORK))
  await expect.poll(() => replica.view().head.sealed.latest).toBe(7)
  await expectSame(replica, node)
})

describe('exported Denim blocks', () => {
  let blocks: readonly Block[]
  let original: string
  beforeEach(async () => {
    original = directories.next()
    manual = await startManualNode({ ...DENIM, directory: original })
    await manual.node.submit(signTransfer({ nonce: 0n }).raw)
    await seal(8)
    await manual.node.stop()
    const file = directories.next()
    await exportChain({ directory: original, genesis }, file, {}, noStep)
    blocks = await blocksIn(file)
  })

  async function* inTurn(list: readonly Block[]): AsyncGenerator<Block> {
    yield* list
  }

  function importInto(list: readonly Block[], into = genesis) {
    return importChain({ directory: directories.next(), genesis: into, history: 'all' }, inTurn(list), noStep)
  }

  /** The blocks up to one whose transactions were changed after it was built. */
  function forged(number: number, change: (transactions: Block['transactions']) => Block['transactions']): Block[] {
    const before = blocks[number]!
    const transactions = change(before.transactions)
    const header = { ...before.header, transactionsRoot: orderedRoot(transactions.map(({ raw }) => raw)) }
    return [...blocks.slice(0, number), decodeBlock(encodeBlock({ ...before, header, transactions }))]
  }

  test('are verified and imported again', async () => {
    expect(await verifyChain({ directory: original, genesis }, noStep)).toMatchObject({ kind: 'sound', blocks: 9 })
    expect(await importInto(blocks)).toMatchObject({ kind: 'imported', imported: 8 })
    const copied = directories.next()
    cpSync(original, copied, { recursive: true, filter: (path) => !path.endsWith('/lock') })
    expect(await verifyChain({ directory: copied, genesis }, noStep)).toMatchObject({ kind: 'sound' })
  })

  test.each<[string, (transactions: Block['transactions']) => Block['transactions']]>([
    ['missing BaseTime metadata deposit at tx[1]', ([first]) => [first!]],
    [
      'invalid BaseTime progression from 1767225600400ms to 1767225600800ms; expected exactly 200ms',
      ([first]) => [first!, baseTimeTransaction(3n, 800)],
    ],
    ['invalid BaseTime metadata source hash', ([first]) => [first!, baseTimeTransaction(4n, 600)]],
    [
      'additional protocol-authorized BaseTime setter at tx[2]',
      ([first, second]) => [first!, second!, baseTimeTransaction(3n, 600)],
    ],
    ['its first transaction does not set the L1 attributes', ([, second]) => [second!]],
  ])('are refused: %s', async (message, change) => {
    expect(await importInto(forged(3, change))).toMatchObject({
      kind: 'refused',
      code: 'INVALID_BLOCK',
      newest: 2,
      message: expect.stringContaining(message),
    })
  })

  test('are refused by a chain that begins Denim later', async () => {
    const { layer2, ...config } = genesis.config
    const denim = { ...layer2!.denim!, denimTime: START + 1_000n }
    const later = { ...genesis, config: { ...config, layer2: { ...layer2!, denim } } }
    expect(await importInto(blocks, later)).toMatchObject({
      kind: 'refused',
      newest: 0,
      message: expect.stringContaining(`the rules of the chain want ${START + 2n}`),
    })
  })
})
