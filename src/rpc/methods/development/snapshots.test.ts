import { describe, expect, test } from 'vitest'
import { initCode } from '../../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { createAddress } from '../../../chain/transaction/contract-address.ts'
import { AUTO, MANUAL, type MiningMode } from '../../../node/development/mining-mode.ts'
import { MAX_SNAPSHOTS } from '../../../node/development/snapshots.ts'
import { type Address, bytesToHex } from '../../../primitives/hex.ts'
import type { Compat } from '../../compat/compat.ts'

const [SENDER, OTHER] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address) as [Address, Address]
const ACCOUNT = `0x${'00'.repeat(18)}beef`

let node: RpcNode
const mine = () => node.node.development!.mining.mine({ blocks: 1 })

async function start(mining: MiningMode, compat?: Compat): Promise<void> {
  node = await startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining } })
}

const send = (value = '0x1') => node.result('eth_sendTransaction', { from: SENDER, to: ACCOUNT, value })
const balance = () => node.result('eth_getBalance', ACCOUNT, 'latest')
const latest = () => node.result('eth_blockNumber')

describe('evm_revert', () => {
  test.each([
    ['anvil', ['0x0', '0x1', '0x2'], '0x3'],
    ['hardhat', ['0x1', '0x2', '0x3'], '0x4'],
  ] as const)(
    'with --compat %s discards the snapshot and later ones; ids are never reused',
    async (compat, ids, next) => {
      await start(AUTO, compat)
      for (const id of ids) {
        expect(await node.result('evm_snapshot')).toBe(id)
        await send()
      }

      expect(await node.result('evm_revert', ids[1])).toBe(true)

      expect(await balance()).toBe('0x1')
      expect(await latest()).toBe('0x1')
      expect(await node.result('evm_revert', ids[1])).toBe(false)
      expect(await node.result('evm_revert', ids[2])).toBe(false)
      expect(await node.result('evm_snapshot')).toBe(next)
      expect(await node.result('evm_revert', ids[0])).toBe(true)
      expect(await latest()).toBe('0x0')
    },
  )

  test('is possible at the limit of snapshots, beyond which evm_snapshot is refused', async () => {
    await start(MANUAL)
    const { snapshots } = node.node.development!
    for (let taken = 0; taken < MAX_SNAPSHOTS; taken++) expect(await snapshots.take()).toBe(taken)

    expect((await node.request('evm_snapshot')).error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^there are 50000 snapshots: revert to an earlier one/),
    })

    expect(await node.result('evm_revert', 10)).toBe(true)
    expect(await node.result('evm_snapshot')).toBe('0xc350')
  })

  test('accepts an id as a number and as text', async () => {
    await start(AUTO)
    for (const id of [0, '0x1', '2', '0X3']) {
      await node.result('evm_snapshot')
      expect(await node.result('evm_revert', id)).toBe(true)
    }
    expect(await node.result('evm_revert', 99)).toBe(false)
  })

  test('undoes state changes made on the same block, and keeps earlier ones', async () => {
    await start(AUTO)
    await node.result('anvil_setBalance', ACCOUNT, '0x5')
    const id = await node.result('evm_snapshot')
    await node.result('anvil_setBalance', ACCOUNT, '0x6')
    await mine()

    await node.result('evm_revert', id)

    expect(await balance()).toBe('0x5')
    await mine()
    expect(await balance()).toBe('0x5')
    expect(await node.result('eth_getBalance', ACCOUNT, 'pending')).toBe('0x5')
  })

  test('of Anvil keeps transactions sent since in the pool, and drops those included since', async () => {
    await start(MANUAL, 'anvil')
    const included = await send('0x1')
    const id = await node.result('evm_snapshot')
    await mine()
    const since = await send('0x2')

    await node.result('evm_revert', id)

    expect(await node.result('eth_getTransactionByHash', included)).toBe(null)
    expect(await node.result('eth_getTransactionByHash', since)).toMatchObject({ blockNumber: null })
  })

  test('of Hardhat restores the pool', async () => {
    await start(MANUAL, 'hardhat')
    const included = await send('0x1')
    const id = await node.result('evm_snapshot')
    await mine()
    const since = await send('0x2')

    await node.result('evm_revert', id)

    expect(await node.result('eth_getTransactionByHash', included)).toMatchObject({ blockNumber: null })
    expect(await node.result('eth_getTransactionByHash', since)).toBe(null)
    await mine()
    expect(await balance()).toBe('0x1')
  })

  test('announces the logs of removed blocks as removed and emits new heads', async () => {
    await start(AUTO)
    const id = await node.result('evm_snapshot')
    // Emits a log without topics.
    await node.result('anvil_setCode', ACCOUNT, '0x5f5fa000')
    const filter = await node.result('eth_newFilter', { address: ACCOUNT })
    await send('0x0')
    expect(await node.result('eth_getFilterChanges', filter)).toMatchObject([{ removed: false }])

    await node.result('evm_revert', id)

    expect(await node.result('eth_getFilterChanges', filter)).toMatchObject([{ removed: true }])
  })

  test('below the finalized block is possible', async () => {
    node = await startRpcNode({ development: true }, { development: { mining: AUTO }, finalityDepth: 1 })
    const id = await node.result('evm_snapshot')
    for (let block = 0; block < 12; block++) await send()
    await node.node.idle()
    expect(await node.result('eth_getBlockByNumber', 'finalized', false)).not.toMatchObject({ number: '0x0' })

    expect(await node.result('evm_revert', id)).toBe(true)

    expect(await node.result('eth_getBlockByNumber', 'finalized', false)).toMatchObject({ number: '0x0' })
    expect(await balance()).toBe('0x0')
  })

  test('continues time from the newest block (Anvil), or from the snapshot (Hardhat)', async () => {
    for (const [compat, expected] of [
      ['anvil', 1n],
      ['hardhat', 1_000n],
    ] as const) {
      await start(AUTO, compat)
      await mine()
      const before = BigInt((await node.result('eth_getBlockByNumber', 'latest', false)).timestamp as string)
      await node.node.development!.time.increase(1_000n)
      const id = await node.result('evm_snapshot')
      await node.node.development!.time.increase(50_000n)
      await mine()
      node.clock.moveTo(node.clock.monotonic() + 5_000)

      await node.result('evm_revert', id)
      await mine()

      const after = BigInt((await node.result('eth_getBlockByNumber', 'latest', false)).timestamp as string)
      expect([after - before, after - before - 1n]).toContain(expected)
      if (compat === 'anvil') await node.stop()
    }
  })
})

