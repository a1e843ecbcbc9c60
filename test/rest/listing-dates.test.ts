import type { Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import { type ManualNode, startManualNode } from '../support/manual-node.ts'
import { endAll, endLater, follow, newDirectory, SHORT_WINDOW, start } from '../support/replica-scene.ts'
import { caughtUp, serveStream } from '../support/replicas.ts'
import { ADMIN, ALICE, ALWAYS_BLOCK, assetParams, encodeCall, idOf } from '../support/stock-chain.ts'
import { type ListedToken, type StockLists, stockLists } from '../support/stock-lists.ts'
import { signTransfer } from '../support/transfers.ts'

const MINT_ROLE = idOf('MINT_ROLE')
const GRANT = encodeCall('grantRole', [MINT_ROLE, ALICE])

afterEach(endAll)

/** A stock with the symbol NEWd on a node on a manual clock. */
class Scene {
  readonly manual: ManualNode
  readonly stocks: StockLists
  #nonce = 0n
  stock: Hex = STOCK_FACTORY_ADDRESS

  constructor(manual: ManualNode) {
    this.manual = manual
    this.stocks = stockLists(manual.node)
  }

  /** Sends a transaction of the admin without sealing it. */
  async send(to: Hex, data: Hex): Promise<void> {
    const transfer = {
      nonce: this.#nonce++,
      to: toAddress(to),
      value: 0n,
      data: hexToBytes(data),
      gasLimit: 3_000_000n,
    }
    expect(await this.manual.node.submit(signTransfer(transfer).raw)).toMatchObject({ kind: 'accepted' })
    await this.manual.nextFlashblock()
  }

  /** Creates the stock in the open block. */
  async create(...initCalls: readonly Hex[]): Promise<void> {
    const params = assetParams({ symbol: 'NEWd' })
    const salt = idOf('listing')
    await this.send(STOCK_FACTORY_ADDRESS, encodeCall('createB20', [0, salt, params, initCalls]))
    const { receipts } = this.manual.node.view().head.pending
    // The first event is B20Created.
    this.stock = toAddress(`0x${receipts.at(-1)!.logs[0]!.topics[1]!.slice(-40)}`)
  }

  /** Calls a function of the stock in the open block. */
  call(functionName: string, ...args: readonly unknown[]): Promise<void> {
    return this.send(this.stock, encodeCall(functionName, args))
  }

  seal(): Promise<void> {
    return this.manual.nextBlock()
  }

  async listed(block?: string): Promise<ListedToken | undefined> {
    return (await this.stocks.list(block)).find(({ symbol }) => symbol === 'NEWd')
  }

  async listedAt(block?: string): Promise<number | null | undefined> {
    return (await this.listed(block))?.listed_at_block
  }

  /** The members of a record whose token was listed in this block. */
  dateOf(number: number): Pick<ListedToken, 'listed_at' | 'listed_at_block' | 'listed_at_block_hash'> {
    const block = this.manual.node.view().block({ kind: 'number', number })!.block
    const time = new Date(Number(block.header.timestamp) * 1_000).toISOString().replace('.000', '')
    return { listed_at_block: number, listed_at_block_hash: block.hash, listed_at: time }
  }

  /** An own nonce after blocks were unwound. */
  rewind(nonce: bigint): void {
    this.#nonce = nonce
  }
}

let scene: Scene
beforeEach(async () => {
  const manual = await startManualNode()
  endLater(() => manual.node.stop())
  scene = new Scene(manual)
})

describe('a stock', () => {
  test('is listed from the block in which an account gets MINT_ROLE, first in the open block', async () => {
    await scene.create()
    await scene.seal()
    expect(await scene.listed()).toBeUndefined()

    await scene.call('grantRole', MINT_ROLE, ALICE)

    expect(await scene.listedAt('pending')).toBe(2)
    expect(await scene.listed()).toBeUndefined()
    await scene.seal()
    await scene.seal()
    expect(await scene.listed()).toMatchObject(scene.dateOf(2))
    expect(await scene.listed('0x2')).toMatchObject(scene.dateOf(2))
    expect(await scene.listed('0x1')).toBeUndefined()
  })

  test('of block 0 is listed from block 0', async () => {
    await scene.seal()

    const tokens = await scene.stocks.list()

    expect(tokens).toHaveLength(6)
    for (const token of tokens) expect(token).toMatchObject(scene.dateOf(0))
  })

  test.each<[string, Hex, string, readonly unknown[]]>([
    ['minting is paused', encodeCall('pause', [[0, 1]]), 'unpause', [[1]]],
    ['the supply cap is 0', encodeCall('updateSupplyCap', [0n]), 'updateSupplyCap', [5n]],
    [
      'no account may receive new units',
      encodeCall('updatePolicy', [idOf('MINT_RECEIVER_POLICY'), ALWAYS_BLOCK]),
      'updatePolicy',
      [idOf('MINT_RECEIVER_POLICY'), 0n],
    ],
  ])('is not listed while %s', async (_, hindrance, remedy, args) => {
    const rights = ['UNPAUSE_ROLE', 'PAUSE_ROLE'].map((role) => encodeCall('grantRole', [idOf(role), ADMIN]))
    await scene.create(GRANT, ...rights, hindrance)
    await scene.seal()
    expect(await scene.listed()).toBeUndefined()

    await scene.call(remedy, ...args)
    await scene.seal()

    expect(await scene.listedAt()).toBe(2)
  })

  test('stays listed when it stops being mintable', async () => {
    await scene.create(GRANT)
    await scene.seal()

    await scene.call('revokeRole', MINT_ROLE, ALICE)
    await scene.seal()

    expect(await scene.listedAt()).toBe(1)
    expect(await stockLists(scene.manual.node).list()).toEqual(await scene.stocks.list())
  })

  test('is not listed by a role that its creation grants and revokes', async () => {
    await scene.create(GRANT, encodeCall('revokeRole', [MINT_ROLE, ALICE]))
    await scene.seal()

    expect(await scene.listed()).toBeUndefined()
  })

  test('is listed by units that its creation mints, also when a minter comes later', async () => {
    await scene.create(encodeCall('mint', [ADMIN, 10n]))
    await scene.seal()
    expect(await scene.listedAt()).toBe(1)

    await scene.call('grantRole', MINT_ROLE, ALICE)
    await scene.seal()

    expect(await scene.listedAt()).toBe(1)
    expect(await stockLists(scene.manual.node).list()).toEqual(await scene.stocks.list())
  })

  test('has a record by its address, without a date, before it is listed', async () => {
    await scene.create()
    await scene.seal()

    expect(await scene.stocks.one(scene.stock)).toMatchObject({
      symbol: 'NEWd',
      listed_at_block: null,
      listed_at_block_hash: null,
      listed_at: null,
    })
  })
})

describe('a listing', () => {
  test('of a stock of block 0 is that of the leader on a replica that began with a snapshot', async () => {
    const { node, nextBlock, stream, send } = await start(SHORT_WINDOW)
    for (let nonce = 0n; nonce < 6n; nonce++) {
      await send(nonce)
      await nextBlock()
    }
    const replica = await follow(stream.url, { replayBlocks: 1 })
    await caughtUp(replica, node)

    expect(replica.following).toMatchObject({ snapshots: 1 })
    expect(await stockLists(replica).list()).toEqual(await stockLists(node).list())
    expect((await stockLists(replica).list())[0]).toMatchObject({ listed_at_block: 0 })
  })

  test('of a stock of block 0 stays after a restart of a node that has pruned the state of block 0', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory, history: 1 })
    for (let count = 0; count < 4; count++) await first.nextBlock()
    await first.node.idle()
    const expected = await stockLists(first.node).list()
    await first.node.stop()

    const second = await startManualNode({ directory, history: 1 })
    endLater(() => second.node.stop())

    expect(() => second.node.view().state({ kind: 'number', number: 0 })).toThrow(/state/)
    const latest = toQuantity(second.node.view().head.sealed.latest)
    expect(await stockLists(second.node).list(latest)).toEqual(expected)
    for (const token of expected) expect(token).toMatchObject({ listed_at_block: 0 })
  })

  test('is taken back with its block, and made again in another one', async () => {
    await scene.create()
    await scene.seal()
    await scene.call('grantRole', MINT_ROLE, ALICE)
    await scene.seal()
    const before = await scene.listed()
    await scene.manual.node.idle()

    expect(await scene.manual.node.setHead(1)).toEqual({ kind: 'unwound' })
    scene.rewind(1n)

    expect(await scene.listed()).toBeUndefined()
    await scene.seal()
    await scene.call('grantRole', MINT_ROLE, ADMIN)
    await scene.seal()
    expect(before).toMatchObject({ listed_at_block: 2 })
    expect(await scene.listed()).toMatchObject(scene.dateOf(3))
  })

  test('is that of the leader on a replica and after a restart from disk', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory })
    const here = new Scene(first)
    await here.create()
    await here.seal()
    await here.call('grantRole', MINT_ROLE, ALICE)
    await here.seal()
    const expected = await here.stocks.list()
    const stream = await serveStream(first.node)
    endLater(() => stream.close())
    const replica = await follow(stream.url)
    while (replica.view().head.sealed.latest < 2) await new Promise((resolve) => setTimeout(resolve, 10))

    expect(await stockLists(replica).list()).toEqual(expected)
    await replica.stop()
    await first.node.stop()
    const second = await startManualNode({ directory })
    endLater(() => second.node.stop())
    expect(await stockLists(second.node).list(toQuantity(2))).toEqual(expected)
    expect(expected.find(({ symbol }) => symbol === 'NEWd')).toMatchObject({ listed_at_block: 2 })
  })
})
