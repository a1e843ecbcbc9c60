import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
test('each trace equals that of debug_traceTransaction, in order, at pending too', async () => {
  const hashes = [await send(node, 2n, COUNTER), await send(node, 3n, COUNTER)]
  await node.nextFlashblock()
  for (const block of ['pending', '0x2']) {
    if (block !== 'pending') await node.nextBlock()
    for (const config of [
      {},
      { tracer: 'callTracer' },
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
    ]) {
      const traces = await node.result('debug_traceBlockByNumber', block, config)
      const alone = await Promise.all(
        hashes.map(async (txHash) => ({ txHash, result: await node.result('debug_traceTransaction', txHash, config) })),
      )
      expect(traces).toEqual(alone)
    }
  }
  expect(node.logged).toEqual([])
})

test('rejects the genesis block and blocks above the head', async () => {
  expect((await node.request('debug_traceBlockByNumber', '0x0')).error).toEqual({
    code: -32000,
    message: 'genesis is not traceable',
  })
  expect((await node.request('debug_traceBlockByNumber', '0xff')).error).toEqual({
    code: -32000,
    message: 'block #255 not found',
  })
  expect((await node.request('debug_traceBlockByNumber', '3')).error).toMatchObject({ code: -32602 })
})

test('returns no traces for an empty block', async () => {
  await node.nextBlock()
  expect(await node.result('debug_traceBlockByNumber', '0x2')).toEqual([])
})