describe('anvil_rollback', () => {
  test('removes the newest blocks', async () => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()

    expect(await node.result('anvil_rollback', 2)).toBe(null)
    expect(await latest()).toBe('0x1')
    expect(await balance()).toBe('0x1')
    expect(await node.result('anvil_rollback', null)).toBe(null)
    expect(await latest()).toBe('0x0')
  })

  test('refuses more blocks than there are', async () => {
    await start(AUTO)
    await send()
    expect((await node.request('anvil_rollback', 100_000)).error).toMatchObject({
      code: -32602,
      message: 'Rollback depth must not exceed current chain height: current height 1, depth 100000',
    })
    expect(await latest()).toBe('0x1')
  })
})

describe('anvil_reorg', () => {
  test('replaces the newest blocks by others with the given transactions', async () => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()
    const { hash } = await node.result('eth_getBlockByNumber', '0x2', false)

    const request = { from: SENDER, to: ACCOUNT, value: '0x64' }
    expect(await node.result('anvil_reorg', 2, [[request, 1]])).toBe(null)

    expect(await latest()).toBe('0x3')
    expect(await balance()).toBe('0x65')
    expect((await node.result('eth_getBlockByNumber', '0x2', false)).transactions).toEqual([])
    expect((await node.result('eth_getBlockByNumber', '0x3', false)).transactions).toHaveLength(1)
    expect((await node.result('eth_getBlockByNumber', '0x2', false)).hash).not.toBe(hash)
    await send()
    expect(await latest()).toBe('0x4')
  })

  test.each(['0x0', '0x3'])('replaces empty blocks by different ones after %s other blocks', async (below) => {
    await start(MANUAL)
    await node.result('anvil_mine', below)
    await node.result('anvil_mine', '0x3')
    const blocks = async () =>
      Promise.all(
        [1, 2, 3].map(async (index) =>
          node.result('eth_getBlockByNumber', `0x${(Number(below) + index).toString(16)}`, false),
        ),
      )
    const seen = new Set<unknown>()

    for (let reorganized = 0; reorganized < 3; reorganized++) {
      for (const { hash } of await blocks()) seen.add(hash)
      expect(await node.result('anvil_reorg', 3, [])).toBe(null)
    }

    for (const { hash } of await blocks()) seen.add(hash)
    expect(seen.size).toBe(12)
  })

  test('keeps a prevRandao that was chosen for the next block', async () => {
    await start(MANUAL)
    await node.result('anvil_mine', '0x2')
    const prevRandao = `0x${'5a'.repeat(32)}`
    await node.result('hardhat_setPrevRandao', prevRandao)

    await node.result('anvil_reorg', 2, [])

    expect(await node.result('eth_getBlockByNumber', '0x1', false)).toMatchObject({ mixHash: prevRandao })
    expect(await node.result('eth_getBlockByNumber', '0x2', false)).not.toMatchObject({ mixHash: prevRandao })
  })

  test.each<[string, unknown]>([
    ['a sender without a key', { from: ACCOUNT, to: SENDER }],
    ['bytes that are no transaction', '0x02c0'],
  ])('with %s is refused and changes nothing', async (_, refused) => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()
    const { sequence } = node.node.view().head

    const { error } = await node.request('anvil_reorg', 2, [
      [{ from: SENDER, to: ACCOUNT }, 0],
      [refused, 1],
    ])

    expect(error).toBeDefined()
    expect(node.node.view().head.sequence).toBe(sequence)
    await send()
    expect(await latest()).toBe('0x4')
  })

  test('estimates a transaction on the blocks of the new chain before it', async () => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()
    // Block 0 deploys a contract that fills slot 0, block 1 calls it twice.
    const contract = createAddress(SENDER, 1n)
    const deployment = { from: SENDER, data: bytesToHex(initCode('602a5f5500')) }
    const call = { from: SENDER, to: contract }

    await node.result('anvil_reorg', 2, [
      [call, 1],
      [deployment, 0],
      [call, 1],
    ])

    expect(await latest()).toBe('0x3')
    expect(await node.result('eth_getStorageAt', contract, '0x0', 'latest')).toBe(`0x${'2a'.padStart(64, '0')}`)
    const receipts = await node.result('eth_getBlockReceipts', '0x3')
    expect(receipts).toMatchObject([{ status: '0x1' }, { status: '0x1' }])
  })

  test('leaves a refused transaction out, keeps the height and names the block', async () => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()

    const { error } = await node.request('anvil_reorg', 2, [
      [{ from: SENDER, to: ACCOUNT, value: `0x${'ff'.repeat(20)}`, gas: '0x5208' }, 0],
      [{ from: SENDER, to: ACCOUNT, value: '0x64' }, 1],
    ])

    expect(error?.message).toMatch(/^the chain was reorganized without a transaction of block 0: insufficient funds/)
    expect(await latest()).toBe('0x3')
    expect((await node.result('eth_getBlockByNumber', '0x3', false)).transactions).toHaveLength(1)
  })

  test('mines transactions that other clients send meanwhile once, and keeps the mining mode', async () => {
    await start(AUTO)
    for (let block = 0; block < 3; block++) await send()
    const request = { from: SENDER, to: ACCOUNT, value: '0x64' }
    const other = { from: OTHER, to: ACCOUNT, value: '0x1' }

    const [reorganized, ...hashes] = await Promise.all([
      node.result('anvil_reorg', 2, [[request, 1]]),
      ...Array.from({ length: 5 }, () => node.result('eth_sendTransaction', other)),
    ])

    expect(reorganized).toBe(null)
    for (const hash of hashes) {
      expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    }
    expect(await node.result('anvil_getAutomine')).toBe(true)
    expect(await node.result('eth_getTransactionCount', OTHER, 'latest')).toBe('0x5')
  })

  test('refuses a transaction above the new chain and too many blocks', async () => {
    await start(AUTO)
    await send()
    expect((await node.request('anvil_reorg', 1, [[{ to: ACCOUNT }, 5]])).error).toMatchObject({ code: -32602 })
    expect((await node.request('anvil_reorg', 7, [])).error).toMatchObject({
      code: -32602,
      message: 'Reorg depth must not exceed current chain height: current height 1, depth 7',
    })
    expect(await latest()).toBe('0x1')
  })
})

