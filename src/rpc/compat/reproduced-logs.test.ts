import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import type { Compat } from './compat.ts'

let node: RpcNode
const CONVENTIONS = ['anvil', 'hardhat'] as const
const UNKNOWN_HASH = `0x${'11'.repeat(32)}`

/** A chain whose block 1 has one log. */
async function startWithLog(compat: Compat): Promise<void> {
  node = await startRpcNode({ compat })
  // PUSH0 PUSH0 LOG0
  const { raw } = signTransfer({ nonce: 0n, to: null, data: hexToBytes('0x5f5fa0'), gasLimit: 100_000n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  await node.nextBlock()
}

test.each(CONVENTIONS)('with --compat %s, a range of logs may end beyond the head or be reversed', async (compat) => {
  await startWithLog(compat)
  const logs = (filter: object) => node.result('eth_getLogs', filter)

  expect(await logs({ fromBlock: '0x0', toBlock: '0xffff' })).toHaveLength(1)
  expect(await logs({ fromBlock: '0x1', toBlock: '0x0' })).toEqual([])
  expect(await logs({ fromBlock: 'latest', toBlock: 'earliest' })).toEqual([])
})

test('with --compat anvil, a range of logs must not begin beyond the head', async () => {
  await startWithLog('anvil')

  const { error } = await node.request('eth_getLogs', { fromBlock: '0xfffe', toBlock: '0xffff' })

  const message = 'BlockOutOfRangeError: block height is 1 but requested was 65534'
  expect(error).toMatchObject({ code: -32602, message })
})

test.each(CONVENTIONS)('with --compat %s, a filter of a reversed range exists and has no logs', async (compat) => {
  await startWithLog(compat)

  const id = await node.result('eth_newFilter', { fromBlock: '0x2', toBlock: '0x1' })

  expect(await node.result('eth_getFilterChanges', id)).toEqual([])
  expect(await node.result('eth_getFilterLogs', id)).toEqual([])
})

test.each([
  ['anvil', -32602, 'cannot specify both blockHash and fromBlock/toBlock, choose one or the other'],
  ['hardhat', -32602, 'blockHash is mutually exclusive with fromBlock/toBlock'],
] as const)('with --compat %s, a block hash beside a range is refused', async (compat, code, message) => {
  await startWithLog(compat)

  const { error } = await node.request('eth_getLogs', { blockHash: UNKNOWN_HASH, fromBlock: '0x0' })

  expect(error).toMatchObject({ code, message })
})

test('with --compat hardhat, logs of an unknown block hash are refused in its words', async () => {
  await startWithLog('hardhat')

  const { error } = await node.request('eth_getLogs', { blockHash: UNKNOWN_HASH })

  expect(error).toMatchObject({ code: -32602, message: 'blockHash cannot be found' })
})

test('with --compat hardhat, a block filter begins with the block that is already there', async () => {
  await startWithLog('hardhat')
  const latest = async () => (await node.result('eth_getBlockByNumber', 'latest', false)).hash
  const first = await latest()

  const id = await node.result('eth_newBlockFilter')

  expect(await node.result('eth_getFilterChanges', id)).toEqual([first])
  await node.nextBlock()
  expect(await node.result('eth_getFilterChanges', id)).toEqual([await latest()])
})

test('with --compat hardhat, the changes and logs of an unknown filter are null', async () => {
  node = await startRpcNode({ compat: 'hardhat' })

  expect(await node.result('eth_getFilterChanges', '0xabc')).toBeNull()
  expect(await node.result('eth_getFilterLogs', '0xabc')).toBeNull()
})

test.each(CONVENTIONS)('with --compat %s, ending an unknown subscription is no error', async (compat) => {
  node = await startRpcNode({ compat })
  const received: string[] = []
  const connection = node.rpc.connect((text) => received.push(text))

  await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_unsubscribe', params: ['0xabc'] }))

  expect(JSON.parse(received[0]!)).toEqual({ jsonrpc: '2.0', id: 1, result: false })
})
