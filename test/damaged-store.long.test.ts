import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { decodeBlock, encodeBlock } from '../src/chain/block/block-codec.ts'
import { createNetwork } from '../src/chain/genesis/networks.ts'
import { exportChain } from '../src/node/tools/export-chain.ts'
import { type BlockSource, backupSource, repairChain } from '../src/node/tools/repair-chain.ts'
import { verifyChain } from '../src/node/tools/verify-chain.ts'
import { toQuantity } from '../src/primitives/quantity.ts'
import { watchCondition } from '../src/service/node-metrics.ts'
import type { DamagedPart } from '../src/storage/pages/check-pages.ts'
import { startManualNode } from './support/manual-node.ts'
import { startManualServer } from './support/manual-server.ts'
import { startRpcNode } from './support/rpc-node.ts'
import { damagePage, storedPages } from './support/stored-pages.ts'
import { signTransfer } from './support/transfers.ts'

/** Blocks of transfers; one with a large transaction follows. */
const BLOCKS = 60
const NEWEST = BLOCKS + 1
const SENDERS = 8
let sound: string

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), 'damaged-store-'))
  const { node, nextBlock } = await startManualNode({ directory: sound, replayBlocks: 4 })
  for (let nonce = 0n; nonce < BLOCKS; nonce++) {
    for (let from = 0; from < SENDERS; from++) await node.submit(signTransfer({ from, nonce }).raw)
    await nextBlock()
  }
  // Larger than a page: a value of its own pages.
  await node.submit(
    signTransfer({ nonce: BigInt(BLOCKS), data: new Uint8Array(20_000).fill(1), gasLimit: 1_000_000n }).raw,
  )
  await nextBlock()
  await node.stop()
})
afterAll(() => rmSync(sound, { recursive: true, force: true }))

