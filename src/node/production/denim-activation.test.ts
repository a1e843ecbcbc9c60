import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { blocksIn, ChainDirectories } from '../../../test/support/chain-directory.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { endAll, expectSame, follow, start } from '../../../test/support/replica-scene.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Block } from '../../chain/block/block.ts'
import { decodeBlock, encodeBlock } from '../../chain/block/block-codec.ts'
import { decodeExtraData } from '../../chain/block/extra-data.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { ADMIN_SLOT, BASE_TIME, IMPLEMENTATION_SLOT } from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import { BASE_TIME_SLOT, baseTimeTransaction, blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import { EMPTY_BYTES } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { AUTO, FLASHBLOCKS } from '../development/mining-mode.ts'
import { exportChain } from '../tools/export-chain.ts'
import { importChain } from '../tools/import-chain.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { LATEST } from '../view/block-reference.ts'

const START = 1_767_225_600n
const START_MS = Number(START) * 1_000
/** The first block at or after 7 s is block 4, at 8 s. */
const NETWORK = { upgrade: 'denim', timestamp: START, denimAfter: 7n } as const
const CHAIN = { network: NETWORK }
const FIRST = 4
const { genesis } = createNetwork(NETWORK)
const noStep = async () => {}
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(endAll)

let manual: ManualNode

async function open(options: Parameters<typeof startManualNode>[0] = {}): Promise<void> {
  manual = await startManualNode({ ...CHAIN, ...options })
  const { node } = manual
  onTestFinished(() => node.stop())
}

function block(number: number) {
  return manual.node.view().block({ kind: 'number', number })!
}

function latest(): number {
  return manual.node.view().head.sealed.latest
}

async function sealUpTo(height: number): Promise<void> {
  while (latest() < height) await manual.nextBlock()
}

/** Unix milliseconds of a block, relative to block 0. */
function timeOf(number: number): number {
  const { block: found } = block(number)
  return Number(blockMilliseconds(found) ?? found.header.timestamp * 1_000n) - START_MS
}

function storedWord(slot: typeof BASE_TIME_SLOT): bigint {
  const view = manual.node.view()
  return view.storage(view.state(LATEST)!, BASE_TIME.address, slot)
}

