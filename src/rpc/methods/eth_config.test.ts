import { beforeEach, expect, test } from 'vitest'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ dialect: 'ethereum' }, { genesis: layer1Genesis() })
})
test('returns the current fork with its precompiles and contracts, and no next fork', async () => {
  const { current, next, last } = await node.result('eth_config')
  expect(current).toMatchObject({
    activationTime: 0,
    chainId: '0x7a69',
    blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    precompiles: { ECREC: `0x${'00'.repeat(19)}01`, P256VERIFY: `0x${'00'.repeat(18)}0100` },
    systemContracts: { HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935' },
  })
  expect([next, last]).toEqual([null, null])
})

test('announces an upgrade of the OP stack that keeps the Ethereum fork, without blobs', async () => {
  const start = 1_767_225_600n
  const denim = await startRpcNode({}, { network: { upgrade: 'denim', timestamp: start, denimAfter: 100n } })

  const { current, next, last } = (await denim.result('eth_config')) as Record<string, Record<string, unknown>>

  const blobSchedule = { target: 0, max: 0, baseFeeUpdateFraction: 0 }
  expect(current).toMatchObject({ activationTime: 0, blobSchedule })
  expect(next).toMatchObject({ activationTime: Number(start + 100n), blobSchedule })
  expect(next).toEqual(last)
  expect(next!.forkId).not.toBe(current!.forkId)
  expect(next!.systemContracts).toEqual({
    BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
    HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
  })
  await denim.stop()
})

test('eth_baseFee and eth_coinbase describe the open block, and eth_capabilities the available history', async () => {
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await node.result('eth_baseFee')).toBe(pending.baseFeePerGas)
  expect(await node.result('eth_coinbase')).toBe(pending.miner)
  expect(await node.result('eth_blobBaseFee')).toBe('0x1')
  expect(await node.result('net_peerCount')).toBe('0x0')
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(await node.result('eth_capabilities')).toMatchObject({
    head: { number: '0x1', hash },
    state: { disabled: false, oldestBlock: '0x0' },
    stateproofs: { oldestBlock: '0x0' },
  })
})

test('reports the oldest state that pruning left', async () => {
  const pruned = await startRpcNode({}, { history: 2 })
  for (let block = 0; block < 5; block++) await pruned.nextBlock()
  const { state, blocks } = (await pruned.result('eth_capabilities')) as Record<string, { oldestBlock: string }>
  expect(blocks!.oldestBlock).toBe('0x0')
  const oldest = Number(state!.oldestBlock)
  expect(oldest).toBeGreaterThan(0)
  const account = `0x${'00'.repeat(20)}`
  expect(await pruned.result('eth_getBalance', account, state!.oldestBlock)).toBe('0x0')
  expect((await pruned.request('eth_getBalance', account, `0x${(oldest - 1).toString(16)}`)).error?.message).toContain(
    `state at block #${oldest - 1} is pruned`,
  )
  await pruned.stop()
})
