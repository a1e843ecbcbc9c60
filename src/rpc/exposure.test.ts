import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../test/support/rpc-node.ts'
import { ANONYMOUS, type RpcClient } from './protocol/rpc-client.ts'

let node: RpcNode
async function send(text: unknown, client?: RpcClient) {
  const response = await node.rpc.handle(JSON.stringify(text), client)
  return response === undefined ? undefined : JSON.parse(response)
}

function request(method: string, ...params: unknown[]) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

test('a method of a disabled namespace names the flag, and rpc_modules lists enabled namespaces', async () => {
  node = await startRpcNode({ httpNamespaces: ['eth', 'net'], wsNamespaces: ['web3'] })
  expect(await send(request('eth_chainId'))).toMatchObject({ result: '0x7a69' })
  expect(await send(request('debug_setHead', '0x0'))).toMatchObject({
    error: { code: -32601, message: expect.stringContaining('--http-api') },
  })
  expect(await send(request('rpc_modules'))).toMatchObject({ result: { eth: '1.0', net: '1.0', rpc: '1.0' } })
  const sent: string[] = []
  const connection = node.rpc.connect((text) => sent.push(text))
  await connection.receive(JSON.stringify(request('eth_chainId')))
  await connection.receive(JSON.stringify(request('web3_clientVersion')))
  expect(sent.map((text) => JSON.parse(text))).toMatchObject([
    { error: { code: -32601, message: expect.stringContaining('--ws-api') } },
    { result: 'Tickertape/test' },
  ])
  connection.close()
})

test('charges each request its cost, and rejects it with -32005 above the rate limit', async () => {
  node = await startRpcNode()
  const charged: number[] = []
  const client = { ...ANONYMOUS, charge: (cost: number) => (charged.push(cost) > 2 ? 1_500 : 0) }
  const call = request('eth_call', { to: `0x${'00'.repeat(20)}` }, 'latest')
  const responses = await send([request('eth_chainId'), call, request('eth_nothing'), 7], client)
  expect(charged).toEqual([1, 20, 1, 1])
  expect(responses).toMatchObject([
    { result: '0x7a69' },
    { result: '0x' },
    { error: { code: -32005, message: 'rate limit exceeded: retry in 1500 ms', data: { retryAfter: 1_500 } } },
    { error: { code: -32005 } },
  ])
})

test('stops a batch when its HTTP client has disconnected', async () => {
  node = await startRpcNode()
  let charged = 0
  const client = {
    ...ANONYMOUS,
    charge: () => {
      charged += 1
      return 0
    },
    isGone: () => charged >= 2,
  }
  expect(await send(Array(100).fill(request('eth_chainId')), client)).toBeUndefined()
  expect(charged).toBe(2)
})

test('rejects a response above the size limit with -32003', async () => {
  node = await startRpcNode({ maxResponseBytes: 500 })
  expect(await send(request('eth_getBlockByNumber', 'latest', false))).toMatchObject({
    error: { code: -32003, message: expect.stringContaining('at most 500') },
  })
  expect(await send(request('eth_chainId'))).toMatchObject({ result: '0x7a69' })
})

test('measures a response in bytes, not in characters', async () => {
  node = await startRpcNode({ clientVersion: 'ü'.repeat(300), maxResponseBytes: 500 })
  expect(await send(request('web3_clientVersion'))).toMatchObject({
    error: { code: -32003, message: expect.stringContaining('at most 500') },
  })
})

test('notifies the monitor of every request once, with known method names', async () => {
  node = await startRpcNode()
  const received: unknown[] = []
  const { createRpc } = await import('./create-rpc.ts')
  const monitor = {
    onResponse: (method: string | undefined, _: number, error: { code: number } | undefined) =>
      received.push([method, error?.code]),
  }
  const rpc = createRpc(node.options, { ...node.deps, monitor })
  for (const text of ['{', '[]', JSON.stringify([request('eth_chainId'), request('eth_x'), 7]), '{}'])
    await rpc.handle(text)
  await rpc.handle(JSON.stringify(request('eth_getBalance', 'x')))
  expect(received).toEqual([
    [undefined, -32700],
    [undefined, -32600],
    ['eth_chainId', undefined],
    [undefined, -32601],
    [undefined, -32600],
    [undefined, -32600],
    ['eth_getBalance', -32602],
  ])
})
