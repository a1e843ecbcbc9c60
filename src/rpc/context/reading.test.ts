import { beforeEach, expect, test } from 'vitest'
import { deployEmitter, EMITTER } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { View } from '../../node/view/view.ts'
import { createRpc } from '../create-rpc.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployEmitter(node)
  for (let block = 0; block < 4; block++) await node.nextBlock()
})
/** A view with headers and states, and without blocks. */
class ViewWithoutBlocks extends View {
  override block(): never {
    throw new Error('a block was read')
  }
}

test.each([
  ['eth_getBalance', [EMITTER]],
  ['eth_getCode', [EMITTER]],
  ['eth_getTransactionCount', [EMITTER]],
  ['eth_getStorageAt', [EMITTER, '0x0']],
  ['eth_call', [{ to: EMITTER }]],
  ['eth_estimateGas', [{ to: EMITTER }]],
])('%s at an old block does not read its transactions', async (method, params) => {
  const { config, events, engine, blockTimeMs, slots, gasLimit } = node.node
  const withoutBlocks: ServedNode = {
    role: 'thread',
    damage: undefined,
    isOnDemand: false,
    config,
    events,
    engine,
    blockTimeMs,
    slots,
    gasLimit,
    view: () => {
      const { head, pool } = node.node.view()
      return new ViewWithoutBlocks(head, pool)
    },
    submit: () => expect.unreachable(),
    setHead: () => expect.unreachable(),
  }
  const rpc = createRpc(node.options, { ...node.deps, node: withoutBlocks })
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [...params, '0x1'] })
  expect(JSON.parse((await rpc.handle(text))!)).toEqual(await node.request(method, ...params, '0x1'))
})
