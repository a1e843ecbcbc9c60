import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { AUTO, MANUAL } from '../../node/development/mining-mode.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import type { Compat } from './compat.ts'

let node: RpcNode
const sender = DEVELOPMENT_ACCOUNTS[0]!.address
const STRANGER = `0x${'00'.repeat(19)}aa`

test('with --compat hardhat, calls need neither funds nor the base fee', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const call = { from: STRANGER, to: sender, gas: '0x5208', maxFeePerGas: '0x1' }

  expect(await node.result('eth_call', call)).toBe('0x')
  expect(await node.result('eth_call', { ...call, maxFeePerGas: undefined, maxPriorityFeePerGas: '0x3' })).toBe('0x')
})

test('with --compat anvil, a call may offer less than the base fee', async () => {
  node = await startRpcNode({ compat: 'anvil' })

  expect(await node.result('eth_call', { from: sender, to: STRANGER, gasPrice: '0x1' })).toBe('0x')
  expect(await node.result('eth_call', { from: sender, to: STRANGER, maxFeePerGas: '0x1' })).toBe('0x')
})

test.each(['anvil', 'hardhat'] as const)('with --compat %s, estimates are exact', async (compat) => {
  node = await startRpcNode({ compat })
  const call = { from: sender, to: STRANGER }
  /** Reads a cold slot and its gas. */
  const state = { [STRANGER]: { code: '0x5f545a00' } }
  const estimate = BigInt(String(await node.result('eth_estimateGas', call, 'latest', state)))

  const run = (gas: bigint) => node.request('eth_call', { ...call, gas: `0x${gas.toString(16)}` }, 'latest', state)

  expect((await run(estimate)).error).toBeUndefined()
  expect((await run(estimate - 1n)).error).toBeDefined()
})

test('with --compat hardhat, blocks beyond the head have no logs, and a fee history has 1 to 1024 blocks', async () => {
  node = await startRpcNode({ compat: 'hardhat' })

  expect(await node.result('eth_getLogs', { fromBlock: '0x1000', toBlock: '0x2000' })).toEqual([])
  for (const count of ['0x0', '0x401']) {
    const { error } = await node.request('eth_feeHistory', count, 'latest', [])
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('blockCount') })
  }
  expect((await node.request('eth_feeHistory', '0x1', 'latest', [101])).error).toMatchObject({ code: -32000 })
})

test('with --compat hardhat, a call has at least its value and pays for its gas as far as its balance goes', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const [rich, poor] = [sender, STRANGER]
  /** Returns the balance of the caller. */
  const contract = `0x${'00'.repeat(19)}bb`
  const code = '0x33315f5260205ff3'
  const balanceDuring = async (call: object) => {
    const state = { [contract]: { code }, [poor]: { balance: '0x3e8' } }
    return BigInt(String(await node.result('eth_call', { to: contract, gas: '0x186a0', ...call }, 'latest', state)))
  }
  const before = BigInt(String(await node.result('eth_getBalance', rich)))

  expect(await balanceDuring({ from: rich, gasPrice: '0x2' })).toBe(before - 200_000n)
  expect(await balanceDuring({ from: poor, gasPrice: '0x1' })).toBe(0n)
  expect(await balanceDuring({ from: poor })).toBe(1_000n)
  expect(await balanceDuring({ from: poor, value: '0x1388' })).toBe(0n)
})

test('with --compat hardhat, percentiles of a fee history are those of the gas limit', async () => {
  const tips = [3_000_000n, 1_000_000n]
  const rewardOf = async (compat: Compat | undefined) => {
    node = await startRpcNode({ compat })
    for (const [from, maxPriorityFeePerGas] of tips.entries()) {
      await node.result(
        'eth_sendRawTransaction',
        bytesToHex(signTransfer({ from, nonce: 0n, maxPriorityFeePerGas }).raw),
      )
    }
    await node.nextBlock()
    const { gasLimit } = await node.result('eth_getBlockByNumber', 'latest', false)
    const second = (30_000 * 100) / Number(gasLimit)
    const { reward } = await node.result('eth_feeHistory', '0x1', 'latest', [0, second, 90])
    if (compat === undefined) await node.stop()
    return reward
  }

  expect(await rewardOf(undefined)).toEqual([['0xf4240', '0xf4240', '0x2dc6c0']])
  expect(await rewardOf('hardhat')).toEqual([['0xf4240', '0x2dc6c0', '0x2dc6c0']])
})

