import { beforeAll, describe, expect, test } from 'vitest'
import { COUNTER_RUNTIME, FIVE_LOGS_INIT, initCode } from '../../../test/support/contracts.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Block } from '../../chain/block/block.ts'
import { decodeBlock, encodeBlock } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import { nextBaseFee } from '../../chain/fees/base-fee.ts'
import { genesisHeader } from '../../chain/genesis/genesis.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { EMPTY_BYTES, toHash, ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { genesisDiff } from '../../state/genesis-state.ts'
import { layerReader } from '../../state/layered-reader.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { createStateTrie } from '../../state/trie/state-trie.ts'
import { createEngine } from '../session/create-engine.ts'
import { BlockBuilder, type BuiltFlashblock } from './build-block.ts'
import {
  type BlockImport,
  type ImportFailure,
  type ImportParent,
  importBlock,
  importFailureMessage,
} from './import-block.ts'

const { genesis } = createNetwork({ daFootprintGasScalar: 7 })
const engine = createEngine({ config: genesis.config })
const NOTHING = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}
const OTHER_HASH = toHash(`0x${'ab'.repeat(32)}`)
const GAS = 300_000n

let parent: ImportParent
let built: BuiltFlashblock

beforeAll(async () => {
  const diff = genesisDiff(genesis.alloc)
  const trie = createStateTrie().apply(diff)
  const header = genesisHeader(genesis, trie.root, trie.storageRoot(MESSAGE_PASSER_ADDRESS))
  const hash = hashHeader(header)
  parent = { block: { header, hash }, state: layerReader(NOTHING, [{ diff }], new Map([[0, hash]])), trie }
  const attributes = {
    parentHash: hash,
    number: 1,
    timestamp: header.timestamp + 2n,
    gasLimit: header.gasLimit,
    baseFeePerGas: nextBaseFee(header, genesis.config),
    miner: header.miner,
    mixHash: OTHER_HASH,
    extraData: header.extraData,
    parentBeaconBlockRoot: ZERO_HASH,
    excessBlobGas: 0n,
    withdrawals: [],
  }
  const builder = await BlockBuilder.open(attributes, { engine, ...parent })
  const add = (options: Parameters<typeof signTransfer>[0]) => builder.add(signTransfer(options), header.gasLimit)
  await add({ nonce: 0n, to: null, value: 0n, data: initCode(COUNTER_RUNTIME), gasLimit: GAS })
  builder.flashblock()
  await add({ from: 1, nonce: 0n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: GAS })
  await add({ from: 1, nonce: 1n, to: null, data: new Uint8Array([0xfe]), gasLimit: GAS })
  await add({ nonce: 1n })
  built = builder.flashblock()
  builder.close()
})

/** A decoded block after a modification. */
function withChanges(change: Partial<Header> = {}, content: Partial<Block> = {}): Block {
  return decodeBlock(encodeBlock({ ...built.block, ...content, header: { ...built.block.header, ...change } }))
}

async function failureOf(block: Block): Promise<ImportFailure> {
  const result: BlockImport = await importBlock(block, parent, engine)
  if (result.kind === 'imported') throw new Error('it was imported')
  return result.failure
}

test('importing a block at once has the same result as building it in flashblocks', async () => {
  const result = await importBlock(withChanges(), parent, engine)
  if (result.kind === 'failed') throw new Error(importFailureMessage(result.failure))
  expect(built.block.transactions).toHaveLength(4)
  expect(result.receipts).toEqual(built.receipts)
  expect(result.trie.root).toBe(built.block.header.stateRoot)
  expect(built.block.header.blobGasUsed).toBeGreaterThan(0)
})

test('importing does not change the parent and its state', async () => {
  const { root } = parent.trie
  await importBlock(withChanges(), parent, engine)
  expect(parent.trie.root).toBe(root)
  expect(await importBlock(withChanges(), parent, engine)).toMatchObject({ kind: 'imported' })
})

describe('reports the first difference', () => {
  test.each([
    ['number', { number: 2 }],
    ['parentHash', { parentHash: OTHER_HASH }],
    ['timestamp', { timestamp: genesis.header.timestamp }],
    ['gasLimit', { gasLimit: 4_999n }],
    ['gasUsed', { gasUsed: Number(genesis.header.gasLimit) + 1 }],
    ['extraData', { extraData: EMPTY_BYTES }],
    ['difficulty', { difficulty: 1n }],
    ['nonce', { nonce: new Uint8Array(8).fill(1) }],
    ['sha3Uncles', { sha3Uncles: OTHER_HASH }],
    ['baseFeePerGas', { baseFeePerGas: 1n }],
    ['excessBlobGas', { excessBlobGas: 1n }],
    ['blobGasUsed', { blobGasUsed: Number(genesis.header.gasLimit) + 1 }],
    ['requestsHash', { requestsHash: OTHER_HASH }],
  ] as const)('in the header: %s', async (member, change) => {
    expect(await failureOf(withChanges(change))).toMatchObject({ code: 'INVALID_HEADER', member })
  })

  test('of a header of an older fork', async () => {
    const { requestsHash: _, ...header } = built.block.header
    const block = decodeBlock(encodeBlock({ ...built.block, header }))
    expect(await failureOf(block)).toEqual({
      code: 'INVALID_HEADER',
      member: 'requestsHash',
      expected: 'to be there',
      got: 'nothing',
    })
  })

  test('in the body', async () => {
    const { transactions } = built.block
    expect(await failureOf(withChanges({}, { transactions: transactions.slice(1) }))).toMatchObject({
      code: 'INVALID_BODY',
      member: 'transactionsRoot',
    })
    expect(await failureOf(withChanges({}, { uncles: [parent.block.header] }))).toMatchObject({
      code: 'INVALID_BODY',
      member: 'sha3Uncles',
    })
    const withdrawals = [{ index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amount: 1n }]
    expect(await failureOf(withChanges({}, { withdrawals }))).toMatchObject({
      code: 'INVALID_BODY',
      member: 'withdrawals',
    })
  })

  test('in a transaction', async () => {
    const transactions = [...built.block.transactions].reverse()
    const transactionsRoot = orderedRoot(transactions.map(({ raw }) => raw))
    const failure = await failureOf(withChanges({ transactionsRoot }, { transactions }))
    expect(failure).toMatchObject({
      code: 'INVALID_TRANSACTION',
      index: 0,
      hash: transactions[0]!.hash,
      error: { code: 'NONCE_TOO_HIGH' },
    })
    expect(importFailureMessage(failure)).toMatch(/^transaction 0 \(0x[0-9a-f]{64}\) may not be in it: nonce too high/)
  })

  test.each([
    ['gasUsed', { gasUsed: 21_000 }],
    ['blobGasUsed', { blobGasUsed: 1 }],
    ['receiptsRoot', { receiptsRoot: OTHER_HASH }],
    ['logsBloom', { logsBloom: new Uint8Array(256) }],
    ['withdrawalsRoot', { withdrawalsRoot: OTHER_HASH }],
    ['stateRoot', { stateRoot: OTHER_HASH }],
    // Fees are credited to another account; all other roots stay.
    ['stateRoot', { miner: ZERO_ADDRESS }],
  ] as const)('in the result: %s', async (member, change) => {
    expect(await failureOf(withChanges(change))).toMatchObject({ code: 'DIFFERENT_RESULT', member })
  })
})
