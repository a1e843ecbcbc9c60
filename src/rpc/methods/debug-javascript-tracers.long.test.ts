import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

const TARGET = `0x${'ca'.repeat(20)}`
/** Stores 7 in slot 1, calls the identity precompile with a word of memory, and returns the word. */
const CODE = '0x6007600155600760005260205f60205f5f60045af15060205ff3'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

function configOf(tracer: string, code: string, tracerConfig: object) {
  return { tracer, tracerConfig, stateOverrides: { [TARGET]: { code } } }
}

function trace(tracer: string, code = CODE, tracerConfig: object = {}): Promise<unknown> {
  return node.result('debug_traceCall', { to: TARGET, gas: '0x186a0' }, 'latest', configOf(tracer, code, tracerConfig))
}

async function failure(tracer: string, code = CODE): Promise<{ code: number; message: string }> {
  const config = configOf(tracer, code, {})
  const { error } = await node.request('debug_traceCall', { to: TARGET, gas: '0x186a0' }, 'latest', config)
  return error as { code: number; message: string }
}

describe('a JavaScript tracer', () => {
  test('sees each instruction with its cost before it runs, as structLogger does', async () => {
    const script = `{ steps: [], fault: function () {}, result: function () { return this.steps },
      step: function (log) { this.steps.push([log.getPC(), log.op.toString(), log.getGas(), log.getCost(), log.getDepth()]) } }`

    const steps = await trace(script)

    const config = { stateOverrides: { [TARGET]: { code: CODE } } }
    const { structLogs } = (await node.result('debug_traceCall', { to: TARGET, gas: '0x186a0' }, 'latest', config)) as {
      structLogs: readonly { pc: number; op: string; gas: number; gasCost: number; depth: number }[]
    }
    expect(steps).toEqual(structLogs.map(({ pc, op, gas, gasCost, depth }) => [pc, op, gas, gasCost, depth]))
  })

  test('reads stack, memory, contract and the state as they are before the instruction', async () => {
    const script = `{ found: {}, fault: function () {}, result: function (ctx, db) {
        this.found.after = toHex(db.getState(ctx.to, toWord('0x1')))
        return this.found
      },
      step: function (log, db) {
        if (log.op.toNumber() === 0x55) {
          this.found.slot = log.stack.peek(0)
          this.found.value = log.stack.peek(1).add(1).toString(16)
          this.found.before = toHex(db.getState(log.contract.getAddress(), toWord('0x1')))
          this.found.size = db.getCode(log.contract.getAddress()).length
          this.found.exists = [db.exists(toAddress('0x1234')), isPrecompiled(toAddress('0x4'))]
        }
        if (log.op.toString() === 'RETURN') {
          this.found.memory = toHex(log.memory.slice(30, 32))
          this.found.word = log.memory.getUint(0).toString()
        }
      } }`

    const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
    expect(await trace(script)).toEqual({
      slot: '1',
      value: '8',
      before: word(0),
      after: word(7),
      size: (CODE.length - 2) / 2,
      exists: [false, true],
      memory: '0x0007',
      word: '7',
    })
  })

  test('reads every word of the stack from its top', async () => {
    const script = `{ words: [], fault: function () {}, result: function () { return this.words },
      step: function (log) {
        if (log.op.toString() !== 'STOP') return
        for (var index = 0; index < log.stack.length(); index++) this.words.push(log.stack.peek(index).toString(16))
      } }`

    expect(await trace(script, `0x6001600261030067ffffffffffffffff7f${'ab'.repeat(32)}00`)).toEqual([
      'ab'.repeat(32),
      'f'.repeat(16),
      '300',
      '2',
      '1',
    ])
  })

  test('is told of frames, of faults, and of its configuration', async () => {
    const script = `{ seen: [], setup: function (config) { this.seen.push(JSON.parse(config).name) },
      enter: function (frame) { this.seen.push(frame.getType() + ' ' + toHex(frame.getTo()) + ' ' + frame.getValue()) },
      exit: function (frame) { this.seen.push(toHex(frame.getOutput()).length) },
      fault: function (log) { this.seen.push(log.getError()) }, step: function () {},
      result: function (ctx) { return { seen: this.seen, error: ctx.error, type: ctx.type, gas: ctx.gas } } }`

    const identity = `0x${'04'.padStart(40, '0')}`
    expect(await trace(script, `${CODE.slice(0, -10)}5f5ffd`, { name: 'A' })).toEqual({
      seen: ['A', `CALL ${identity} 0`, 2 + 64, 'execution reverted'],
      error: 'execution reverted',
      type: 'CALL',
      gas: 100_000,
    })
  })

  test('traces a transaction with its position, and each transaction of a block, also inside a muxTracer', async () => {
    const script =
      '{ fault: function () {}, result: function (ctx) { return [toHex(ctx.txHash), ctx.txIndex, ctx.block] } }'
    const hashes = [await send(node, 2n, COUNTER), await send(node, 3n, COUNTER)]
    await node.nextBlock()

    const traced = await node.result('debug_traceTransaction', hashes[1]!, { tracer: script })
    const block = await node.result('debug_traceBlockByNumber', 'latest', {
      tracer: 'muxTracer',
      tracerConfig: { [script]: {}, noopTracer: {} },
    })

    expect(traced).toEqual([hashes[1], 1, 2])
    expect(block).toEqual(
      hashes.map((hash, index) => ({ txHash: hash, result: { [script]: [hash, index, 2], noopTracer: {} } })),
    )
  })

  test('changes nothing: the run before the traced one is reverted', async () => {
    const counter =
      '{ fault: function () {}, step: function () {}, result: function (ctx) { return toHex(ctx.output) } }'
    const call = () => node.result('debug_traceCall', { to: COUNTER }, 'latest', { tracer: counter })

    expect(await call()).toBe(`0x${'1'.padStart(64, '0')}`)
    expect(await call()).toBe(`0x${'1'.padStart(64, '0')}`)
  })
})