function copyOfSound(): string {
  const directory = mkdtempSync(join(tmpdir(), 'damaged-store-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(sound, directory, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  return directory
}

/** A copy with one damaged page of a table, if possible not at the end of the table. */
function damagedCopy(table: string, kind: DamagedPart['kind']): { readonly directory: string; readonly block: number } {
  const directory = copyOfSound()
  const parts = storedPages(directory).filter((each) => each.table === table && each.kind === kind)
  const part = parts.find(({ to }) => to !== undefined) ?? parts[0]
  damagePage(directory, part!.pages[0]!)
  return { directory, block: part!.from === '' ? 0 : Number(BigInt(`0x${part!.from.slice(0, 16)}`)) }
}

const { genesis } = createNetwork()
const noStep = async () => {}

describe('a node whose damage concerns single blocks', () => {
  test.each(['bodies', 'receipts'] as const)('serves everything but them: %s', async (table) => {
    const { directory, block } = damagedCopy(table, 'leaf')
    const server = await startManualServer({}, { directory })
    onTestFinished(() => server.stop())
    const method = table === 'bodies' ? 'eth_getBlockByNumber' : 'eth_getBlockReceipts'
    const parameters = (number: number) => (table === 'bodies' ? [toQuantity(number), true] : [toQuantity(number)])

    const answers = []
    for (let number = 0; number <= NEWEST; number++) answers.push(await server.request(method, ...parameters(number)))

    expect(answers[block]).toMatchObject({ error: { code: -32007, data: { table } } })
    expect(answers.filter(({ error }) => error !== undefined).every(({ error }) => error!.code === -32007)).toBe(true)
    expect(answers.filter(({ result }) => result === null)).toEqual([])
    expect(answers.at(-1)).toMatchObject({ result: expect.anything() })
    expect(server.node.damage?.tables).toEqual(new Set([table]))
  })

  test('seals blocks, stores them and starts again', async () => {
    const { directory } = damagedCopy('bodies', 'leaf')
    const first = await startManualServer({}, { directory })
    await first.send({ from: 0, nonce: BigInt(NEWEST) })
    await first.nextBlock()
    await first.stop()

    const second = await startManualServer({}, { directory })
    onTestFinished(() => second.stop())

    const number = toQuantity(NEWEST + 1)
    expect(await second.request('eth_getBlockByNumber', number, false)).toMatchObject({ result: { number } })
  })

  test('reports its condition while the body of the newest block is damaged', async () => {
    const directory = copyOfSound()
    const newest = storedPages(directory).find(({ table, kind }) => table === 'bodies' && kind === 'value')
    damagePage(directory, newest!.pages[0]!)
    const server = await startManualServer({}, { directory })
    onTestFinished(() => server.stop())
    const clock = { wall: () => 0, monotonic: () => 0 }

    const condition = watchCondition(server.node, clock, { isStopping: () => false, source: undefined })

    expect(condition()).toMatchObject({ latest: NEWEST, damagedTables: ['bodies'] })
    const { error } = await server.request('eth_getBlockByNumber', toQuantity(NEWEST), true)
    expect(error?.code).toBe(-32007)
  })

  test('refuses to unwind blocks', async () => {
    const { directory } = damagedCopy('bodies', 'leaf')
    const { node } = await startManualNode({ directory })
    onTestFinished(() => node.stop())

    await expect(node.setHead(NEWEST - 2)).rejects.toMatchObject({ name: 'DamagedStoreError', table: 'bodies' })
    expect(node.hasFailed).toBe(false)
  })
})

describe('damage to anything else', () => {
  test.each([
    ['accounts', 'leaf'],
    ['trieNodes', 'leaf'],
    ['headers', 'leaf'],
    ['transactionPlaces', 'leaf'],
    ['transactionPlaces', 'inner page'],
  ] as const)('stops the start with an error that names the table: %s, %s', async (table, kind) => {
    const { directory } = damagedCopy(table, kind)

    await expect(startManualNode({ directory })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringMatching(new RegExp(`table ${table} .*tickertape verify.*restore a backup`)),
    })
  })

  test('an older copy of the records stops the start', async () => {
    const directory = copyOfSound()
    const { node, nextBlock } = await startManualNode({ directory, replayBlocks: 4 })
    await nextBlock()
    await nextBlock()
    await node.stop()
    cpSync(join(sound, 'records'), join(directory, 'records'), { recursive: true, force: true })

    await expect(startManualNode({ directory })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('records are missing or an older copy'),
    })
  })
})

describe('tools for stopped chains', () => {
  test('verify reports every damaged page with its table and keys', async () => {
    const { directory } = damagedCopy('accountHistory', 'leaf')
    const [part] = storedPages(sound).filter(({ table, to }) => table === 'bodies' && to !== undefined)
    damagePage(directory, part!.pages[0]!)

    const verification = await verifyChain({ directory, genesis }, noStep)

    expect(verification).toMatchObject({
      kind: 'damaged',
      damage: [
        { what: 'table accountHistory', where: expect.stringContaining('account 0x') },
        { what: 'table bodies', where: expect.stringContaining('block') },
      ],
    })
  })

  test('export of blocks before the damage succeeds, of damaged ones fails with the table', async () => {
    const { directory, block } = damagedCopy('bodies', 'leaf')
    const file = join(directory, 'blocks')

    await expect(exportChain({ directory, genesis }, file, {}, noStep)).rejects.toMatchObject({ code: 'DATA_DAMAGED' })
    if (block === 0) return
    await expect(exportChain({ directory, genesis }, file, { to: block - 1 }, noStep)).resolves.toMatchObject({
      kind: 'exported',
    })
  })
})

