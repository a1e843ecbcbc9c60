import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { RPC_METHODS } from './all-methods.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
interface OpenRpc {
  readonly openrpc: string
  readonly info: { readonly version: string }
  readonly methods: readonly { readonly name: string; readonly params: readonly { readonly name: string }[] }[]
}

/** Some methods exist in the other dialect or profile only, others on development nodes. */
const NAMES = RPC_METHODS.filter(({ profiles }) => profiles === undefined)
  .filter(({ dialect = 'base', development }) =>
    development === undefined ? dialect === 'base' : development.isOnEveryNode,
  )
  .map(({ name }) => name)
  .sort()

test('the document lists every method once with its parameters', async () => {
  const document = (await node.result('rpc.discover')) as unknown as OpenRpc
  expect(document).toMatchObject({ openrpc: '1.3.2', info: { version: node.options.version } })
  expect(document.methods.map(({ name }) => name)).toEqual(NAMES)
  expect(document.methods.find(({ name }) => name === 'eth_getBalance')).toMatchObject({
    params: [
      { name: 'address', required: true },
      { name: 'block', required: false, schema: { default: 'latest' } },
    ],
    result: { name: 'result', schema: { type: 'string' } },
  })
})
