import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, signed } from '../../../../test/support/traced-contracts.ts'

let node: RpcNode
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterAll(() => node.stop())

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('trace_callMany runs each call on the state after those before it, and keeps nothing', async () => {
  const calls = [1, 2, 3].map(() => [{ to: COUNTER }, ['trace', 'stateDiff']])

  const results = (await node.result('trace_callMany', calls)) as unknown as {
    output: string
    stateDiff: Record<string, { storage: unknown }>
  }[]

  expect(results.map(({ output }) => output)).toEqual([word(1), word(2), word(3)])
  expect(results[2]!.stateDiff[COUNTER]!.storage).toEqual({ [word(0)]: { '*': { from: word(2), to: word(3) } } })
  expect(await node.result('eth_getStorageAt', COUNTER, '0x0')).toBe(word(0))
})

test('trace_call applies overrides of the state and the block', async () => {
  // NUMBER, MSTORE, RETURN.
  const code = '0x435f5260205ff3'

  const result = await node.result(
    'trace_call',
    { to: COUNTER },
    ['trace'],
    'latest',
    { [COUNTER]: { code } },
    { number: '0x77' },
  )

  expect(result).toMatchObject({ output: word(0x77), stateDiff: null, vmTrace: null, trace: [{ subtraces: 0 }] })
})

test('trace_call reports a revert in the frame and in the output, not as an error', async () => {
  const result = await node.result('trace_call', { to: COUNTER }, ['trace'], 'latest', {
    [COUNTER]: { code: '0x60ab60005260206000fd' },
  })

  expect(result).toMatchObject({
    output: word(0xab),
    trace: [{ error: 'Reverted', result: { output: word(0xab) } }],
  })
})

test('trace_callMany names the first invalid call by its error', async () => {
  const { error } = await node.request('trace_callMany', [
    [{ to: COUNTER }, []],
    [{ from: `0x${'77'.repeat(20)}`, to: COUNTER, value: '0x1' }, []],
  ])

  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('insufficient funds') })
})

test('trace_rawTransaction traces without sending, and checks the transaction as the pool does', async () => {
  const next = signed(2n, COUNTER)

  const result = await node.result('trace_rawTransaction', next.raw, ['trace', 'stateDiff'])

  expect(result).toMatchObject({ output: word(1), trace: [{ action: { to: COUNTER } }] })
  expect(await node.result('eth_getTransactionByHash', next.hash)).toBeNull()
  expect((await node.request('trace_rawTransaction', signed(7n, COUNTER).raw, ['trace'])).error).toMatchObject({
    message: expect.stringContaining('nonce too high'),
  })
  expect((await node.request('trace_rawTransaction', '0x00', ['trace'])).error).toMatchObject({
    message: expect.stringContaining('could not decode transaction'),
  })
})
