import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }
import { bytesToHex } from '../../src/primitives/hex.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { ACCOUNTS, FRIEND, OWNER, STOCK } from './viem-wallet.ts'

describe('ethers v6 at pending', () => {
  let server: ManualServer
  let provider: JsonRpcProvider
  let hash: string

  beforeAll(async () => {
    server = await startManualServer()
    provider = new JsonRpcProvider(server.url, 31337, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 })
    await server.nextBlock()
    const stock = new Contract(
      STOCK,
      stockToken.abi,
      new Wallet(bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey), provider),
    )
    hash = (await stock.getFunction('transfer')(FRIEND.address, 5n)).hash
    await server.nextFlashblock()
  })
  afterAll(async () => {
    provider.destroy()
    await server.stop()
  })

  test('reads a pending block', async () => {
    const block = await provider.getBlock('pending', true)
    expect(block).toMatchObject({ number: 2, nonce: '0x0000000000000000', gasLimit: 400_000_000n, difficulty: 0n })
    expect(block!.prefetchedTransactions).toMatchObject([{ hash, blockNumber: 2, blockHash: block!.hash, index: 0 }])
  })

  test('reads a pending receipt', async () => {
    const receipt = await provider.getTransactionReceipt(hash)
    const block = await provider.getBlock('pending')
    expect(receipt).toMatchObject({ status: 1, hash, blockNumber: 2, blockHash: block!.hash, index: 0 })
    expect(receipt!.logs).toHaveLength(1)
  })

  test('reads a pending log', async () => {
    const [log] = await provider.getLogs({ fromBlock: 'pending', toBlock: 'pending', address: STOCK })
    expect(log).toMatchObject({ transactionHash: hash, blockNumber: 2, index: 0, removed: false })
  })

  test('reads a pending transaction', async () => {
    expect(await provider.getTransaction(hash)).toMatchObject({ hash, blockNumber: 2, type: 2, from: OWNER.address })
  })

  test('calls and estimates at pending', async () => {
    const stock = new Contract(STOCK, stockToken.abi, provider)
    expect(await stock.getFunction('balanceOf')(FRIEND.address, { blockTag: 'pending' })).toBe(5n)
    expect(await stock.getFunction('balanceOf')(FRIEND.address, { blockTag: 'latest' })).toBe(0n)
    const transfer = stock.getFunction('transfer')
    expect(await transfer.estimateGas(FRIEND.address, 5n, { from: OWNER.address })).toBeGreaterThan(21_000n)
  })

  test('decodes the errors of a contract', async () => {
    const stock = new Contract(STOCK, stockToken.abi, provider)
    const call = stock.getFunction('transfer').staticCall(FRIEND.address, 5n, { from: ACCOUNTS[7]!.address })
    await expect(call).rejects.toMatchObject({ code: 'CALL_EXCEPTION', revert: { name: 'InsufficientBalance' } })
  })

  test('decodes the documented errors', async () => {
    const wallet = new Wallet(bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey), provider)
    const used = wallet.sendTransaction({ to: FRIEND.address, value: 1n, nonce: 0, gasLimit: 21_000n })
    await expect(used).rejects.toMatchObject({ code: 'NONCE_EXPIRED' })
    const everything = wallet.sendTransaction({ to: FRIEND.address, value: 10n ** 30n, gasLimit: 21_000n })
    await expect(everything).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
  })
})