describe('repair', () => {
  async function repaired(directory: string, source?: BlockSource) {
    const outcome = await repairChain({ directory, genesis }, source, noStep)
    onTestFinished(() => rmSync(`${directory}.damaged`, { recursive: true, force: true }))
    return outcome
  }

  test('executes the own blocks when other tables are damaged', async () => {
    const { directory } = damagedCopy('accounts', 'leaf')

    expect(await repaired(directory)).toMatchObject({ kind: 'repaired', blocks: NEWEST + 1, fetched: 0 })
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound', blocks: NEWEST + 1 })
    const { node, nextBlock } = await startManualNode({ directory })
    onTestFinished(() => node.stop())
    await nextBlock()
    expect(node.view().head.sealed.latest).toBe(NEWEST + 1)
  })

  test('takes damaged blocks from a copy of the chain', async () => {
    const { directory } = damagedCopy('bodies', 'leaf')
    const source = await backupSource({ directory: copyOfSound(), genesis })
    onTestFinished(() => source.close())

    const outcome = await repaired(directory, source)

    expect(outcome).toMatchObject({ kind: 'repaired', parts: [{ table: 'bodies' }] })
    expect((outcome as { readonly fetched: number }).fetched).toBeGreaterThan(0)
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound' })
  })

  test('changes nothing without a source of the damaged blocks, or with one of other blocks', async () => {
    const { directory } = damagedCopy('bodies', 'leaf')
    const files = readdirSync(directory)
    const other: BlockSource = { name: 'other', block: async () => undefined, close: async () => {} }

    expect(await repaired(directory)).toMatchObject({ kind: 'failed', message: expect.stringContaining('--from') })
    expect(await repaired(directory, other)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('lacks it'),
    })
    expect(readdirSync(directory)).toEqual(files)
  })

  describe('of a chain with state changes before a block', () => {
    /** As `sound`, with two of them. @param damaged the table with a damaged page */
    async function damagedAltered(damaged: string): Promise<{ readonly directory: string; readonly copy: string }> {
      const directory = mkdtempSync(join(tmpdir(), 'damaged-store-'))
      const copy = mkdtempSync(join(tmpdir(), 'damaged-store-'))
      for (const each of [directory, copy]) onTestFinished(() => rmSync(each, { recursive: true, force: true }))
      const node = await startRpcNode(
        { development: true },
        { directory, replayBlocks: 1, development: { mining: { kind: 'flashblocks' } } },
      )
      for (const balance of ['0x1', '0x2']) {
        await node.nextBlock()
        await node.result('anvil_setBalance', `0x${'11'.repeat(20)}`, balance)
      }
      for (let number = 0; number < 4; number++) await node.nextBlock()
      await node.stop()
      cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') })
      damagePage(directory, storedPages(directory).find(({ table }) => table === damaged)!.pages[0]!)
      return { directory, copy }
    }

    /** The blocks of a running node, which has no preludes to give. */
    async function sourceOfBlocks(directory: string): Promise<BlockSource> {
      const source = await backupSource({ directory, genesis })
      onTestFinished(() => source.close())
      return { ...source, block: async (number) => decodeBlock(encodeBlock((await source.block(number))!)) }
    }

    test('keeps the changes when only blocks are damaged', async () => {
      const { directory, copy } = await damagedAltered('bodies')

      expect(await repaired(directory, await sourceOfBlocks(copy))).toMatchObject({ kind: 'repaired' })
      expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound' })
    })

    test('names a backup when the changes are damaged and the source is a node', async () => {
      const { directory, copy } = await damagedAltered('preludes')

      expect(await repaired(directory, await sourceOfBlocks(copy))).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(/changes before block 2 .* damaged here .* name a backup or a stopped data dir/),
      })
    })

    test('takes damaged changes from a backup', async () => {
      const { directory, copy } = await damagedAltered('preludes')
      const source = await backupSource({ directory: copy, genesis })
      onTestFinished(() => source.close())

      expect(await repaired(directory, source)).toMatchObject({ kind: 'repaired', parts: [{ table: 'preludes' }] })
      expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound' })
    })
  })

  test('leaves a sound directory alone', async () => {
    expect(await repaired(copyOfSound())).toEqual({ kind: 'sound' })
  })
})
