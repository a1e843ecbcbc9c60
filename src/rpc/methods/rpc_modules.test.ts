import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('lists the namespaces of the methods', async () => {
  expect(await node.result('rpc_modules')).toEqual({
    base: '1.0',
    debug: '1.0',
    erigon: '1.0',
    eth: '1.0',
    net: '1.0',
    op: '1.0',
    ots: '1.0',
    rpc: '1.0',
    testing: '1.0',
    tickertape: '1.0',
    trace: '1.0',
    txpool: '1.0',
    web3: '1.0',
  })
})
