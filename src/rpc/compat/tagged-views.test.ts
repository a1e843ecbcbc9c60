import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import type { Compat } from './compat.ts'

let node: RpcNode
async function startAt(blocks: number, compat: Compat): Promise<void> {
  node = await startRpcNode({ compat, development: true })
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
  ['anvil', 20, [20, 0, 0]],
  ['anvil', 40, [40, 8, 0]],
  ['anvil', 100, [100, 68, 36]],
  ['hardhat', 20, [20, 20, 20]],
] as const)(
  'with --compat %s, latest, safe and finalized of a chain of %i blocks are %j',
  async (compat, blocks, tags) => {
    await startAt(blocks, compat)

    expect(await heights()).toEqual(tags)
  },
)

test('with --compat hardhat, a batch reads finalized as latest', async () => {
  await startAt(20, 'hardhat')
  const request = (id: number, tag: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getBlockByNumber',
    params: [tag, false],
  })

  const text = await node.rpc.handle(JSON.stringify([request(1, 'latest'), request(2, 'finalized')]))

  const [latest, finalized] = JSON.parse(text!) as { result: object }[]
  expect(finalized!.result).toEqual(latest!.result)
})

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
