import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

const TO = `0x${'ee'.repeat(20)}`
const ADDRESS = `0x${'b2'.repeat(20)}`
const WORD = `0x${'12'.repeat(32)}`
/** State overrides with code that returns what an opcode pushes. */
const returning = (opcode: string) => ({ [TO]: { code: `0x${opcode}60005260206000f3` } })

let node: RpcNode
beforeAll(async () => {
  node = await startRpcNode()
})
afterAll(() => node.stop())

describe.each([
  ['coinbase', '41', ADDRESS],
  ['random', '44', WORD],
  ['baseFee', '48', '0x7'],
  ['blockNumber', '43', '0x99'],
  ['timestamp', '42', '0x99999999'],
])('the block override %s of other nodes', (name, opcode, value) => {
  const expected = BigInt(value)

  test('takes effect in eth_call', async () => {
    const result = await node.result('eth_call', { to: TO }, 'latest', returning(opcode), { [name]: value })

    expect(BigInt(`${result}`)).toBe(expected)
  })

  test('takes effect in eth_callMany', async () => {
    const bundle = { transactions: [{ to: TO }], blockOverride: { [name]: value } }
    const result = await node.result('eth_callMany', [bundle], { blockNumber: 'latest' }, returning(opcode))

    expect(BigInt((result as unknown as [[{ value: string }]])[0][0].value)).toBe(expected)
  })

  test('takes effect in eth_simulateV1', async () => {
    const call = { stateOverrides: returning(opcode), calls: [{ to: TO }], blockOverrides: { [name]: value } }
    const result = await node.result('eth_simulateV1', { blockStateCalls: [call] }, 'latest')

    const blocks = result as unknown as { calls: { returnData: string }[] }[]
    expect(BigInt(blocks.at(-1)!.calls[0]!.returnData)).toBe(expected)
  })
})

test.each([
  ['eth_call', [{ to: TO }, 'latest', {}, { coinBase: ADDRESS }], "unknown member 'coinBase'"],
  ['eth_call', [{ to: TO }, 'latest', { [TO]: { storage: {} } }], "unknown member 'storage'"],
  ['eth_estimateGas', [{ to: TO }, 'latest', {}, { base_fee: '0x1' }], "unknown member 'base_fee'"],
  ['debug_traceCall', [{ to: TO }, 'latest', { blockOverrides: { miner: ADDRESS } }], "unknown member 'miner'"],
  ['eth_simulateV1', [{ blockStateCalls: [{ blockOverride: {} }] }, 'latest'], "unknown member 'blockOverride'"],
])('%s names a member of an override that it does not know', async (method, params, message) => {
  const { error } = await node.request(method, ...params)

  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) })
})

test.each(['eth_call', 'eth_estimateGas'])(
  '%s refuses overrides of whole blocks, as go-ethereum does',
  async (method) => {
    for (const override of [{ beaconRoot: WORD }, { withdrawals: [] }]) {
      const { error } = await node.request(method, { to: TO }, 'latest', {}, override)

      const message = `block override "${Object.keys(override)[0]}" is not supported for this RPC method`
      expect(error).toMatchObject({ code: -32000, message })
    }
  },
)
