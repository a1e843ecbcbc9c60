import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../src/primitives/hex.ts'
import { type CompiledProgram, compileProgram, type StartedProgram } from './support/compiled-program.ts'
import type { RpcResponse } from './support/json-rpc-client.ts'
import { RpcSocket } from './support/rpc-socket.ts'
import { signTransfer } from './support/transfers.ts'

const TARGET = `0x${'ca'.repeat(20)}`
const RECIPIENT = DEVELOPMENT_ACCOUNTS[9]!.address
/**
 * Counts down from 400,000, which uses about ten million gas, and returns the block number and the recipient's balance.
 */
const LONG = `0x62061a805b6001900380600457436000 5273${RECIPIENT.slice(2)}3160205260406000f3`.replaceAll(' ', '')
const ENDLESS = '0x5b600056'

let program: CompiledProgram
let node: StartedProgram
beforeAll(async () => {
  program = await compileProgram()
  node = await program.start('--ephemeral', '--call-workers', '2')
}, 60_000)
afterAll(async () => {
  await node.stop()
  program.remove()
})

async function post<T>(body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as T
}

function request(id: number, method: string, ...params: unknown[]) {
  return { jsonrpc: '2.0', id, method, params }
}

async function ask(method: string, ...params: unknown[]): Promise<RpcResponse> {
  return post(request(1, method, ...params))
}

function longCall(id: number, block: string, code = LONG) {
  return request(id, 'eth_call', { to: TARGET }, block, { [TARGET]: { code } })
}