describe('a chain that activates Denim', () => {
  test('changes from blocks of 2 s with flashblocks to blocks of 200 ms at the boundary', async () => {
    await open()
    const sealedAt: number[] = []
    const layers: number[] = []
    manual.node.events.on('sealed', () => sealedAt.push(manual.clock.wall() - START_MS))
    manual.node.events.on('flashblock', ({ layer }) => layers.push(layer.header.number))

    await sealUpTo(7)

    const times = [2_000, 4_000, 6_000, 8_000, 8_200, 8_400, 8_600]
    expect(sealedAt).toEqual(times)
    expect(times.map((_, index) => timeOf(index + 1))).toEqual(times)
    expect([3, 4, 5].map((number) => layers.filter((height) => height === number).length)).toEqual([11, 2, 2])
    expect([3, 4, 5].map((number) => block(number).block.transactions.length)).toEqual([1, 2, 2])
    expect(manual.node.counts.missedSlots).toBe(0)
  })

  test('divides the gas limit and multiplies the base fee denominator from the first Denim block on', async () => {
    await open()

    await sealUpTo(6)

    const parameters = [3, 4, 6].map((number) => {
      const { gasLimit, extraData, baseFeePerGas } = block(number).block.header
      return [gasLimit, decodeExtraData(extraData)?.denominator, baseFeePerGas]
    })
    expect(parameters).toEqual([
      [400_000_000n, 100, 5_000_000n],
      [40_000_000n, 1_000, 5_000_000n],
      [40_000_000n, 1_000, 5_000_000n],
    ])
  })

  test('installs BaseTime before the first transaction of the first Denim block', async () => {
    await open()
    await sealUpTo(FIRST - 1)
    expect(storedWord(IMPLEMENTATION_SLOT)).toBe(0n)

    await sealUpTo(FIRST)

    expect(storedWord(IMPLEMENTATION_SLOT)).toBe(BigInt(BASE_TIME.implementation))
    const view = manual.node.view()
    expect(view.account(view.state(LATEST)!, BASE_TIME.implementation)?.codeHash).toBe(keccakHash(BASE_TIME.code))
    expect(block(FIRST).receipts.map(({ outcome }) => outcome)).toEqual([{ status: 1 }, { status: 1 }])
    await sealUpTo(FIRST + 3)
    expect(storedWord(BASE_TIME_SLOT)).toBe(600n)
  })

  test('includes transactions of both sides once, those of the pause at the boundary in the first block', async () => {
    await open()
    const sent = [0n, 1n, 2n].map((nonce) => signTransfer({ nonce }))
    await manual.node.submit(sent[0]!.raw)
    await sealUpTo(FIRST - 1)
    await manual.node.submit(sent[1]!.raw)
    await sealUpTo(FIRST)
    await manual.node.submit(sent[2]!.raw)

    await sealUpTo(FIRST + 1)

    const heights = sent.map(({ hash }) => {
      const found = manual.node.view().transaction(hash)
      return found?.kind === 'included' ? found.block.block.header.number : undefined
    })
    expect(heights).toEqual([1, FIRST, FIRST + 1])
  })

  test('catches up over the boundary without skipping a block', async () => {
    await open()
    manual.clock.moveTo(manual.clock.monotonic() + 10_000)
    await manual.node.idle()
    const behind = manual.clock.monotonic()

    while (manual.clock.next !== undefined && manual.clock.next <= behind) await manual.nextFlashblock()

    expect(latest()).toBe(FIRST + 10)
    expect([1, 3, 4, 14].map(timeOf)).toEqual([2_000, 6_000, 8_000, 10_000])
  })

  test.each([2, FIRST - 1, FIRST])('continues the schedule after a restart at block %i', async (height) => {
    const directory = directories.next()
    await open({ directory })
    await sealUpTo(height)
    if (height === 2) for (let count = 0; count < 4; count++) await manual.nextFlashblock()
    const { clock } = manual
    await manual.node.stop()
    await open({ directory, clock })

    await sealUpTo(FIRST + 2)

    expect([1, 2, 3, 4, 5, 6].map(timeOf)).toEqual([2_000, 4_000, 6_000, 8_000, 8_200, 8_400])
  })

  test('refuses a data directory whose blocks have another activation', async () => {
    const directory = directories.next()
    await open({ directory })
    await sealUpTo(FIRST + 1)
    await manual.node.stop()

    await expect(open({ directory, network: { ...NETWORK, denimAfter: 100n } })).rejects.toMatchObject({
      code: 'OTHER_CHAIN',
      message: expect.stringContaining('--denim-after'),
    })
  })

  test('builds Denim blocks on request at the times of the schedule', async () => {
    await open({ development: { mining: AUTO } })

    for (let nonce = 0n; nonce < 6n; nonce++) await manual.node.submit(signTransfer({ nonce }).raw)

    expect([1, 2, 3, 4, 5, 6].map(timeOf)).toEqual([2_000, 4_000, 6_000, 8_000, 8_200, 8_400])
    expect(block(6).block.transactions).toHaveLength(3)
  })

  test('activates Denim again after an unwind below the boundary', async () => {
    await open({ finalityDepth: 64 })
    await sealUpTo(FIRST + 2)
    expect(await manual.node.setHead(FIRST - 2)).toEqual({ kind: 'unwound' })
    expect(storedWord(IMPLEMENTATION_SLOT)).toBe(0n)

    await sealUpTo(FIRST + 1)

    expect([3, 4, 5].map(timeOf)).toEqual([6_000, 8_000, 8_200])
    expect(storedWord(BASE_TIME_SLOT)).toBe(200n)
  })

  test('keeps a gas limit that was set for the blocks of each side', async () => {
    await open({ development: { mining: FLASHBLOCKS } })
    const { mining } = manual.node.development!
    await mining.setGasLimit(100_000_000n)
    await sealUpTo(FIRST)
    await mining.setGasLimit(30_000_000n)

    await sealUpTo(FIRST + 2)

    expect([1, FIRST, FIRST + 2].map((number) => block(number).block.header.gasLimit)).toEqual([
      100_000_000n,
      10_000_000n,
      30_000_000n,
    ])
  })
})

