import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { numericIds } from './request-ids.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test.each([
  '9007199254740993',
  '-9007199254740993',
  '1.5',
  '123456789012345678901234567890',
  '1e400',
  '0.1000000000000000055',
])('preserves the id %s', async (id) => {
  const item = `{"params":["0x"],"x":[{"id":7}],"jsonrpc":"2.0", "id" : ${id} ,"method":"web3_sha3"}`
  const response = `{"jsonrpc":"2.0","id":${id},"result":"0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"}`
  expect(await node.rpc.handle(item)).toBe(response)
  expect(await node.rpc.handle(` [ ${item}, 7 ,${item}]`)).toBe(
    `[${response},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},${response}]`,
  )
})

test('accepts escaped member names, and the last of several ids, like JSON.parse', async () => {
  const response = await node.rpc.handle(
    '{"id":1.5,"\\u0069d":9007199254740993,"jsonrpc":"2.0","method":"eth_chainId","params":["id",9]}',
  )
  expect(response).toContain('"id":9007199254740993,')
})

test('property: finds numeric ids exactly where JSON.parse has them', () => {
  const item = fc.record({ id: fc.integer(), x: fc.jsonValue(), id2: fc.jsonValue() }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(fc.oneof(item, fc.jsonValue())), fc.constantFrom(undefined, 1, '\t'), (items, space) => {
      const expected = new Map<number, string>()
      for (const [position, value] of items.entries()) {
        const id = typeof value === 'object' && value !== null && !Array.isArray(value) && 'id' in value && value.id
        if (typeof id === 'number') expected.set(position, JSON.stringify(id))
      }
      expect(numericIds(JSON.stringify(items, undefined, space))).toEqual(expected)
    }),
  )
})