describe('offloaded requests', () => {
  test('see the view that they captured while blocks are built', async () => {
    let nonce = 0n
    for (let round = 0; round < 8; round++) {
      const sent = signTransfer({ nonce: nonce++, value: 1_000n })
      await ask('eth_sendRawTransaction', bytesToHex(sent.raw))
      const tags = ['pending', 'latest', 'safe', 'finalized']
      const batch = tags.flatMap((tag, index) => [
        request(3 * index, 'eth_getBlockByNumber', tag, false),
        longCall(3 * index + 1, tag),
        request(3 * index + 2, 'eth_getBalance', RECIPIENT, tag),
      ])
      const responses = await post<{ result: { number: string } & string }[]>(batch)
      for (const index of tags.keys()) {
        const [block, call, balance] = responses.slice(3 * index, 3 * index + 3).map(({ result }) => result)
        expect(BigInt(call!.slice(0, 66))).toBe(BigInt(block!.number))
        expect(BigInt(`0x${call!.slice(66)}`)).toBe(BigInt(balance!))
      }
    }
  }, 60_000)

  test('return correct results and errors when many arrive together', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, id) => post<RpcResponse>(longCall(id, 'latest', id % 2 === 0 ? LONG : ENDLESS))),
    )
    for (const [id, response] of responses.entries()) {
      if (id % 2 === 0) expect(response.result).toMatch(/^0x[0-9a-f]{128}$/)
      else expect(response.error).toEqual({ code: -32000, message: 'out of gas' })
    }
  }, 60_000)

  test('have errors formatted once with --compat hardhat', async () => {
    const hardhat = await program.start('--ephemeral', '--call-workers', '1', '--compat', 'hardhat')
    // Counts down from 1,600,000, then reverts.
    const code = '0x62186a005b60019003806004575f5ffd'
    const body = JSON.stringify(longCall(1, 'latest', code))
    const headers = { 'content-type': 'application/json' }
    const message = 'Error: Transaction reverted without a reason string'

    try {
      // The first ones run before the thread has started.
      for (let round = 0; round < 8; round++) {
        const response = await fetch(hardhat.url, { method: 'POST', headers, body })
        const { error } = (await response.json()) as RpcResponse
        expect(error).toEqual({ code: -32603, message, data: { message, data: '0x' } })
      }
    } finally {
      await hardhat.stop()
    }
  }, 60_000)

  test('trace pre-confirmed transactions in the compiled program', async () => {
    const sent = signTransfer({ nonce: 8n, value: 1_000n })
    const { result: receipt } = await ask('eth_sendRawTransactionSync', bytesToHex(sent.raw))
    expect(receipt).toMatchObject({ status: '0x1' })
    expect((await ask('debug_traceTransaction', sent.hash)).result).toEqual({
      gas: 21_000,
      failed: false,
      returnValue: '0x',
      structLogs: [],
    })
    expect((await ask('debug_traceTransaction', sent.hash, { tracer: 'callTracer' })).result).toMatchObject({
      from: sent.from,
      to: RECIPIENT,
      value: '0x3e8',
      gasUsed: '0x5208',
    })
    const overrides = { stateOverrides: { [TARGET]: { code: ENDLESS } } }
    const noop = { ...overrides, tracer: 'noopTracer', timeout: '1ms' }
    expect((await ask('debug_traceCall', { to: TARGET }, 'latest', noop)).error?.message).toBe('execution timeout')
  }, 60_000)

  test('see the current chain after the thread was idle for seconds', async () => {
    const timestamp = async () => {
      const { result } = await ask('eth_getBlockByNumber', 'latest', false)
      return Number((result as { timestamp: string }).timestamp)
    }
    await post<RpcResponse>(longCall(0, 'latest'))
    for (const begun = await timestamp(); (await timestamp()) < begun + 5; );
    for (const id of [1, 2]) {
      const [block, call] = await post<{ result: { number: string } & string }[]>([
        request(0, 'eth_getBlockByNumber', 'pending', false),
        longCall(id, 'pending'),
      ])
      expect(BigInt(call!.result.slice(0, 66))).toBe(BigInt(block!.result.number))
    }
  }, 60_000)

  test('see the current chain after blocks were unwound', async () => {
    // Builds blocks to unwind.
    while (BigInt(String((await ask('eth_blockNumber')).result)) === 0n)
      await ask('eth_getBlockByNumber', 'latest', true)
    expect((await ask('debug_setHead', '0x0')).error).toBeUndefined()
    const [block, call] = await post<{ result: { number: string } & string }[]>([
      request(0, 'eth_getBlockByNumber', 'latest', false),
      longCall(1, 'latest'),
    ])
    expect(BigInt(call!.result.slice(0, 66))).toBe(BigInt(block!.result.number))
    expect(BigInt(`0x${call!.result.slice(66)}`)).toBe(10_000n * 10n ** 18n)
  }, 60_000)
})

