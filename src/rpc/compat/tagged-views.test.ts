import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import type { Compat } from './compat.ts'
import { reproducedFinalityDepth } from './tagged-views.ts'

let node: RpcNode
afterEach(() => node.stop())

async function startAt(blocks: number, compat: Compat, chosen?: number): Promise<void> {
  node = await startRpcNode({
    compat,
    development: true,
    reproducedFinalityDepth: reproducedFinalityDepth(compat, chosen),
  })
  await node.result('hardhat_mine', `0x${blocks.toString(16)}`)
}

async function heights(): Promise<readonly number[]> {
  const heightOf = async (tag: string) => {
    const block = (await node.result('eth_getBlockByNumber', tag, false)) as { number: string }
    return Number(block.number)
  }
  return Promise.all(['latest', 'safe', 'finalized'].map(heightOf))
}

test.each([
  ['anvil', undefined, 20, [20, 0, 0]],
  ['anvil', undefined, 40, [40, 8, 0]],
  ['anvil', undefined, 100, [100, 68, 36]],
  ['anvil', 10, 100, [100, 95, 90]],
  ['hardhat', undefined, 20, [20, 20, 20]],
  ['hardhat', 5, 20, [20, 18, 15]],
] as const)(
  'with --compat %s and --finality-depth %s, latest, safe and finalized of %i blocks are %j',
  async (compat, chosen, blocks, expected) => {
    await startAt(blocks, compat, chosen)

    expect(await heights()).toEqual(expected)
  },
)

test('with --compat hardhat, safe and finalized are the block that was mined last', async () => {
  await startAt(0, 'hardhat')

  for (let block = 1; block <= 3; block++) {
    await node.result('evm_mine')
    expect(await heights()).toEqual([block, block, block])
  }
})

test('with --compat anvil, a revert lowers safe and finalized', async () => {
  await startAt(80, 'anvil')
  const snapshot = await node.result('evm_snapshot')
  await node.result('hardhat_mine', '0x14')
  expect(await heights()).toEqual([100, 68, 36])

  await node.result('evm_revert', snapshot)

  expect(await heights()).toEqual([80, 48, 16])
})
