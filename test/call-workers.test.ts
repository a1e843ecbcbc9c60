import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/development-accounts.ts'
import { bytesToHex } from '../src/primitives/hex.ts'
import { type CompiledProgram, compileProgram, type StartedProgram } from './support/compiled-program.ts'
import type { RpcAnswer } from './support/json-rpc-client.ts'
import { signTransfer } from './support/transfers.ts'

const TARGET = `0x${'ca'.repeat(20)}`
const RECIPIENT = DEVELOPMENT_ACCOUNTS[9]!.address
/** Counts down from 400,000, which uses some ten million gas, and gives block number and the recipient's balance. */
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

async function ask(method: string, ...params: unknown[]): Promise<RpcAnswer> {
  return post(request(1, method, ...params))
}

function longCall(id: number, block: string, code = LONG) {
  return request(id, 'eth_call', { to: TARGET }, block, { [TARGET]: { code } })
}

describe('requests that go on in another thread', () => {
  test('P3: see the view that they captured, while blocks are made', async () => {
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
      const answers = await post<{ result: { number: string } & string }[]>(batch)
      for (const index of tags.keys()) {
        const [block, call, balance] = answers.slice(3 * index, 3 * index + 3).map(({ result }) => result)
        expect(BigInt(call!.slice(0, 66))).toBe(BigInt(block!.number))
        expect(BigInt(`0x${call!.slice(66)}`)).toBe(BigInt(balance!))
      }
    }
  }, 60_000)

  test('are answered all the same when many come at once, errors too', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, id) => post<RpcAnswer>(longCall(id, 'latest', id % 2 === 0 ? LONG : ENDLESS))),
    )
    for (const [id, answer] of answers.entries()) {
      if (id % 2 === 0) expect(answer.result).toMatch(/^0x[0-9a-f]{128}$/)
      else expect(answer.error).toEqual({ code: -32000, message: 'out of gas' })
    }
  }, 60_000)

  test('trace what was just pre-confirmed, in the compiled program', async () => {
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

  test('see the chain as it is after blocks were taken back', async () => {
    // There have to be blocks to take back.
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