describe('simulations that arrive together', () => {
  const TOKEN_LIKE = `0x60005460010160005560005460005260206000fd`
  const simulation = (calls: readonly object[], more: object = {}) => ({ blockStateCalls: [{ calls, ...more }] })
  const overridden = (code: string) => ({ stateOverrides: { [TARGET]: { code } } })
  const from = DEVELOPMENT_ACCOUNTS[0]!.address
  /** Valid and invalid, short and long; `0x1` is a block that is never unwound. */
  const REQUESTS: readonly (readonly unknown[])[] = [
    [simulation([{ from, to: RECIPIENT, value: '0x1' }]), '0x1'],
    [simulation([{ to: TARGET }, { to: TARGET }], overridden(LONG.replace('061a80', '000010'))), '0x1'],
    [simulation([{ to: TARGET }, { from, to: RECIPIENT }], overridden(TOKEN_LIKE)), '0x1'],
    [
      { ...simulation([{ from, to: RECIPIENT, value: '0x1' }]), returnFullTransactions: true, traceTransfers: true },
      '0x1',
    ],
    [{ ...simulation([{ from, to: RECIPIENT, nonce: '0xff' }]), validation: true }, '0x1'],
    [simulation([{ to: RECIPIENT, value: '0x1' }]), '0x1'],
    [simulation([], { blockOverrides: { number: '0x1' } }), '0x1'],
    [simulation([]), '0xffffff'],
    ['no simulation', '0x1'],
  ]
  const LONG_ONE = [simulation([{ to: TARGET }], overridden(LONG)), '0x1']

  let sockets: RpcSocket[]
  beforeAll(async () => {
    while (BigInt(String((await ask('eth_blockNumber')).result)) < 1n) await ask('eth_getBlockByNumber', 'latest', true)
    sockets = await Promise.all(Array.from({ length: 4 }, () => RpcSocket.connect(node.url.replace('http', 'ws'))))
  }, 60_000)
  afterAll(async () => {
    for (const socket of sockets) await socket.close()
  })

  /** Sends all at once, so that most of them wait for the first. */
  function together(requested: readonly (readonly unknown[])[]): Promise<RpcResponse[]> {
    return Promise.all(requested.map((params, index) => sockets[index % 4]!.request('eth_simulateV1', ...params)))
  }

  test('return the same results and errors as one by one, long ones included', async () => {
    const many = Array.from({ length: 80 }, (_, index) =>
      index === 40 ? LONG_ONE : REQUESTS[index % REQUESTS.length]!,
    )
    const alone = new Map<unknown, unknown>()
    for (const params of [...REQUESTS, LONG_ONE]) {
      const { result, error } = await ask('eth_simulateV1', ...params)
      alone.set(params, result ?? error)
    }
    for (let round = 0; round < 4; round++) {
      for (const [index, { result, error }] of (await together(many)).entries()) {
        expect(result ?? error).toEqual(alone.get(many[index]))
      }
    }
  }, 120_000)

  test('see the head that each captured while blocks are built', async () => {
    const code = LONG.replace('061a80', '000001')
    const views = ['latest', 'pending'].map((tag) => [simulation([{ to: TARGET }], overridden(code)), tag])
    let nonce = BigInt(String((await ask('eth_getTransactionCount', from, 'pending')).result))
    for (let round = 0; round < 8; round++) {
      const sent = signTransfer({ nonce: nonce++, value: 1_000n })
      await ask('eth_sendRawTransactionSync', bytesToHex(sent.raw))
      const number = BigInt(String((await ask('eth_blockNumber')).result))
      const balance = BigInt(String((await ask('eth_getBalance', RECIPIENT, 'pending')).result))
      const responses = await together(Array.from({ length: 40 }, (_, index) => views[index % 2]!))
      for (const [index, { result }] of responses.entries()) {
        const [block] = result as [{ number: string; parentHash: string; calls: [{ returnData: string }] }]
        const seen = block.calls[0].returnData
        expect(BigInt(seen.slice(0, 66))).toBe(BigInt(block.number))
        // On the open block, the transaction just sent is included.
        if (index % 2 === 1) expect(BigInt(`0x${seen.slice(66)}`)).toBe(balance)
        else {
          const { result: parent } = await ask('eth_getBlockByHash', block.parentHash, false)
          expect(BigInt((parent as { number: string }).number) + 1n).toBe(BigInt(block.number))
          expect(BigInt(block.number)).toBeGreaterThan(number)
          const atParent = await ask('eth_getBalance', RECIPIENT, { blockHash: block.parentHash })
          expect(BigInt(`0x${seen.slice(66)}`)).toBe(BigInt(String(atParent.result)))
        }
      }
    }
  }, 120_000)

  test('leave a thread to traces, and complete meanwhile', async () => {
    const endless = { tracer: 'noopTracer', ...overridden(ENDLESS) }
    const traces = Array.from({ length: 6 }, () => ask('debug_traceCall', { to: TARGET }, 'latest', endless))
    const requested = REQUESTS.slice(0, 4)
    let isTraced = false
    const all = Promise.all(traces).finally(() => {
      isTraced = true
    })
    while (!isTraced) {
      for (const { error } of await together(Array.from({ length: 40 }, (_, index) => requested[index % 4]!))) {
        expect(error).toBeUndefined()
      }
    }
    for (const { result } of await all) expect(result).toEqual({})
  }, 60_000)
})
