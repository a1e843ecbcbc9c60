import { beforeEach, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { Compat } from '../compat/compat.ts'

const sender = DEVELOPMENT_ACCOUNTS[0]!.address
const other = DEVELOPMENT_ACCOUNTS[1]!.address
/** Init code of a contract that has 7 in slot 0 and returns 42. */
const CREATION = '0x60075f55600880600d5f395ff3602a5f5260205ff3'
const CREATED = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

let node: RpcNode
const start = async (compat?: Compat) => {
  node = await startRpcNode({ development: true, compat }, { development: { mining: MANUAL } })
}
const send = (request: object) => node.result('eth_sendTransaction', { from: sender, gas: '0x30000', ...request })

describe('pending in a node that mines on request', () => {
  beforeEach(() => start())

  test('shows the effects of pooled transactions to every reading method', async () => {
    const created = await send({ data: CREATION })
    await send({ to: other, value: '0x5' })
    const balance = BigInt(String(await node.result('eth_getBalance', other)))

    expect(await node.result('eth_getBlockByNumber', 'pending', false)).toMatchObject({
      number: '0x1',
      transactions: [created, expect.any(String)],
    })
    expect(await node.result('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
    expect(await node.result('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toMatchObject({
      hash: created,
      blockNumber: '0x1',
      transactionIndex: '0x0',
    })
    expect(await node.result('eth_getBlockReceipts', 'pending')).toMatchObject([{ contractAddress: CREATED }, {}])
    expect(await node.result('eth_getCode', CREATED, 'pending')).toBe('0x602a5f5260205ff3')
    expect(await node.result('eth_getStorageAt', CREATED, '0x0', 'pending')).toMatch(/07$/)
    expect(await node.result('eth_call', { to: CREATED }, 'pending')).toMatch(/2a$/)
    expect(await node.result('eth_call', { to: CREATED }, { blockNumber: 'pending' })).toMatch(/2a$/)
    expect(BigInt(String(await node.result('eth_getBalance', other, 'pending')))).toBe(balance + 5n)
    expect(await node.result('eth_getTransactionCount', sender, 'pending')).toBe('0x2')
    expect(await node.result('eth_getProof', CREATED, ['0x0'], 'pending')).toMatchObject({
      nonce: '0x1',
      storageProof: [{ value: '0x7' }],
    })
    const { gasUsedRatio } = (await node.result('eth_feeHistory', '0x1', 'pending')) as { gasUsedRatio: number[] }
    expect(gasUsedRatio[0]).toBeGreaterThan(0)
  })

  test('leaves latest and lookups by hash as they are', async () => {
    const created = await send({ data: CREATION })
    await node.result('eth_getBlockByNumber', 'pending', true)

    expect(await node.result('eth_getCode', CREATED)).toBe('0x')
    expect(await node.result('eth_getTransactionReceipt', created)).toBeNull()
    expect(await node.result('eth_getTransactionByHash', created)).toMatchObject({ blockHash: null })
    expect(await node.result('eth_blockNumber')).toBe('0x0')
  })

  test('estimates without a block, and gas that eth_sendTransaction fills in, are those after pooled transactions', async () => {
    await send({ data: CREATION })

    expect(BigInt(String(await node.result('eth_estimateGas', { to: CREATED })))).toBeGreaterThan(21_000n)
    const { gas } = await node.result('eth_getTransactionByHash', await send({ to: CREATED, gas: undefined }))
    expect(BigInt(String(gas))).toBeGreaterThan(21_000n)
  })

  test('all items of a batch see one pending block, although time passes in between', async () => {
    await send({ to: other })
    const item = { jsonrpc: '2.0', method: 'eth_getBlockByNumber', params: ['pending', false] }
    const batch = [item, { jsonrpc: '2.0', method: 'debug_traceBlockByNumber', params: ['pending'] }, item]

    const answering = node.rpc.handle(JSON.stringify(batch.map((request, id) => ({ ...request, id }))))
    node.clock.moveTo(30_000)
    const [first, , last] = JSON.parse((await answering)!)

    expect(first.result.transactions).toHaveLength(1)
    expect(last.result).toEqual(first.result)
  })

  test('the object of a transaction in the mined block has the prices of that block', async () => {
    const hash = await send({ to: other, maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' })
    await node.result('eth_getBlockByNumber', 'pending', true)

    await node.result('hardhat_setNextBlockBaseFeePerGas', '0x64')
    await node.result('evm_mine')

    expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({ gasPrice: '0x65' })
  })
})

test('with --compat hardhat, transactions of the pending block have no position until they are mined', async () => {
  await start('hardhat')
  const hash = await send({ to: other })
  const position = { hash, blockHash: null, blockNumber: null, transactionIndex: null }

  expect(await node.result('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0')).toMatchObject(position)
  expect(await node.result('eth_getBlockByNumber', 'pending', true)).toMatchObject({ transactions: [position] })

  await node.result('evm_mine')
  const mined = { hash, blockNumber: '0x1', transactionIndex: '0x0' }
  expect(await node.result('eth_getBlockByNumber', '0x1', true)).toMatchObject({ transactions: [mined] })
})

test('raw transactions appear in the pending block', async () => {
  await start()
  const { raw, hash } = signTransfer({ nonce: 0n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))

  expect(await node.result('eth_getBlockByNumber', 'pending', false)).toMatchObject({ transactions: [hash] })
})
