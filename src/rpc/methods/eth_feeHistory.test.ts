import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function send(from: number, maxPriorityFeePerGas: bigint): Promise<void> {
  const { raw } = signTransfer({ from, nonce: 0n, maxPriorityFeePerGas })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
}

test('at pending, includes the open block with its tips so far and the next base fee', async () => {
  await node.nextBlock()
  await send(0, 3_000_000n)
  await send(1, 1_000_000n)
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  const history = await node.result('eth_feeHistory', '0x2', 'pending', [0, 50, 51, 100])
  expect(history).toMatchObject({
    oldestBlock: '0x1',
    gasUsedRatio: [0, 42_000 / 400_000_000],
    reward: [
      ['0x0', '0x0', '0x0', '0x0'],
      ['0xf4240', '0xf4240', '0x2dc6c0', '0x2dc6c0'],
    ],
  })
  const baseFees = history.baseFeePerGas as string[]
  expect(baseFees).toHaveLength(3)
  expect(baseFees[1]).toBe(pending.baseFeePerGas)
  await node.nextBlock()
  const next = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(baseFees[2]).toBe(next.baseFeePerGas)
})

test('ends the range at genesis, and omits rewards without percentiles', async () => {
  const history = await node.result('eth_feeHistory', 1024, 'latest')
  expect(history).toMatchObject({ oldestBlock: '0x0', gasUsedRatio: [0] })
  expect(history).not.toHaveProperty('reward')
})

test('eth_gasPrice and eth_maxPriorityFeePerGas follow the pending base fee and the minimum tip', async () => {
  const { baseFeePerGas } = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await node.result('eth_maxPriorityFeePerGas')).toBe('0xf4240')
  expect(Number(await node.result('eth_gasPrice'))).toBe(Number(baseFeePerGas) + 1_000_000)
})

test('ends with the base fee set for the next block, or with that of the next existing block', async () => {
  await node.stop()
  node = await startRpcNode({ development: true })
  const next = async (block: string) => {
    const { baseFeePerGas } = await node.result('eth_feeHistory', '0x1', block)
    return (baseFeePerGas as string[])[1]
  }

  await node.result('anvil_setNextBlockBaseFeePerGas', '0x2dfdc1c34')
  expect(await next('latest')).toBe('0x2dfdc1c34')
  await node.nextBlock()
  expect(await next('0x0')).toBe('0x2dfdc1c34')
  const { baseFeePerGas } = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await next('latest')).toBe(baseFeePerGas)
})

test.each([
  [['0x1', '0xffff', []], -32000, 'request beyond head block: requested 65535, head 0'],
  [['0x1', 'latest', [101]], -32602, 'invalid reward percentile: 101'],
  [['0x1', 'latest', [-1]], -32602, 'invalid reward percentile: -1'],
  [['0x1', 'latest', [90, 80]], -32602, 'invalid reward percentile: #0:90 >= #1:80'],
  [['0x1', 'latest', Array(101).fill(1)], -32602, 'invalid argument 2: 101 entries, want at most 100'],
  [[-1, 'latest', []], -32602, 'invalid argument 0: expected a whole number that is not negative'],
])('rejects %j with %i %s', async (params, code, message) => {
  expect((await node.request('eth_feeHistory', ...params)).error).toEqual({ code, message })
})
