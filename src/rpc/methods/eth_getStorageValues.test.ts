import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
const PASSER = '0x4200000000000000000000000000000000000016'

test('returns the same values as eth_getStorageAt', async () => {
  const other = `0x${'12'.repeat(20)}`
  const values = await node.result('eth_getStorageValues', { [PASSER]: ['0x0', '0x1'], [other]: ['0x5'] }, 'latest')
  expect(values).toEqual({
    [PASSER]: [
      await node.result('eth_getStorageAt', PASSER, '0x0', 'latest'),
      await node.result('eth_getStorageAt', PASSER, '0x1', 'latest'),
    ],
    [other]: [`0x${'00'.repeat(32)}`],
  })
})

test('rejects empty and oversized requests', async () => {
  expect((await node.request('eth_getStorageValues', {})).error).toMatchObject({
    code: -32602,
    message: 'empty request',
  })
  expect((await node.request('eth_getStorageValues', { [PASSER]: [] })).error?.code).toBe(-32602)
  const many = { [PASSER]: new Array(1_025).fill('0x0') }
  expect((await node.request('eth_getStorageValues', many)).error).toMatchObject({ code: -38026 })
  expect((await node.request('eth_getStorageValues', { '0x12': ['0x0'] })).error?.code).toBe(-32602)
  expect((await node.request('eth_getStorageValues', { [PASSER]: ['0x0'] }, '0x99')).error?.code).toBe(-32000)
})