test.each([
  [undefined, '0x8464135c8f25da09e49bc8782676a84730c318bc'],
  ['anvil', '0x8464135c8f25da09e49bc8782676a84730c318bc'],
  ['hardhat', null],
] as const)('with --compat %s, the contract address of a failed creation is %s', async (compat, contractAddress) => {
  node = await startRpcNode({ compat })
  const failing = { from: 1, nonce: 0n, to: null, data: hexToBytes('0x5f5ffd'), gasLimit: 100_000n }
  const { raw, hash } = signTransfer(failing)
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  await node.nextBlock()
  const failed = { status: '0x0', contractAddress }

  expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject(failed)
  expect(await node.result('eth_getBlockReceipts', 'latest')).toMatchObject([failed])
})

test.each(['anvil', 'hardhat'] as const)(
  'with --compat %s, requireCanonical belongs to a block hash',
  async (compat) => {
    node = await startRpcNode({ compat })
    const { hash: blockHash } = await node.result('eth_getBlockByNumber', 'latest', false)
    const codeAt = (block: object) => node.request('eth_getCode', sender, block)

    expect((await codeAt({ blockNumber: '0x0', requireCanonical: true })).error).toMatchObject({ code: -32602 })
    expect((await codeAt({ blockHash, requireCanonical: true })).result).toBe('0x')
    expect((await codeAt({ blockNumber: '0x0' })).result).toBe('0x')
  },
)

test('with --compat anvil, addresses of txpool_content and txpool_inspect are lowercase', async () => {
  node = await startRpcNode({ compat: 'anvil' }, { sequencing: false })
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))

  expect(await node.result('txpool_content')).toMatchObject({ pending: { [sender]: { 0: { from: sender } } } })
  const line = `${DEVELOPMENT_ACCOUNTS[9]!.address}: 1 wei + 21000 gas × 10000000000 wei`
  expect(await node.result('txpool_inspect')).toMatchObject({ pending: { [sender]: { 0: line } } })
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

test('with --compat hardhat, estimates need no funds', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const estimate = (call: object) => node.result('eth_estimateGas', { from: STRANGER, to: sender, ...call })

  expect(await estimate({ value: '0x1' })).toBe('0x5209')
  expect(await estimate({ gasPrice: '0x77359400', value: '0xde0b6b3a7640000' })).toBe('0x5209')
  expect(await estimate({ maxPriorityFeePerGas: '0x3b9aca00' })).toBe('0x5209')
  expect(await estimate({ to: undefined, data: '0x00', gasPrice: '0x77359400' })).toBe('0xcf0f')
})

test('with --compat anvil, a bare transfer is estimated at 21,000 gas without funds, a call is not', async () => {
  node = await startRpcNode({ compat: 'anvil' })
  const base = { from: STRANGER, to: sender, value: '0x1' }
  const estimate = (call: object) => node.request('eth_estimateGas', { ...base, ...call })

  expect((await estimate({ gasPrice: '0x77359400' })).result).toBe('0x5208')
  expect((await estimate({ data: '0x00' })).error).toMatchObject({ code: -32003 })
})

const PAYER = `0x${'00'.repeat(19)}cc`
/** Stores the gas price, unless it is zero. */
const PAYS_BY_PRICE = { [PAYER]: { code: '0x3a156008573a5f555b00' } }

test('with --compat hardhat, an estimate runs with the gas price of the transaction and exceeds the intrinsic gas', async () => {
  node = await startRpcNode({ compat: 'hardhat' })
  const call = { from: sender, to: PAYER }
  const estimated = async (fees: object) =>
    Number(await node.result('eth_estimateGas', { ...call, ...fees }, 'latest', PAYS_BY_PRICE))

  expect(await estimated({})).toBeGreaterThan(43_000)
  expect(await estimated({ maxFeePerGas: '0x77359400' })).toBeGreaterThan(43_000)
  expect(await estimated({ gasPrice: '0x0' })).toBeLessThan(22_000)
  expect(await node.result('eth_estimateGas', { from: sender, to: STRANGER, value: '0x1' })).toBe('0x5209')
})

test('with --compat hardhat, a lower gas limit of blocks drops the pool transactions that exceed it', async () => {
  node = await startRpcNode({ compat: 'hardhat', development: true }, { development: { mining: MANUAL } })
  const send = (nonce: string, gas: string) =>
    node.result('eth_sendTransaction', { from: sender, to: STRANGER, nonce, gas })
  const large = await send('0x0', '0x186a0')
  const small = await send('0x1', '0x5208')

  await node.result('evm_setBlockGasLimit', '0xc350')

  expect(await node.result('eth_getTransactionByHash', large)).toBeNull()
  expect(await node.result('eth_getTransactionByHash', small)).toMatchObject({ hash: small })
})

