import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { TipOracle } from './tip-oracle.ts'

let node: RpcNode
afterEach(() => node.stop())

/** A node whose blocks hold three transfers. */
const startSmallBlocks = () => startRpcNode({}, { network: { gasLimit: 70_000n } })

/** Sends transfers with these tips, and seals the block that includes them. */
async function includeTips(...tips: bigint[]): Promise<void> {
  const nonce = Number(await node.result('eth_getTransactionCount', DEVELOPMENT_ACCOUNTS[0]!.address, 'pending'))
  for (const [index, maxPriorityFeePerGas] of tips.entries()) {
    const fees = { maxPriorityFeePerGas, maxFeePerGas: maxPriorityFeePerGas + 10_000_000_000n }
    const { raw } = signTransfer({ nonce: BigInt(nonce + index), ...fees })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
  }
  await node.nextBlock()
}

const suggestion = () => new TipOracle({ minTip: 1_000_000n }).suggest(node.node.view())

test('suggests the minimum while the newest block has room, whatever tips it holds', async () => {
  node = await startRpcNode()
  expect(suggestion()).toBe(1_000_000n)

  await includeTips(100_000_000_000n)

  expect(suggestion()).toBe(1_000_000n)
})

test('suggests 110 % of the median tip when the newest block has no room, and the minimum after an empty one', async () => {
  node = await startSmallBlocks()
  await includeTips(5_000_000n, 3_000_000n, 9_000_000n)
  expect(suggestion()).toBe(5_500_000n)

  await node.nextBlock()

  expect(suggestion()).toBe(1_000_000n)
})

test('never suggests less than the minimum or more than 500 gwei', async () => {
  node = await startSmallBlocks()
  await includeTips(2n, 2n, 2n)
  expect(suggestion()).toBe(1_000_000n)

  await includeTips(900_000_000_000n, 900_000_000_000n, 900_000_000_000n)

  expect(suggestion()).toBe(500_000_000_000n)
})
