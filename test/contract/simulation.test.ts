import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { CONTRACT_NETWORK } from '../support/contract-chain.ts'
import {
  COUNTER_RUNTIME,
  ENVIRONMENT_RUNTIME,
  initCode,
  LOGGER_RUNTIME,
  REVERT_DATA,
  REVERTING_RUNTIME,
  word,
} from '../support/contracts.ts'
import type { WireBlock, WireLog } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

interface WireCall {
  readonly status: string
  readonly gasUsed: string
  readonly returnData: string
  readonly logs: readonly WireLog[]
  readonly error?: unknown
}

interface SimulatedBlock extends WireBlock {
  readonly calls: readonly WireCall[]
}

const [OWNER, FRIEND] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
const STRANGER = `0x${'51'.repeat(20)}`
const CONTRACT = `0x${'c0'.repeat(20)}`
const ZERO_HASH = `0x${'0'.repeat(64)}`
const HASH = /^0x[0-9a-f]{64}$/
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const ETHER = '0xde0b6b3a7640000'

let server: ManualServer
let pending: WireBlock

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  await server.nextBlock()
  await server.send({ nonce: 0n, value: 5n })
  await server.nextFlashblock()
  pending = await server.result('eth_getBlockByNumber', 'pending', false)
})
afterAll(() => server.stop())

function simulate(payload: object, block = 'pending'): Promise<SimulatedBlock[]> {
  return server.result('eth_simulateV1', payload, block)
}

async function simulateCall(call: object, rest: object = {}, payload: object = {}): Promise<WireCall> {
  const [block] = await simulate({ blockStateCalls: [{ calls: [call], ...rest }], ...payload })
  return block!.calls[0]!
}

/** The contract at its address for one block. */
function having(runtime: string, more: object = {}): object {
  return { stateOverrides: { [CONTRACT]: { code: `0x${runtime}`, ...more } } }
}