test('with --compat hardhat, a client without a connection subscribes, and polls or ends the subscription', async () => {
  node = await startRpcNode({ compat: 'hardhat', development: true }, { development: { mining: MANUAL } })
  const ids = [
    await node.result('eth_subscribe', 'newHeads'),
    await node.result('eth_subscribe', 'logs', { address: STRANGER }),
    await node.result('eth_subscribe', 'newPendingTransactions'),
  ]
  await node.result('evm_mine')

  expect(await node.result('eth_getFilterChanges', ids[0])).toHaveLength(1)
  for (const id of ids) expect(await node.result('eth_unsubscribe', id)).toBe(true)
  expect(await node.result('eth_unsubscribe', ids[0])).toBe(false)
  for (const kind of ['nonsense', 'pendingLogs'])
    expect((await node.request('eth_subscribe', kind)).error).toBeDefined()
})

test('with --compat anvil, dropping a transaction drops those that can only follow it', async () => {
  node = await startRpcNode({ compat: 'anvil', development: true }, { development: { mining: MANUAL } })
  const send = async (nonce: string) =>
    String(await node.result('eth_sendTransaction', { from: sender, to: STRANGER, nonce, gas: '0x5208' }))
  const hashes = [await send('0x0'), await send('0x1'), await send('0x2'), await send('0x7')]

  expect(await node.result('anvil_dropTransaction', hashes[1])).toBe(hashes[1])

  const pooled = await Promise.all(hashes.map((hash) => node.result('eth_getTransactionByHash', hash)))
  expect(pooled.map((transaction) => transaction !== null)).toEqual([true, false, false, true])
})

test('with --compat hardhat, dropping a transaction keeps the others of its sender', async () => {
  node = await startRpcNode({ compat: 'hardhat', development: true }, { development: { mining: MANUAL } })
  const send = async (nonce: string) =>
    String(await node.result('eth_sendTransaction', { from: sender, to: STRANGER, nonce, gas: '0x5208' }))
  const [first, second] = [await send('0x0'), await send('0x1')]

  expect(await node.result('hardhat_dropTransaction', first)).toBe(true)

  expect(await node.result('eth_getTransactionByHash', second)).toMatchObject({ hash: second })
})

test('with --compat anvil, the traces of block 0 are empty', async () => {
  node = await startRpcNode({ compat: 'anvil' })
  const { hash } = await node.result('eth_getBlockByNumber', '0x0', false)

  expect(await node.result('debug_traceBlockByNumber', '0x0')).toEqual([])
  expect(await node.result('debug_traceBlockByHash', hash)).toEqual([])
})

test('with --compat anvil, the access list of a call that fails is refused with the failure', async () => {
  node = await startRpcNode({ compat: 'anvil' })
  const list = (code: string) =>
    node.request('eth_createAccessList', { from: sender, to: STRANGER }, 'latest', { [STRANGER]: { code } })

  expect((await list('0x60aa5f5260205ffd')).error).toEqual({
    code: 3,
    message: expect.stringContaining('execution reverted'),
    data: `0x${'00'.repeat(31)}aa`,
  })
  expect((await list('0xfe')).error).toBeDefined()
  expect((await list('0x5f5400')).result).toMatchObject({ accessList: [{ address: STRANGER }] })
})

test('with --compat anvil, receipts have the members of Anvil: no fees of layer 1, the price of blobs and the time', async () => {
  node = await startRpcNode({ compat: 'anvil', development: true }, { development: { mining: AUTO } })
  const hash = await node.result('eth_sendTransaction', { from: sender, to: STRANGER, gas: '0x5208' })

  const receipt = await node.result('eth_getTransactionReceipt', hash)

  const { timestamp } = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(receipt).toMatchObject({ blobGasPrice: '0x1', blockTimestamp: Number(timestamp) })
  const others = Object.keys(receipt).filter((name) => /^l1|^daFootprint|^blobGasUsed/.test(name))
  expect(others).toEqual([])
  expect(await node.result('eth_getBlockReceipts', 'latest')).toEqual([receipt])
})

test('logs of a filter up to pending include those of pooled transactions where blocks are on demand', async () => {
  node = await startRpcNode({ development: true }, { development: { mining: MANUAL } })
  /** Emits a log without topics. */
  await node.result('anvil_setCode', STRANGER, '0x5f5fa0')
  const filter = await node.result('eth_newFilter', { fromBlock: '0x0', toBlock: 'pending' })
  const transactionHash = await node.result('eth_sendTransaction', { from: sender, to: STRANGER, gas: '0xc350' })

  expect(await node.result('eth_getFilterLogs', filter)).toMatchObject([{ transactionHash, address: STRANGER }])
})
