import { afterEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/genesis/development-accounts.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'

let node: RpcNode
afterEach(() => node.stop())

const sender = DEVELOPMENT_ACCOUNTS[0]!.address
const STRANGER = `0x${'00'.repeat(19)}aa`

test('with --compat hardhat, calls need neither funds nor the base fee', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const call = { from: STRANGER, to: sender, gas: '0x5208', maxFeePerGas: '0x1' }

  expect(await node.result('eth_call', call)).toBe('0x')
  expect(await node.result('eth_call', { ...call, maxFeePerGas: undefined, maxPriorityFeePerGas: '0x3' })).toBe('0x')
})

test('with --compat hardhat, blocks beyond the head have no logs, and a fee history has at least one block', async () => {
  node = await startRpcNode({ compat: 'hardhat' })

  expect(await node.result('eth_getLogs', { fromBlock: '0x1000', toBlock: '0x2000' })).toEqual([])
  expect((await node.request('eth_feeHistory', '0x0', 'latest', [])).error).toMatchObject({ code: -32000 })
  expect((await node.request('eth_feeHistory', '0x1', 'latest', [101])).error).toMatchObject({ code: -32000 })
})

test.each(['anvil', 'hardhat'] as const)('with --compat %s, one gwei is the suggested tip', async (compat) => {
  node = await startRpcNode({ compat })

  expect(await node.result('eth_maxPriorityFeePerGas')).toBe('0x3b9aca00')
})

test('with --compat hardhat, a method that Hardhat lacks is unknown', async () => {
  node = await startRpcNode({ development: true, compat: 'hardhat' })

  expect((await node.request('eth_signTransaction', {})).error).toMatchObject({ code: -32004 })
})

test('with --compat hardhat, a transaction without gas gets 2^24, so that several fit into a block', async () => {
  const { genesis } = createNetwork({ transactionGasCap: null })
  node = await startRpcNode({ development: true, compat: 'hardhat' }, { genesis })

  const hash = await node.result('eth_sendTransaction', { from: sender, to: STRANGER })

  expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({ gas: '0x1000000' })
})
