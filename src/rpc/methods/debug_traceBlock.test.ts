import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'
import { encodeBlock } from '../../chain/block/block-codec.ts'
import { bytesToHex, ZERO_HASH } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  await send(node, 2n, COUNTER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
})
function block() {
  return node.node.view().block({ kind: 'tag', tag: 'latest' })!.block
}

test('a block given as RLP has the same traces as in the chain', async () => {
  const raw = bytesToHex(encodeBlock(block()))
  const config = { tracer: 'callTracer' }
  expect(await node.result('debug_traceBlock', raw, config)).toEqual(
    await node.result('debug_traceBlockByNumber', 'latest', config),
  )
})

test('refuses an undecodable block, one without a parent, and one with invalid transactions', async () => {
  expect((await node.request('debug_traceBlock', '0xc0')).error).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^could not decode block: /),
  })
  const { header, transactions, uncles, withdrawals } = block()
  const orphan = encodeBlock({ header: { ...header, parentHash: ZERO_HASH }, transactions, uncles, withdrawals })
  expect((await node.request('debug_traceBlock', bytesToHex(orphan))).error).toEqual({
    code: -32000,
    message: `parent ${ZERO_HASH} not found`,
  })
  const early = encodeBlock({ header: { ...header, number: 7 }, transactions, uncles, withdrawals })
  expect((await node.request('debug_traceBlock', bytesToHex(early))).error).toEqual({
    code: -32000,
    message: "block number 7 does not follow its parent's, 1",
  })
  const { parentBeaconBlockRoot: _, requestsHash: __, blobGasUsed: ___, excessBlobGas: ____, ...old } = header
  const rootless = encodeBlock({ header: old, transactions, uncles, withdrawals })
  expect((await node.request('debug_traceBlock', bytesToHex(rootless))).error).toEqual({
    code: -32000,
    message: 'the header has no parentBeaconBlockRoot, which its fork wants',
  })
  const reversed = encodeBlock({ header, transactions: [...transactions].reverse(), uncles, withdrawals })
  expect((await node.request('debug_traceBlock', bytesToHex(reversed))).error).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^tracing failed: transaction 0 \(0x[0-9a-f]{64}\) .*nonce too high/),
  })
  expect(node.logged).toEqual([])
})
