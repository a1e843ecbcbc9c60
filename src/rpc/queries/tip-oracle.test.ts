import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { View } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { TipOracle } from './tip-oracle.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
afterEach(() => node.stop())

async function sendTips(firstNonce: number, ...tips: bigint[]): Promise<void> {
  for (const [index, tip] of tips.entries()) {
    const { raw } = signTransfer({ nonce: BigInt(firstNonce + index), maxPriorityFeePerGas: tip })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
  }
}

test('suggests the 60th percentile of the three cheapest tips of each of the last 20 blocks', async () => {
  const oracle = new TipOracle({ defaultTip: 7n })
  expect(oracle.suggest(node.node.view())).toBe(7n)
  await sendTips(0, 5_000_000n, 3_000_000n, 9_000_000n, 1_000_000n, 2_000_000n)
  await node.nextBlock()
  // 1, 2, 3 million: the one at floor(2 x 0.6).
  expect(oracle.suggest(node.node.view())).toBe(2_000_000n)
  await sendTips(5, 4_000_000n)
  await node.nextBlock()
  expect(oracle.suggest(node.node.view())).toBe(2_000_000n)
  for (let block = 0; block < 19; block++) await node.nextBlock()
  expect(oracle.suggest(node.node.view())).toBe(4_000_000n)
  await node.nextBlock()
  expect(oracle.suggest(node.node.view())).toBe(7n)
})

/** Counts the blocks that are read. */
class CountingView extends View {
  looked = 0

  override block(reference: BlockReference) {
    this.looked += 1
    return super.block(reference)
  }
}

test('reads no block for a repeated request, and one for each new block', async () => {
  const countingView = () => {
    const { head, pool } = node.node.view()
    return new CountingView(head, pool)
  }
  for (let block = 0; block < 25; block++) await node.nextBlock()
  const oracle = new TipOracle({ defaultTip: 7n })
  const view = countingView()
  oracle.suggest(view)
  oracle.suggest(view)
  await node.nextFlashblock()
  oracle.suggest(countingView())
  expect(view.looked).toBe(20)
  await node.nextBlock()
  const next = countingView()
  oracle.suggest(next)
  expect(next.looked).toBe(1)
})