test('a node whose BaseTime cannot be installed builds blocks nevertheless', async () => {
  const alloc = new Map(genesis.alloc)
  alloc.delete(BASE_TIME.address)
  await open({ genesis: { ...genesis, alloc } })

  await sealUpTo(FIRST + 2)

  expect(manual.node.hasFailed).toBe(false)
  expect(timeOf(FIRST + 2)).toBe(8_400)
})

test('a replica follows over the activation', async () => {
  const { node, stream, send, nextBlock } = await start(CHAIN)
  await send(0n)
  const replica = await follow(stream.url, createNetwork(NETWORK))
  for (let count = 0; count < FIRST + 2; count++) await nextBlock()
  await expect.poll(() => replica.view().head.sealed.latest).toBe(FIRST + 2)
  await expectSame(replica, node)
  const later = await follow(stream.url, createNetwork(NETWORK))
  await expect.poll(() => later.view().head.sealed.latest).toBe(FIRST + 2)
  await expectSame(later, node)
})

describe('an exported chain with the activation', () => {
  async function exported(): Promise<{ readonly directory: string; readonly blocks: readonly Block[] }> {
    const directory = directories.next()
    await open({ directory })
    await manual.node.submit(signTransfer({ nonce: 0n }).raw)
    await sealUpTo(FIRST + 3)
    await manual.node.stop()
    const file = directories.next()
    await exportChain({ directory, genesis }, file, {}, noStep)
    return { directory, blocks: await blocksIn(file) }
  }

  async function* inTurn(list: readonly Block[]): AsyncGenerator<Block> {
    yield* list
  }

  function importInto(list: readonly Block[], into = genesis) {
    return importChain({ directory: directories.next(), genesis: into, history: 'all' }, inTurn(list), noStep)
  }

  test('is verified and imported again', async () => {
    const { directory, blocks } = await exported()

    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound', blocks: FIRST + 4 })
    expect(await importInto(blocks)).toMatchObject({ kind: 'imported', imported: FIRST + 3 })
  })

  test('is refused with a block before Denim that sets BaseTime', async () => {
    const { blocks } = await exported()
    const before = blocks[2]!
    const transactions = [...before.transactions, baseTimeTransaction(2n, 0)]
    const header = { ...before.header, transactionsRoot: orderedRoot(transactions.map(({ raw }) => raw)) }

    const forged = decodeBlock(encodeBlock({ ...before, header, transactions }))

    expect(await importInto([...blocks.slice(0, 2), forged])).toMatchObject({
      kind: 'refused',
      newest: 1,
      message: expect.stringContaining('protocol-authorized BaseTime setter at tx[1] before Denim'),
    })
  })

  test('is refused with a block before Denim that is not two seconds after its parent', async () => {
    const { blocks } = await exported()
    const header = { ...blocks[2]!.header, timestamp: blocks[2]!.header.timestamp + 1n }

    const forged = decodeBlock(encodeBlock({ ...blocks[2]!, header }))

    expect(await importInto([...blocks.slice(0, 2), forged])).toMatchObject({
      kind: 'refused',
      newest: 1,
      message: expect.stringContaining(`its timestamp is ${header.timestamp}`),
    })
  })

  test.each([
    ['the reserved proxy account', undefined],
    ['existing proxy code', { code: EMPTY_BYTES }],
    [
      'the canonical proxy admin, found 0x0000000000000000000000000000000000000007',
      { storage: new Map([[ADMIN_SLOT, 7n]]) },
    ],
  ])('is refused where BaseTime lacks %s', async (message, change) => {
    const network = { ...NETWORK, denimAfter: 1n }
    await open({ network })
    await sealUpTo(1)
    const { genesis: sound } = createNetwork(network)
    const alloc = new Map(sound.alloc)
    if (change === undefined) alloc.delete(BASE_TIME.address)
    else alloc.set(BASE_TIME.address, { ...alloc.get(BASE_TIME.address)!, ...change })
    const other = { ...sound, alloc }
    const block0 = buildGenesis(other).block
    const { block: first } = block(1)

    const forged = decodeBlock(encodeBlock({ ...first, header: { ...first.header, parentHash: block0.hash } }))

    expect(await importInto([block0, forged], other)).toMatchObject({
      kind: 'refused',
      newest: 0,
      message: expect.stringContaining(`BaseTime activation requires ${message}`),
    })
  })
})
