import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { blockSize } from '../src/chain/block/block-codec.ts'
import { GAS_PER_BLOB } from '../src/chain/constants.ts'
import { encodeSentTransaction } from '../src/chain/transaction/blob-sidecar.ts'
import { importBlock } from '../src/engine/block/import-block.ts'
import { createEngine } from '../src/engine/session/create-engine.ts'
import { buildGenesis } from '../src/node/core/genesis-chain.ts'
import { bytesToHex, EMPTY_BYTES, ZERO_HASH } from '../src/primitives/hex.ts'
import { mergeDiffs } from '../src/state/diff.ts'
import { layerReader } from '../src/state/layered-reader.ts'
import type { StateReader } from '../src/state/state-reader.ts'
import { constantSidecar, signBlobTransfer } from './support/blob-transactions.ts'
import { layer1Genesis } from './support/layer1-genesis.ts'
import { type ManualNode, startManualNode } from './support/manual-node.ts'
import { signTransfer } from './support/transfers.ts'

const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}
const genesis = layer1Genesis()

let nodes: ManualNode[] = []
let directories: string[] = []
afterEach(async () => {
  for (const { node } of nodes) await node.stop()
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  nodes = []
  directories = []
})

async function start(options: Parameters<typeof startManualNode>[0] = {}): Promise<ManualNode> {
  const manual = await startManualNode({ genesis, ...options })
  nodes.push(manual)
  return manual
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-layer1-'))
  directories.push(directory)
  return directory
}

test('blocks built by the node equal the result of importing them, blobs included', async () => {
  const { node, nextBlock } = await start()
  const blob = signBlobTransfer({ sidecar: constantSidecar([5n, 6n]) })
  const results = [await node.submit(blob.sent), await node.submit(signTransfer({ from: 1, nonce: 0n }).raw)]
  expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted'])
  await nextBlock()
  await nextBlock()
  const blocks = [1, 2].map((number) => node.view().block({ kind: 'number', number })!.block)
  expect(blocks[0]).toMatchObject({ header: { blobGasUsed: 2 * GAS_PER_BLOB }, withdrawals: [] })
  expect(blocks[0]!.transactions.map(({ type }) => type).sort()).toEqual([2, 3])
  // Blocks do not contain blobs.
  for (const transaction of blocks[0]!.transactions) expect(transaction).not.toHaveProperty('sidecar')
  expect(blocks[0]!.size).toBe(blockSize(blocks[0]!))
  expect(blocks[0]!.size).toBeLessThan(2_000)

  const engine = createEngine({ config: genesis.config })
  const built = buildGenesis(genesis)
  let parent = { block: built.block, state: layerReader(NOTHING, [{ diff: built.diff }], new Map()), trie: built.trie }
  let { diff } = built
  for (const block of blocks) {
    const imported = await importBlock(block, parent, engine)
    if (imported.kind === 'failed') throw new Error(JSON.stringify(imported.failure))
    diff = mergeDiffs([diff, imported.diff])
    parent = { block, state: layerReader(NOTHING, [{ diff }], new Map()), trie: imported.trie }
  }
})

test('a stalled chain accepts transactions and builds no block', async () => {
  const { node, clock } = await start({ sequencing: false })
  const { transaction, sent } = signBlobTransfer()
  expect((await node.submit(sent)).kind).toBe('accepted')
  expect(clock.next).toBeUndefined()
  const view = node.view()
  expect(view.head.sealed).toEqual({ latest: 0, safe: 0, finalized: 0 })
  expect(view.head.pending.block.transactions).toEqual([])
  expect(view.transaction(transaction.hash)?.kind).toBe('pooled')
  expect(view.pendingNonce(transaction.from)).toBe(1n)
})

test('an acknowledged blob transaction survives a restart with its blobs', async () => {
  const directory = newDirectory()
  const first = await start({ directory, sequencing: false })
  const { transaction, sent } = signBlobTransfer()
  await first.node.submit(sent)
  await first.node.stop()
  nodes = []
  const { node, nextBlock } = await start({ directory })
  const restored = node.view().pool.get(transaction.hash)!.transaction
  expect(bytesToHex(encodeSentTransaction(restored))).toBe(bytesToHex(sent))
  await nextBlock()
  expect(node.view().transaction(transaction.hash)?.kind).toBe('included')
})

test.each<[string, Parameters<typeof signBlobTransfer>[0], string]>([
  ['a proof that does not hold', { sidecar: { ...constantSidecar([5n]), blobs: constantSidecar([6n]).blobs } }, 'KZG'],
  ['a proof per blob, which Osaka knows no more', { sidecar: constantSidecar([5n], 0) }, 'sidecar version 0'],
  ['a lacking proof', { sidecar: { ...constantSidecar([5n]), proofs: [] } }, 'invalid number of 0 blob proofs'],
  ['too many blobs', { sidecar: constantSidecar([1n, 2n, 3n, 4n, 5n, 6n, 7n]) }, 'too many blobs'],
  ['no blob fee', { maxFeePerBlobGas: 0n }, 'blob fee cap 0'],
])('blobs with %s are refused', async (_, options, reason) => {
  const { node } = await start({ sequencing: false })
  const result = await node.submit(signBlobTransfer(options).sent)
  expect(result).toMatchObject({ refusal: { code: 'INVALID_BLOBS', reason: expect.stringContaining(reason) } })
  expect(node.view().pool.size).toBe(0)
})

test('rejects a blob transaction without its blobs', async () => {
  const { node } = await start({ sequencing: false })
  const result = await node.submit(signBlobTransfer().transaction.raw)
  expect(result).toMatchObject({ refusal: { code: 'INVALID_BLOBS', reason: 'missing sidecar in blob transaction' } })
})

test('replacing a blob transaction takes twice the fees, including the blob fee', async () => {
  const { node } = await start({ sequencing: false })
  const fees = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 2_000_000n }
  await node.submit(signBlobTransfer().sent)
  const cheap = await node.submit(signBlobTransfer(fees).sent)
  expect(cheap).toMatchObject({ refusal: { code: 'REPLACEMENT_UNDERPRICED' } })
  expect((await node.submit(signBlobTransfer({ ...fees, maxFeePerBlobGas: 20n }).sent)).kind).toBe('accepted')
})
