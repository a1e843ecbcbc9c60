import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
test('traces a block, and by a partial hash its transactions so far', async () => {
  const first = await send(node, 2n, COUNTER)
  await node.nextFlashblock()
  const { hash: partial } = await node.result('eth_getBlockByNumber', 'pending', false)
  const second = await send(node, 3n, COUNTER)
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', 'latest', false)
  const hashesOf = async (block: unknown) => {
    const traces = (await node.result('debug_traceBlockByHash', block, { tracer: 'callTracer' })) as unknown
    return (traces as { readonly txHash: string }[]).map(({ txHash }) => txHash)
  }
  expect(await hashesOf(hash)).toEqual([first, second])
  expect(await hashesOf(partial)).toEqual([first])
  expect(node.logged).toEqual([])
})

test('reports an unknown hash as not found', async () => {
  const hash = `0x${'00'.repeat(31)}01`
  expect((await node.request('debug_traceBlockByHash', hash)).error).toEqual({
    code: -32000,
    message: `block ${hash} not found`,
  })
})