describe('a simulation payload', () => {
  test('blockStateCalls is required', async () => {
    const { error } = await server.request('eth_simulateV1', {}, 'pending')
    expect(error).toEqual({ code: -32602, message: 'invalid argument 0: missing member blockStateCalls' })
    expect((await server.request('eth_simulateV1', { blockStateCalls: [] }, 'pending')).error?.code).toBe(-32602)
  })

  test('blockStateCalls: each entry is one simulated block', async () => {
    const blocks = await simulate({ blockStateCalls: [{}, {}, {}] })
    expect(blocks.map(({ number }) => Number(number) - Number(pending.number))).toEqual([1, 2, 3])
  })

  test('calls are optional', async () => {
    const [block] = await simulate({ blockStateCalls: [{}] })
    expect(block!.calls).toEqual([])
  })

  test('calls see the writes of earlier calls and blocks', async () => {
    const calls = [{ to: CONTRACT }, { to: CONTRACT }]
    const blocks = await simulate({ blockStateCalls: [{ calls, ...having(COUNTER_RUNTIME) }, { calls }] })
    const counts = blocks.map((block) => block.calls.map(({ returnData }) => Number(returnData)))
    expect(counts).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  test('stateOverrides: balance', async () => {
    const call = { from: STRANGER, to: FRIEND, value: '0x5' }
    expect(
      (await server.request('eth_simulateV1', { blockStateCalls: [{ calls: [call] }] }, 'pending')).error?.code,
    ).toBe(-38014)
    const given = await simulateCall(call, { stateOverrides: { [STRANGER]: { balance: '0x5' } } })
    expect(given.status).toBe('0x1')
  })

  test('stateOverrides: nonce', async () => {
    // The address of a created contract depends on the sender's nonce.
    const payload = (nonce: string) => ({
      blockStateCalls: [
        {
          stateOverrides: { [STRANGER]: { nonce } },
          calls: [{ from: STRANGER, input: `0x${Buffer.from(initCode(COUNTER_RUNTIME)).toString('hex')}` }],
        },
      ],
      returnFullTransactions: true,
    })
    for (const nonce of ['0x0', '0x7']) {
      const [block] = await simulate(payload(nonce))
      expect((block!.transactions[0] as { nonce: string }).nonce).toBe(nonce)
    }
  })

  test('stateOverrides: code', async () => {
    expect((await simulateCall({ to: CONTRACT }, having(COUNTER_RUNTIME))).returnData).toBe(word(1))
  })

  test('stateOverrides: storage, patched by stateDiff and replaced by state', async () => {
    const slot0 = { [word(0)]: word(41) }
    expect((await simulateCall({ to: CONTRACT }, having(COUNTER_RUNTIME, { stateDiff: slot0 }))).returnData).toBe(
      word(42),
    )
    const replaced = { blockStateCalls: [{ calls: [{ to: CONTRACT }], ...having(COUNTER_RUNTIME, { state: slot0 }) }] }
    const emptied = { calls: [{ to: CONTRACT }], ...having(COUNTER_RUNTIME, { state: {} }) }
    const blocks = await simulate({ blockStateCalls: [...replaced.blockStateCalls, emptied] })
    expect(blocks.map((block) => Number(block.calls[0]!.returnData))).toEqual([42, 1])
  })

  test('blockOverrides: number and timestamp, as the calls see them', async () => {
    const [number, time] = [Number(pending.number) + 10, Number(pending.timestamp) + 1000]
    const blockOverrides = { number: `0x${number.toString(16)}`, time: `0x${time.toString(16)}` }
    const blocks = await simulate({
      blockStateCalls: [{ blockOverrides, calls: [{ to: CONTRACT }], ...having(ENVIRONMENT_RUNTIME) }],
    })
    const block = blocks.at(-1)!
    expect(block).toMatchObject({ number: blockOverrides.number, timestamp: blockOverrides.time })
    expect(block.calls[0]!.returnData.slice(0, 130)).toBe(word(number) + word(time).slice(2))
  })

  test('traceTransfers: transfers are logs', async () => {
    const call = { from: OWNER, to: STRANGER, value: '0x5' }
    const { logs } = await simulateCall(call, {}, { traceTransfers: true })
    expect(logs).toMatchObject([
      {
        address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
        topics: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', word(OWNER!), word(STRANGER)],
        data: word(5),
      },
    ])
  })

  test('traceTransfers is false by default', async () => {
    expect((await simulateCall({ from: OWNER, to: STRANGER, value: '0x5' })).logs).toEqual([])
  })

  test('validation: the nonce is enforced', async () => {
    const payload = { blockStateCalls: [{ calls: [{ from: OWNER, to: FRIEND, nonce: '0x0' }] }], validation: true }
    const overrides = { blockOverrides: { baseFeePerGas: '0x0' } }
    const { error } = await server.request(
      'eth_simulateV1',
      { ...payload, blockStateCalls: [{ ...payload.blockStateCalls[0], ...overrides }] },
      'pending',
    )
    expect(error).toMatchObject({ code: -38010, message: expect.stringContaining('nonce too low') })
  })

  test('validation: the balance for gas is enforced', async () => {
    const call = { from: STRANGER, to: FRIEND, maxFeePerGas: ETHER, nonce: '0x0' }
    const { error } = await server.request(
      'eth_simulateV1',
      { blockStateCalls: [{ calls: [call] }], validation: true },
      'pending',
    )
    expect(error).toMatchObject({ code: -38014, message: expect.stringContaining('insufficient funds') })
  })

  test('validation is false by default', async () => {
    const call = { from: OWNER, to: FRIEND, nonce: '0x0' }
    expect((await simulateCall(call)).status).toBe('0x1')
  })
})

describe('a simulated block', () => {
  let block: SimulatedBlock

  beforeAll(async () => {
    const calls = [
      { from: OWNER, to: FRIEND, value: '0x1' },
      { to: CONTRACT, input: word(7) },
    ]
    block = (await simulate({ blockStateCalls: [{ calls, ...having(LOGGER_RUNTIME) }] }))[0]!
  })

  test('has the members of a block and calls', () => {
    expect(Object.keys(block).sort()).toEqual([...Object.keys(pending), 'calls'].sort())
  })

  test('number is that of its base plus one', () => {
    expect(Number(block.number)).toBe(Number(pending.number) + 1)
  })

  test('hash is 32 bytes, not zero', () => {
    expect(block.hash).toMatch(HASH)
    expect(block.hash).not.toBe(ZERO_HASH)
  })

  test('parentHash is the hash of the previous block', async () => {
    expect(block.parentHash).toBe(pending.hash)
    const [first, second] = await simulate({ blockStateCalls: [{}, {}] })
    expect(second!.parentHash).toBe(first!.hash)
  })

  test('timestamp is one block time later', () => {
    expect(Number(block.timestamp)).toBe(Number(pending.timestamp) + 2)
  })

  test('gasLimit is that of the previous block', () => {
    expect(block.gasLimit).toBe(pending.gasLimit)
  })

  test('gasUsed is the gas of all its calls', () => {
    const sum = block.calls.reduce((gas, { gasUsed }) => gas + Number(gasUsed), 0)
    expect(Number(block.gasUsed)).toBe(sum)
    expect(sum).toBeGreaterThan(42_000)
  })

  test('baseFeePerGas is 0 without validation', () => {
    expect(block.baseFeePerGas).toBe('0x0')
  })

  test('stateRoot is always zero', () => {
    expect(block.stateRoot).toBe(ZERO_HASH)
  })

  test('calls are one result per call', () => {
    expect(block.calls).toHaveLength(2)
  })
})

describe('a call result', () => {
  test('status is 0x1 for success', async () => {
    expect((await simulateCall({ from: OWNER, to: FRIEND })).status).toBe('0x1')
  })

  test('status is 0x0 for failure', async () => {
    expect((await simulateCall({ to: CONTRACT }, having(REVERTING_RUNTIME))).status).toBe('0x0')
    expect((await simulateCall({ to: CONTRACT }, having('fe'))).status).toBe('0x0')
  })

  test('gasUsed is a hex integer', async () => {
    const { gasUsed } = await simulateCall({ from: OWNER, to: FRIEND })
    expect(gasUsed).toMatch(QUANTITY)
    expect(gasUsed).toBe('0x5208')
  })

  test('returnData is the return data in hex', async () => {
    expect((await simulateCall({ to: CONTRACT }, having(COUNTER_RUNTIME))).returnData).toBe(word(1))
    expect((await simulateCall({ from: OWNER, to: FRIEND })).returnData).toBe('0x')
    expect((await simulateCall({ to: CONTRACT }, having(REVERTING_RUNTIME))).returnData).toBe(`0x${REVERT_DATA}`)
  })

  test('logs are those emitted, as log objects of the simulated block', async () => {
    const calls = [{ to: CONTRACT, input: word(7) + word(8).slice(2) }]
    const [block] = await simulate({ blockStateCalls: [{ calls, ...having(LOGGER_RUNTIME) }] })
    expect(block!.calls[0]!.logs).toEqual([
      {
        address: CONTRACT,
        topics: [word(7)],
        data: word(8),
        blockNumber: block!.number,
        blockTimestamp: block!.timestamp,
        blockHash: block!.hash,
        transactionHash: block!.transactions[0],
        transactionIndex: '0x0',
        logIndex: '0x0',
        removed: false,
      },
    ])
  })

  test('logs include transfers when traceTransfers is true', async () => {
    const call = { from: OWNER, to: CONTRACT, value: '0x5', input: word(7) }
    const { logs } = await simulateCall(call, having(LOGGER_RUNTIME), { traceTransfers: true })
    expect(logs.map(({ address, logIndex }) => [address, logIndex])).toEqual([
      ['0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', '0x0'],
      [CONTRACT, '0x1'],
    ])
  })

  test('error is the revert reason as a string when the call failed', async () => {
    const reverted = await simulateCall({ to: CONTRACT }, having(REVERTING_RUNTIME))
    expect(reverted.error).toBe('nope')
    const halted = await simulateCall({ to: CONTRACT }, having('fe'))
    expect(typeof halted.error).toBe('string')
  })

  test('error is absent when the call succeeded', async () => {
    expect(await simulateCall({ from: OWNER, to: FRIEND })).not.toHaveProperty('error')
  })
})
