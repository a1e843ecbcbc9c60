import { expect, test } from 'vitest'
import {
  ALICE,
  BLOCKHASH,
  BOB,
  ENVIRONMENT,
  FORWARD,
  INVALID,
  LOG,
  LOOP,
  NOPE,
  POOR,
  returned,
  STORE,
  simulatedBlocks,
  simulationFixture,
  words,
} from '../../../test/support/simulation-fixture.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { nextBaseFee } from '../../chain/fees/base-fee.ts'
import { bytesToHex, type Hash, hexToBytes, toAddress, toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'
import { overriddenState, resolveOverrides, type StateOverrides } from '../call/state-overrides.ts'
import type { BlockEnv, Engine } from '../types.ts'
import { simulate } from './simulate.ts'
import type { SimulatedBlock, SimulationOptions, SimulationPayload } from './simulation.ts'

const fixture = simulationFixture()
const { engine, base } = fixture
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

async function outcome(payload: SimulationPayload, options: Partial<SimulationOptions> = {}) {
  return simulate(engine, base, payload, { blockTimeSeconds: 2n, ...options })
}

function simulated(payload: SimulationPayload, options: Partial<SimulationOptions> = {}) {
  return simulatedBlocks(fixture, payload, options)
}

function overrides(
  ...entries: [Parameters<StateOverrides['get']>[0], NonNullable<ReturnType<StateOverrides['get']>>][]
) {
  return new Map(entries)
}

test('an empty block follows the base with the defaults of a simulated block', async () => {
  const [block] = await simulated({ blocks: [{}] })
  expect(block!.header).toMatchObject({
    number: 1,
    parentHash: base.hash,
    timestamp: base.header.timestamp + 2n,
    gasLimit: base.header.gasLimit,
    miner: base.header.miner,
    baseFeePerGas: 0n,
    mixHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    gasUsed: 0,
    blobGasUsed: 0,
    excessBlobGas: 0n,
  })
  expect(block!.hash).toBe(hashHeader(block!.header))
  expect(block).toMatchObject({ transactions: [], withdrawals: [], calls: [] })
})

test('a call sees the writes of earlier calls and blocks, and blocks link by hash', async () => {
  const blocks = await simulated({
    blocks: [
      {
        calls: [
          { to: STORE.address, data: words(7n, 9n) },
          { to: STORE.address, data: words(9n) },
        ],
      },
      { calls: [{ to: STORE.address, data: words(9n) }] },
    ],
  })
  expect(returned(blocks[0], 1)).toEqual([7n])
  expect(returned(blocks[1])).toEqual([7n])
  expect(blocks[1]!.header.parentHash).toBe(blocks[0]!.hash)
  expect(blocks[0]!.header.gasUsed).toBe(blocks[0]!.calls[0]!.gasUsed + blocks[0]!.calls[1]!.gasUsed)
  expect(base.state.storage(STORE.address, bigintToSlot(9n))).toBe(0n)
})

test('the same request gives the same hashes', async () => {
  const payload = { blocks: [{ calls: [{ from: ALICE, to: BOB, value: 5n }] }, {}] }
  const first = await simulated(payload)
  const second = await simulated(payload)
  expect(second.map(({ hash }) => hash)).toEqual(first.map(({ hash }) => hash))
})

test('real state roots are those of the state after the block', async () => {
  const [block] = await simulated(
    { blocks: [{ stateOverrides: overrides([POOR, { balance: 3n }]) }] },
    { stateRoots: 'real' },
  )
  expect(block!.header.stateRoot).not.toBe(base.header.stateRoot)
  const [again] = await simulated({ blocks: [{}] }, { stateRoots: 'real' })
  expect(again!.header.stateRoot).not.toBe(block!.header.stateRoot)
  const { trie: _trie, ...withoutTrie } = base
  const request = { blocks: [{}] }
  await expect(simulate(engine, withoutTrie, request, { blockTimeSeconds: 2n, stateRoots: 'real' })).rejects.toThrow(
    RangeError,
  )
})

test('BLOCKHASH knows the simulated blocks and the base', async () => {
  const calls = [0n, 1n, 2n, 3n].map((number) => ({ to: BLOCKHASH.address, data: words(number) }))
  const blocks = await simulated({ blocks: [{}, {}, { calls }] })
  const hashes = [base.hash, blocks[0]!.hash, blocks[1]!.hash, ZERO_HASH]
  expect([0, 1, 2, 3].map((call) => bigintToHash(returned(blocks[2], call)[0]!))).toEqual(hashes)
})

test('the parent hash is in the history contract (EIP-2935)', async () => {
  const history = toAddress('0x0000f90827f1c53a10cb7a02335b175320002935')
  const blocks = await simulated({ blocks: [{}, { calls: [{ to: history, data: words(1n) }] }] })
  expect(bytesToHex(blocks[1]!.calls[0]!.returnData)).toBe(blocks[0]!.hash)
})

test('simulations of the next block share its opening and nothing else', async () => {
  const history = toAddress('0x0000f90827f1c53a10cb7a02335b175320002935')
  const seen = async (payload: Partial<SimulationPayload> = {}, options: Partial<SimulationOptions> = {}) => {
    const offer = { from: ALICE, gas: 200_000n, maxFeePerGas: payload.validation ? 10n ** 10n : 0n }
    const calls = [
      { ...offer, to: history, data: words(0n) },
      { ...offer, to: ENVIRONMENT.address },
      { ...offer, to: STORE.address, data: words(0n) },
      { ...offer, to: STORE.address, data: words(7n, 0n) },
    ]
    const [block] = await simulated({ blocks: [{ calls }], ...payload }, options)
    const [parentHash, environment, stored] = [0, 1, 2].map((call) => returned(block, call))
    const [number, timestamp, baseFee] = environment!
    return { parentHash, number, timestamp, baseFee, stored }
  }
  const usual = await seen()
  const start = base.header.timestamp
  expect(usual).toEqual({
    parentHash: [BigInt(base.hash)],
    number: 1n,
    timestamp: start + 2n,
    baseFee: 0n,
    stored: [0n],
  })
  expect(await seen()).toEqual(usual)
  expect((await seen({ validation: true })).baseFee).toBe(nextBaseFee(base.header, engine.config))
  expect(await seen({}, { blockTimeSeconds: 9n })).toEqual({ ...usual, timestamp: start + 9n })
  expect(await seen()).toEqual(usual)
  expect(await seen({}, { stateRoots: 'real' })).toEqual(usual)
})

test('a block opening is computed once per engine', async () => {
  const counting = () => {
    const opened: BlockEnv[] = []
    const open: Engine['open'] = (env, state, options) => {
      opened.push(env)
      return engine.open(env, state, options)
    }
    return { opened, engine: { config: engine.config, precompiles: engine.precompiles.bind(engine), open } }
  }
  for (const { opened, engine } of [counting(), counting()]) {
    for (let count = 0; count < 3; count++) await simulate(engine, base, { blocks: [{}] }, { blockTimeSeconds: 2n })
    expect(opened).toHaveLength(1 + 3)
    expect(new Set(opened).size).toBe(1)
    await simulate(
      engine,
      base,
      { blocks: [{ stateOverrides: overrides([ALICE, { balance: 1n }]) }] },
      { blockTimeSeconds: 2n },
    )
    expect(opened).toHaveLength(1 + 3 + 1)
    expect(new Set(opened).size).toBe(2)
  }
})

test('gaps between numbers are filled with empty blocks', async () => {
  const blocks = await simulated({ blocks: [{ blockOverrides: { number: 3 } }, { blockOverrides: { number: 5 } }] })
  expect(blocks.map(({ header }) => header.number)).toEqual([1, 2, 3, 4, 5])
  const start = base.header.timestamp
  expect(blocks.map(({ header }) => header.timestamp - start)).toEqual([2n, 4n, 6n, 8n, 10n])
  blocks.slice(1).forEach((block, index) => {
    expect(block.header.parentHash).toBe(blocks[index]!.hash)
  })
})

test('reverts and halts are results, with the reason', async () => {
  const [block] = await simulated({
    blocks: [
      { calls: [{ to: NOPE.address }, { to: INVALID.address, gas: 50_000n }, { to: LOOP.address, gas: 60_000n }] },
    ],
  })
  expect(block!.calls.map(({ status, error }) => ({ status, error }))).toEqual([
    { status: 0, error: { kind: 'reverted', reason: 'nope' } },
    { status: 0, error: { kind: 'halted', reason: expect.stringContaining('invalid opcode') } },
    { status: 0, error: { kind: 'halted', reason: 'out of gas' } },
  ])
  expect(block!.calls[0]!.returnData).toHaveLength(100)
  expect(block!.calls.map(({ gasUsed }) => gasUsed).slice(1)).toEqual([50_000, 60_000])
})

test('traced transfers are logs of the call but part of neither bloom nor receipts', async () => {
  const calls = [
    { from: ALICE, to: FORWARD.address, value: 1_000n },
    { from: ALICE, to: LOG.address },
    { from: ALICE, to: NOPE.address, value: 5n },
  ]
  const [traced] = await simulated({ blocks: [{ calls }], traceTransfers: true })
  const [plain] = await simulated({ blocks: [{ calls }] })
  const log = (from: string, to: string) => ({
    address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    topics: [TRANSFER_TOPIC, bigintToHash(BigInt(from)), bigintToHash(BigInt(to))],
    data: words(1_000n),
  })
  const logs = traced!.calls[0]!.logs.map((found) => ({ ...found.log, data: new Uint8Array(found.log.data) }))
  const wanted = [log(ALICE, FORWARD.address), log(FORWARD.address, BOB)]
  expect(logs).toEqual(wanted.map((entry) => ({ ...entry, data: new Uint8Array(entry.data) })))
  expect(traced!.calls[2]!.logs).toEqual([])
  expect(plain!.calls.map((call) => call.logs.length)).toEqual([0, 1, 0])
  expect(traced!.hash).toBe(plain!.hash)
})

test('a log has its position in the simulated block', async () => {
  const [block] = await simulated({ blocks: [{ calls: [{ to: LOG.address }, { to: LOG.address }] }] })
  expect(block!.calls.map(({ logs }) => logs[0])).toMatchObject(
    [0, 1].map((index) => ({
      blockHash: block!.hash,
      blockNumber: 1,
      blockTimestamp: block!.header.timestamp,
      transactionHash: block!.transactions[index]!.hash,
      transactionIndex: index,
      logIndex: index,
    })),
  )
  expect(block!.header.logsBloom.some((byte) => byte !== 0)).toBe(true)
})

test('transactions are of type 2 with zero signatures unless their members imply otherwise', async () => {
  const authorization = { chainId: 0n, address: BOB, nonce: 0n, yParity: 0, r: 1n, s: 1n }
  const [block] = await simulated({
    blocks: [
      {
        calls: [
          { from: ALICE, to: BOB, value: 1n },
          { from: ALICE, to: BOB, gasPrice: 0n },
          { from: ALICE, to: BOB, gasPrice: 0n, accessList: [] },
          { from: ALICE, to: BOB, authorizationList: [authorization] },
        ],
      },
    ],
  })
  expect(block!.transactions.map(({ type }) => type)).toEqual([2, 0, 1, 4])
  expect(block!.transactions[0]).toMatchObject({
    from: ALICE,
    to: BOB,
    nonce: 0n,
    gasLimit: 50_000_000n,
    chainId: engine.config.chainId,
    signature: { r: 0n, s: 0n, yParity: 0 },
  })
  expect(new Set(block!.transactions.map(({ hash }) => hash)).size).toBe(4)
})

test('without a gas limit a call gets the gas left in block and request', async () => {
  const calls = [
    { from: ALICE, to: BOB },
    { from: ALICE, to: BOB },
  ]
  const gasOf = (blocks: readonly SimulatedBlock[]) =>
    blocks.flatMap(({ transactions }) => transactions.map(({ gasLimit }) => gasLimit))
  expect(gasOf(await simulated({ blocks: [{ calls }, { calls }] }))).toEqual([
    50_000_000n,
    49_979_000n,
    49_958_000n,
    49_937_000n,
  ])
  const small = { blocks: [{ blockOverrides: { gasLimit: 100_000n }, calls }] }
  expect(gasOf(await simulated(small))).toEqual([100_000n, 79_000n])
})

test('the gas limit of the request is shared by its blocks', async () => {
  const loop = { to: LOOP.address }
  const result = await outcome({ blocks: [{ calls: [loop] }, { calls: [{ to: BOB }] }] }, { gasCap: 100_000n })
  expect(result).toMatchObject({
    kind: 'failed',
    error: { code: 'INVALID_TRANSACTION', gasLimit: 0n, error: { code: 'INTRINSIC_GAS_TOO_LOW' } },
  })
})

test('hides later block hashes on a base that is not the newest block', async () => {
  const real = toHash(`0x${'11'.repeat(32)}`) as Hash
  const state = { ...bound(base.state), blockHash: () => real }
  const calls = [0n, 1n].map((number) => ({ to: BLOCKHASH.address, data: words(number) }))
  const result = await simulate(engine, { ...base, state }, { blocks: [{}, { calls }] }, { blockTimeSeconds: 2n })
  if (result.kind !== 'simulated') throw new Error('failed')
  const [first, second] = result.blocks
  expect(returned(second, 0)).toEqual([BigInt(base.hash)])
  expect(returned(second, 1)).toEqual([BigInt(first!.hash)])
})

function bound(state: typeof base.state): typeof base.state {
  return {
    account: (address) => state.account(address),
    storage: (address, slot) => state.storage(address, slot),
    hasStorage: (who) => state.hasStorage(who),
    code: (hash) => state.code(hash),
    blockHash: (number) => state.blockHash(number),
  }
}

test('applies the changes of a pending base once, not before every block', async () => {
  const pending = resolveOverrides(
    new Map([[STORE.address, { stateDiff: new Map([[bigintToSlot(1n), 100n]]) }]]),
    base.state,
    new Set(),
  )
  if (pending.kind === 'refused') throw new Error('refused')
  const state = overriddenState(base.state, pending.diff)
  const read = { to: STORE.address, data: words(1n) }
  const write = { to: STORE.address, data: words(7n, 1n) }
  const blocks = [{ calls: [read, write] }, { calls: [read] }, { calls: [read] }]
  const result = await simulate(engine, { ...base, state }, { blocks }, { blockTimeSeconds: 2n })
  if (result.kind !== 'simulated') throw new Error('failed')
  expect(result.blocks.map((block) => returned(block)[0])).toEqual([100n, 7n, 7n])
})

test('rejects an invalid request with its code', async () => {
  const failing = async (payload: SimulationPayload, error: object, options: Partial<SimulationOptions> = {}) => {
    expect(await outcome(payload, options)).toEqual({ kind: 'failed', error })
  }
  const gasPrice = { gasPrice: 1n, maxFeePerGas: 1n }
  await failing({ blocks: [{ calls: [gasPrice] }] }, { code: 'INVALID_REQUEST', error: { code: 'BOTH_FEE_STYLES' } })
  const wrongChain = { code: 'WRONG_CHAIN_ID', expected: engine.config.chainId, actual: 1n }
  await failing({ blocks: [{ calls: [{ chainId: 1n }] }] }, { code: 'INVALID_REQUEST', error: wrongChain })
  const tooMuch = { blockOverrides: { gasLimit: 30_000n }, calls: [{ to: BOB, gas: 30_001n }] }
  await failing({ blocks: [tooMuch] }, { code: 'BLOCK_GAS_EXCEEDED', remaining: 30_000n, required: 30_001n })
  const move = overrides([POOR, { movePrecompileTo: BOB }])
  const notPrecompile = { code: 'NOT_A_PRECOMPILE', address: POOR }
  await failing({ blocks: [{ stateOverrides: move }] }, { code: 'INVALID_OVERRIDE', error: notPrecompile })
  await failing({ blocks: [{ calls: [{ to: BOB }] }] }, { code: 'TIMEOUT' }, { mayContinue: () => false })
  const initcode = { data: hexToBytes(`0x${'00'.repeat(49_153)}`) }
  expect(await outcome({ blocks: [{ calls: [initcode] }] })).toMatchObject({
    error: { code: 'INVALID_TRANSACTION', error: { code: 'INITCODE_TOO_LARGE' } },
  })
})

test('ends with a timeout when a call may not continue', async () => {
  let questions = 0
  const options = { mayContinue: () => ++questions < 4 }
  const result = await outcome({ blocks: [{ calls: [{ to: LOOP.address }] }] }, options)
  expect(result).toEqual({ kind: 'failed', error: { code: 'TIMEOUT' } })
  expect(questions).toBe(4)
})