const shell = (members: string) => `{ fault: function () {}, result: function () { return 1 }, ${members} }`

describe('a hostile JavaScript tracer', () => {
  test.each([
    ['an endless loop in setup', shell('setup: function () { for (;;); }'), /longer than 1000 ms/],
    ['an endless loop in step', shell('step: function () { for (;;); }'), /longer than 1000 ms.*'step'/],
    ['an endless regular expression', shell(`setup: function () { /^(a+)+$/.test('a'.repeat(40) + 'b') }`), /'setup'/],
    [
      'a memory bomb',
      shell('setup: function () { var a = []; for (;;) a.push(new Uint8Array(1e6)) }'),
      /bytes of memory/,
    ],
    [
      'kept bytes',
      shell('step: function (log) { for (this.a = []; ; ) this.a.push(log.memory.slice(0, 1e6)) }'),
      /bytes of memory/,
    ],
    ['a string bomb', shell(`setup: function () { var s = 'a'; for (;;) s += s }`), /'setup'/],
    ['endless recursion', shell('setup: function f() { f() }'), /stack/],
    ['a throwing getter', '{ get result() { throw new Error("boom") } }', /boom/],
    ['a throw of null', shell('step: function () { throw null }'), /'step'/],
    ['no result', '{ fault: function () {} }', /must expose a function result/],
    ['no object', '1', undefined],
    ['a syntax error', '{ result: function ( }', /SyntaxError/],
    ['enter without exit', shell('enter: function () {}'), /both or none/],
    ['a word below the stack', shell('step: function (log) { log.stack.peek(9) }'), /out of bound stack/],
    ['memory beyond the limit', shell('step: function (log) { log.memory.slice(0, 1e12) }'), /out of bound memory/],
    ['a wrong address', shell('step: function (log, db) { db.getBalance({ length: 20 }) }'), /invalid buffer type/],
    ['Node', shell('setup: function () { process.exit(1) }'), /process/],
    ['the constructor of functions', shell(`setup: function () { toHex.constructor('return process')() }`), /process/],
    ['an import', shell(`setup: function () { import('fs'); require('fs') }`), /require/],
  ])('is ended or refused without harm: %s', async (_, script, message) => {
    const error = await failure(script)

    expect(error.code).toBe(message === undefined ? -32602 : -32000)
    if (message !== undefined) expect(error.message).toMatch(message)
    expect(await node.result('eth_blockNumber')).toBe('0x1')
  })

  test('cannot harm later tracers by changing prototypes', async () => {
    const poison = `{ setup: function () { Array.prototype.push = null; Object.prototype.toJSON = function () { return 'x' };
      JSON.stringify = null; Uint8Array.prototype.length = 0 }, fault: function () {}, result: function () { return {} } }`

    await failure(poison)
    expect(await trace(shell('step: function () {}'))).toBe(1)
  })

  test('cannot return more than a response may hold', async () => {
    const script = '{ fault: function () {}, result: function () { return "a".repeat(20e6) + "b".repeat(20e6) } }'
    const config = { tracer: 'muxTracer', tracerConfig: { [script]: {}, [`${script} `]: {} } }

    const { error } = await node.request('debug_traceCall', { to: TARGET }, 'latest', config)

    expect(error).toMatchObject({ code: expect.any(Number) })
  })
  test('may be two of a muxTracer, those of inner ones included', async () => {
    const [first, second, third] = ['', ' ', '  '].map((space) => shell(`${space}step: function () {}`))
    const config = {
      tracer: 'muxTracer',
      tracerConfig: { [first!]: {}, [second!]: {}, muxTracer: { noopTracer: {}, [third!]: {} } },
    }

    const { error } = await node.request('debug_traceCall', { to: TARGET }, 'latest', config)

    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('at most 2 JavaScript tracers') })
  })
})
