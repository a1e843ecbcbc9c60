import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, ChainDirectories, runChain, send } from '../../../test/support/chain-directory.ts'
import { conformanceJson, conformancePath, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { pendingAt, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Block } from '../../chain/block/block.ts'
import { decodeBlock, encodeBlock } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { parseGenesis } from '../../chain/genesis/genesis-codec.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { readBlockFile } from './block-file.ts'
import { exportChain } from './export-chain.ts'
import { type ImportOutcome, importChain } from './import-chain.ts'
import type { Step } from './long-work.ts'
import { verifyChain } from './verify-chain.ts'

const { genesis } = createNetwork()
const noStep: Step = async () => {}
const directories = new ChainDirectories()
let original: string
let blocks: readonly Block[]

beforeAll(async () => {
  original = directories.next()
  await runChain(original)
  const file = directories.next()
  await exportChain({ directory: original, genesis }, file, {}, noStep)
  blocks = await blocksIn(file)
})

afterAll(() => directories.remove())

async function* inTurn(list: readonly Block[]): AsyncGenerator<Block> {
  yield* list
}

function importInto(directory: string, list: readonly Block[] = blocks, step = noStep): Promise<ImportOutcome> {
  return importChain({ directory, genesis, history: 'all' }, inTurn(list), step)
}

/** The block as a file would have it after somebody changed it. */
function forged(block: Block, change: Partial<Header>, content: Partial<Block> = {}): Block {
  return decodeBlock(encodeBlock({ ...block, ...content, header: { ...block.header, ...change } }))
}

describe('exported chains', () => {
  test.each(['chain.rlp', 'chain.rlp.gz'])('can be imported from %s without a difference', async (name) => {
    const file = `${directories.next()}-${name}`
    const exported = await exportChain({ directory: original, genesis }, file, {}, noStep)
    expect(exported).toEqual({ kind: 'exported', from: 0, to: 6, blocks: 7 })
    const directory = directories.next()
    const outcome = await importChain({ directory, genesis, history: 'all' }, readBlockFile(file), noStep)
    expect(outcome).toEqual({ kind: 'imported', imported: 6, cached: 1, newest: 6 })
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({
      kind: 'sound',
      blocks: 7,
      transactions: 18,
    })
  })

  test('can be imported in parts that overlap, but not with a gap', async () => {
    const directory = directories.next()
    const part = async (from: number, to: number) => {
      const file = directories.next()
      await exportChain({ directory: original, genesis }, file, { from, to }, noStep)
      return importChain({ directory, genesis, history: 'all' }, readBlockFile(file), noStep)
    }
    expect(await part(1, 2)).toMatchObject({ imported: 2, cached: 0, newest: 2 })
    expect(await part(4, 6)).toMatchObject({ kind: 'refused', code: 'BLOCKS_MISSING', imported: 0, newest: 2 })
    expect(await part(1, 4)).toMatchObject({ imported: 2, cached: 2, newest: 4 })
    expect(await part(5, 6)).toMatchObject({ imported: 2, cached: 0, newest: 6 })
  })

  test('can be imported again after an interruption', async () => {
    const directory = directories.next()
    const ended = importInto(directory, blocks, async ({ at }) => {
      if (at === 3) throw new Error('ended')
    })
    await expect(ended).rejects.toThrow('ended')
    expect(await importInto(directory)).toEqual({ kind: 'imported', imported: 3, cached: 4, newest: 6 })
  })

  test('an export beyond the newest block is refused', async () => {
    const outcome = await exportChain({ directory: original, genesis }, directories.next(), { from: 3, to: 7 }, noStep)
    expect(outcome).toEqual({ kind: 'refused', code: 'NO_SUCH_BLOCKS', newest: 6 })
  })

  test('can be imported into a directory that keeps less history', async () => {
    const directory = directories.next()
    await importChain({ directory, genesis, history: 2 }, inTurn(blocks), noStep)
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound', blocks: 7 })
  })
})

describe('a node started after an import', () => {
  test('continues after the imported blocks', async () => {
    const directory = directories.next()
    await importInto(directory)
    const manual = await startManualNode({ directory })
    expect(manual.node.view().head.sealed.latest).toBe(6)
    await send(manual, { from: 8, nonce: 0n })
    await manual.nextBlock()
    expect(manual.node.view().head.sealed.latest).toBe(7)
    await manual.node.stop()
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({
      kind: 'sound',
      blocks: 8,
      transactions: 19,
    })
  })

  test('continues after the imported blocks and keeps its pooled transactions', async () => {
    const directory = directories.next()
    await importInto(directory, blocks.slice(0, 3))
    const first = await startManualNode({ directory })
    const { hash, raw } = signTransfer({ from: 8, nonce: 0n })
    await first.node.submit(raw)
    await first.node.stop()
    expect(await importInto(directory)).toEqual({ kind: 'imported', imported: 4, cached: 3, newest: 6 })
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({ kind: 'sound', blocks: 7 })
    const second = await startManualNode({ directory })
    expect(second.node.view().head.sealed.latest).toBe(6)
    expect(pendingAt(second.node).map((transaction) => transaction.hash)).toEqual([hash])
    await second.nextBlock()
    await second.node.stop()
    expect(await verifyChain({ directory, genesis }, noStep)).toMatchObject({
      kind: 'sound',
      blocks: 8,
      transactions: 19,
    })
  })
})

describe('an import refuses', () => {
  test('blocks of another chain with the same genesis', async () => {
    const directory = directories.next()
    const manual = await startManualNode({ directory })
    await manual.nextBlock()
    await manual.node.stop()
    expect(await importInto(directory)).toMatchObject({ kind: 'refused', code: 'OTHER_CHAIN', imported: 0 })
    expect(await importInto(directory, blocks.slice(2))).toMatchObject({ kind: 'refused', code: 'OTHER_CHAIN' })
  })

  test('blocks of another genesis', async () => {
    const other = createNetwork({ gasLimit: 30_000_000n }).genesis
    const options = { directory: directories.next(), genesis: other, history: 'all' as const }
    const outcome = await importChain(options, inTurn(blocks), noStep)
    expect(outcome).toMatchObject({ kind: 'refused', code: 'OTHER_CHAIN', message: expect.stringContaining('block 0') })
  })

  test('to replace an open block with pre-confirmed transactions', async () => {
    const directory = directories.next()
    await importInto(directory, blocks.slice(0, 3))
    const manual = await startManualNode({ directory })
    await send(manual, { from: 8, nonce: 0n })
    await manual.node.stop()
    expect(await importInto(directory)).toMatchObject({ kind: 'refused', code: 'OPEN_BLOCK', imported: 0, newest: 2 })
  })

  test('a block that contradicts its header, and keeps the blocks before it', async () => {
    const directory = directories.next()
    const wrong = forged(blocks[3]!, { gasUsed: blocks[3]!.header.gasUsed + 1 })
    const outcome = await importInto(directory, [...blocks.slice(0, 3), wrong, ...blocks.slice(4)])
    expect(outcome).toEqual({
      kind: 'refused',
      code: 'INVALID_BLOCK',
      message: `block 3: its gasUsed is ${wrong.header.gasUsed}, executing gives ${wrong.header.gasUsed - 1}`,
      imported: 2,
      newest: 2,
    })
    expect(await importInto(directory)).toMatchObject({ kind: 'imported', newest: 6 })
  })
})

const LAYER_1 = 'execution-apis/chain.rlp'
test.skipIf(!hasConformanceData(LAYER_1, 'the chain of execution-apis'))(
  'a layer-1 chain from proof of work to Osaka can be imported and verified',
  async () => {
    const location = {
      directory: directories.next(),
      genesis: parseGenesis(conformanceJson('execution-apis/genesis.json')),
    }
    const outcome = await importChain({ ...location, history: 'all' }, readBlockFile(conformancePath(LAYER_1)), noStep)
    expect(outcome).toEqual({ kind: 'imported', imported: 54, cached: 0, newest: 54 })
    expect(await verifyChain(location, noStep)).toMatchObject({ kind: 'sound', blocks: 55 })
  },
)
