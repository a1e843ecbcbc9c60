import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import { COUNTER, type ForkedNode, startForkedNode } from '../support/forked-node.ts'

const FORK_BLOCK = 3

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

/** A fork with two blocks of its own. */
async function startFork() {
  const node = await createNode({
    forkUrl: upstream.proxy.url,
    forkBlockNumber: FORK_BLOCK,
    noForkCache: true,
    mining: 'auto',
  })
  onTestFinished(() => node.close())
  await call(node, 'anvil_mine', '0x2')
  return node
}

function call(node: TickertapeNode, method: string, ...params: unknown[]): Promise<unknown> {
  return node.request({ method, params })
}

test.each([
  ['anvil_rollback', ['0x4'], -32602, 'block 1 is below the fork block 3'],
  ['anvil_reorg', [3, []], -32602, 'block 2 is below the fork block 3'],
  ['debug_setHead', ['0x2'], -32000, 'block 2 is below the fork block 3'],
])('%s below the fork block is refused and changes nothing', async (method, params, code, message) => {
  const node = await startFork()
  await expect(call(node, method, ...params)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  expect(await call(node, 'eth_blockNumber')).toBe('0x5')
  const hash = await call(node, 'eth_sendTransaction', { from: DEVELOPMENT_ACCOUNTS[0]!.address, to: COUNTER })
  expect(await call(node, 'eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x6' })
})

test('anvil_rollback returns to the fork block itself', async () => {
  const node = await startFork()
  await call(node, 'anvil_rollback', '0x2')
  expect(await call(node, 'eth_blockNumber')).toBe('0x3')
})

test('eth_getProof of a block below the fork block names the fork block', async () => {
  const node = await startFork()
  await expect(call(node, 'eth_getProof', COUNTER, ['0x0'], '0x2')).rejects.toThrow('below its fork block 3')
  expect(await call(node, 'eth_getProof', COUNTER, ['0x0'], 'latest')).toMatchObject({ address: COUNTER })
})
