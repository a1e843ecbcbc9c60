import { afterEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import type { ServedNode } from '../../src/node/roles/node-handle.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { HOLDERS_KEY } from '../../src/state/chain-store/encoding/keys.ts'
import { CHAIN_TABLES, type TableName } from '../../src/state/chain-store/encoding/tables.ts'
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../src/storage/write-batch.ts'
import { type ManualNode, startManualNode } from '../support/manual-node.ts'
import { endAll, endLater, follow, newDirectory, SHORT_WINDOW, start } from '../support/replica-scene.ts'
import { caughtUp } from '../support/replicas.ts'
import { encodeCall } from '../support/stock-chain.ts'
import { stockLists } from '../support/stock-lists.ts'
import { signTransfer } from '../support/transfers.ts'

const STOCK = DEMO_STOCKS[0]!
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const [ALICE, BOB] = [toAddress(`0x${'a1'.repeat(20)}`), toAddress(`0x${'b0'.repeat(20)}`)]
const ONE = 10n ** BigInt(STOCK.decimals)

afterEach(endAll)

/** Transfers of the owner, who has all units at the start. */
function sender(manual: Pick<ManualNode, 'node'>) {
  let nonce = 0n
  return {
    rewind: (to: bigint) => {
      nonce = to
    },
    async give(to: string, units: bigint): Promise<void> {
      const data = hexToBytes(encodeCall('transfer', [to, units * ONE]))
      const transfer = { nonce: nonce++, to: toAddress(STOCK.address), value: 0n, data, gasLimit: 200_000n }
      expect(await manual.node.submit(signTransfer(transfer).raw)).toMatchObject({ kind: 'accepted' })
    },
  }
}

interface HoldersPage {
  readonly holders: readonly { readonly address: string; readonly balance: number; readonly share_of_supply: number }[]
  readonly next_page_token?: string
}

async function read(node: ServedNode, query = ''): Promise<HoldersPage> {
  return (await stockLists(node).get(`/HLCYNd/holders${query}`)) as HoldersPage
}

/** Balances in tokens by account. */
async function balances(node: ServedNode, query = ''): Promise<Readonly<Record<string, number>>> {
  const { holders } = await read(node, query)
  return Object.fromEntries(holders.map(({ address, balance }) => [address, balance]))
}

describe('the holders of a stock', () => {
  test('are those of block 0 and every recipient that has units, at any block and at pending', async () => {
    const manual = await startManualNode()
    endLater(() => manual.node.stop())
    const { give } = sender(manual)
    expect(await read(manual.node)).toMatchObject({
      holders: [{ address: OWNER, balance: 1_000_000, balance_exact: '1000000', share_of_supply: 1 }],
    })
    await give(ALICE, 250_000n)
    await manual.nextBlock()
    await give(BOB, 1n)
    await manual.nextFlashblock()

    expect(await balances(manual.node, '?block=pending')).toEqual({ [ALICE]: 250_000, [BOB]: 1, [OWNER]: 749_999 })
    expect(await balances(manual.node)).toEqual({ [ALICE]: 250_000, [OWNER]: 750_000 })
    expect((await read(manual.node)).holders[0]!.share_of_supply).toBe(0.25)
    await manual.nextBlock()
    await manual.node.idle()
    expect(await balances(manual.node)).toEqual({ [ALICE]: 250_000, [BOB]: 1, [OWNER]: 749_999 })
    expect(await balances(manual.node, '?block=1')).toEqual({ [ALICE]: 250_000, [OWNER]: 750_000 })
    expect(await balances(manual.node, '?block=0')).toEqual({ [OWNER]: 1_000_000 })
  })

  test('come in pages that stay at the block of the first one', async () => {
    const manual = await startManualNode()
    endLater(() => manual.node.stop())
    const { give } = sender(manual)
    const accounts = Array.from({ length: 12 }, (_, index) => toAddress(`0x${(index + 17).toString(16).repeat(20)}`))
    for (const account of accounts) await give(account, 1n)
    await manual.nextBlock()
    const whole = await balances(manual.node)
    expect(Object.keys(whole)).toHaveLength(13)

    const paged: string[] = []
    let page = await read(manual.node, '?page_size=5')
    await give(ALICE, 1n)
    await manual.nextBlock()
    for (;;) {
      paged.push(...page.holders.map(({ address }) => address))
      if (page.next_page_token === undefined) break
      page = await read(manual.node, `?page_size=5&page_token=${page.next_page_token}`)
    }

    expect(paged).toEqual(Object.keys(whole))
  })

  test('stay the same after a restart, and lose those of unwound blocks', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory })
    const before = sender(first)
    await before.give(ALICE, 1n)
    await first.nextBlock()
    await before.give(BOB, 2n)
    await first.nextBlock()
    await first.node.idle()
    await first.node.stop()

    const second = await startManualNode({ directory })
    endLater(() => second.node.stop())

    expect(await balances(second.node)).toEqual({ [ALICE]: 1, [BOB]: 2, [OWNER]: 999_997 })
    expect(await second.node.setHead(1)).toEqual({ kind: 'unwound' })
    expect(await balances(second.node)).toEqual({ [ALICE]: 1, [OWNER]: 999_999 })
  })

  test('are found on a replica that began with a snapshot, without the earlier transfers', async () => {
    const scene = await start(SHORT_WINDOW)
    const { give } = sender(scene)
    await give(ALICE, 1n)
    // Copies have the 256 newest blocks.
    for (let count = 0; count < 262; count++) await scene.nextBlock()
    await scene.node.idle()
    const replica = await follow(scene.stream.url, { replayBlocks: 1 })
    await caughtUp(replica, scene.node)
    expect(replica.following).toMatchObject({ snapshots: 1 })
    expect(replica.view().oldest().block).toBeGreaterThan(1)

    await give(BOB, 2n)
    await scene.nextBlock()
    await caughtUp(replica, scene.node)

    expect(await balances(replica)).toEqual({ [ALICE]: 1, [BOB]: 2, [OWNER]: 999_997 })
    expect(await read(replica)).toEqual(await read(scene.node))
  })

  test('are found in a directory that an older version has written without the index', async () => {
    const directory = await newDirectory()
    const first = await startManualNode({ directory })
    const before = sender(first)
    await before.give(ALICE, 1n)
    await first.nextBlock()
    await first.node.idle()
    await first.node.stop()
    await removeIndex(directory)

    const second = await startManualNode({ directory })
    endLater(() => second.node.stop())
    const after = sender(second)
    after.rewind(1n)
    await after.give(BOB, 2n)
    await second.nextBlock()
    await second.node.idle()

    expect(await balances(second.node)).toEqual({ [ALICE]: 1, [BOB]: 2, [OWNER]: 999_997 })
  })
})

async function removeIndex(directory: string): Promise<void> {
  const store = openLmdbStore<TableName>({ path: directory, ...CHAIN_TABLES })
  const batch = new WriteBatch<TableName>()
  const snapshot = store.snapshot()
  for (const { key } of snapshot.range('logPostings', { from: HOLDERS_KEY, to: Uint8Array.of(6) })) {
    batch.delete('logPostings', key)
  }
  snapshot.release()
  await store.commit(batch)
  await store.close()
}