describe('a reset', () => {
  test('returns to genesis with an empty pool and no snapshots', async () => {
    await start(MANUAL)
    await node.result('anvil_setBalance', ACCOUNT, '0x5')
    const id = await node.result('evm_snapshot')
    await send()
    await mine()
    await send()

    expect(await node.result('anvil_reset')).toBe(null)

    expect(await latest()).toBe('0x0')
    expect(await balance()).toBe('0x0')
    expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await node.result('evm_revert', id)).toBe(false)
    expect(await node.result('eth_getTransactionCount', SENDER, 'pending')).toBe('0x0')
  })

  test.each([
    ['anvil_reset', [{}], -32602, /Forking not enabled and RPC URL not provided/],
    ['anvil_reset', [{ forking: {} }], -32602, /Forking not enabled/],
    ['hardhat_reset', [{ forking: { jsonRpcUrl: 'http://localhost:1' } }], -32602, /does not fork/],
    ['hardhat_reset', [{ forking: { blockNumber: 5 } }], -32602, /needs forking.jsonRpcUrl/],
    ['hardhat_reset', ['latest'], -32602, /invalid argument 0/],
  ])('%s %j is refused and changes nothing', async (method, params, code, message) => {
    await start(AUTO)
    await send()
    expect((await node.request(method, ...params)).error).toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await latest()).toBe('0x1')
  })

  test.each([
    ['hardhat_reset', false],
    ['anvil_reset', true],
  ])('after %s an account is impersonated: %s', async (method, isImpersonated) => {
    await start(AUTO)
    await node.result('hardhat_impersonateAccount', ACCOUNT)

    await node.result(method)

    expect(node.node.development!.accounts.isImpersonated(ACCOUNT as Address)).toBe(isImpersonated)
  })

  test('hardhat_reset restores the mining mode and accepts an empty configuration', async () => {
    await start(AUTO)
    await send()
    expect(await node.result('hardhat_reset', {})).toBe(true)
    await send()
    expect(await latest()).toBe('0x1')
  })
})
