import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STOCK_IMPLEMENTATION_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import stockProxy from '../../src/chain/predeploys/stock-proxy.json' with { type: 'json' }
import { type RunningNode, startNode } from '../support/running-node.ts'
import { ACCOUNTS, chainAt, FRIEND, OWNER, STOCK, STOCK_ABI, signTransfer, walletOf } from './viem-wallet.ts'

describe('viem on a running node', () => {
  let node: RunningNode
  let url: string

  beforeAll(async () => {
    node = await startNode()
    url = node.urls.rpc
  })
  afterAll(() => node.close())

  test('sendRawTransactionSync returns within two ticks', async () => {
    const wallet = walletOf(url, ACCOUNTS[2])
    const times: number[] = []
    for (let nonce = 0; nonce < 9; nonce++) {
      const serializedTransaction = await signTransfer(wallet, nonce)
      const start = performance.now()
      const receipt = await wallet.sendRawTransactionSync({ serializedTransaction })
      times.push(performance.now() - start)
      expect(receipt).toMatchObject({ status: 'success', gasUsed: 21_000n })
    }
    // Not the slowest one: other tests may use the processor.
    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(2 * 200)
  })

  test('waitForTransactionReceipt and the pending nonce follow sends immediately', async () => {
    const wallet = walletOf(url, ACCOUNTS[3], 200)
    const hashes: Hex[] = []
    // viem does not track nonces here: each is the node's current one.
    for (let count = 0; count < 5; count++) {
      hashes.push(await wallet.sendTransaction({ to: FRIEND.address, value: 1n }))
    }
    const receipts = await Promise.all(hashes.map((hash) => wallet.waitForTransactionReceipt({ hash })))
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
    expect(await wallet.getTransactionCount({ address: wallet.account.address, blockTag: 'pending' })).toBe(5)
  })

  test('readContract, simulateContract, writeContract, getLogs and watchEvent', async () => {
    const wallet = walletOf(url)
    const seen: unknown[] = []
    const stock = { address: STOCK, abi: STOCK_ABI } as const
    const to = ACCOUNTS[8]!.address
    const watched = new Promise<void>((resolve, reject) => {
      const stop = wallet.watchEvent({
        address: STOCK,
        event: STOCK_ABI[5],
        pollingInterval: 50,
        onError: reject,
        onLogs(logs) {
          seen.push(...logs.map(({ args }) => args))
          stop()
          resolve()
        },
      })
    })
    expect(await wallet.readContract({ ...stock, functionName: 'symbol' })).toBe('HLCYNd')
    const { request, result } = await wallet.simulateContract({
      ...stock,
      functionName: 'transfer',
      args: [to, 7n],
      blockTag: 'pending',
    })
    expect(result).toBe(true)
    const hash = await wallet.writeContract(request)
    const { blockNumber } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    const balance = { ...stock, functionName: 'balanceOf', args: [to], blockTag: 'pending' } as const
    expect(await wallet.readContract(balance)).toBe(7n)
    const [log] = await wallet.getLogs({ address: STOCK, event: STOCK_ABI[5], fromBlock: 0n, toBlock: 'pending' })
    expect(log).toMatchObject({ transactionHash: hash, blockNumber, args: { from: OWNER.address, to, value: 7n } })
    await watched
    expect(seen).toEqual([{ from: OWNER.address, to, value: 7n }])
  })

  test('multicall', async () => {
    const stock = { address: STOCK, abi: STOCK_ABI } as const
    const responses = await walletOf(url).multicall({
      contracts: [
        { ...stock, functionName: 'totalSupply' },
        { ...stock, functionName: 'symbol' },
        { ...stock, functionName: 'mint', args: [FRIEND.address, 1n] },
      ],
    })
    expect(responses).toMatchObject([
      { status: 'success', result: 10n ** 24n },
      { status: 'success', result: 'HLCYNd' },
      { status: 'failure' },
    ])
  })

  test('deployContract, and reads of it before its block is sealed', async () => {
    const wallet = walletOf(url, ACCOUNTS[4], 200)
    const hash = await wallet.deployContract({
      abi: stockProxy.abi,
      bytecode: stockProxy.bytecode as Hex,
      args: [STOCK_IMPLEMENTATION_ADDRESS],
    })
    const receipt = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    const address = receipt.contractAddress!
    // The code as left by the constructor, including its immutable.
    const code = await wallet.getCode({ address: STOCK })
    expect(await wallet.getCode({ address, blockTag: 'pending' })).toBe(code)
    const mint = encodeFunctionData({ abi: STOCK_ABI, functionName: 'mint', args: [FRIEND.address, 9n] })
    const initialization = await wallet.writeContract({
      address,
      abi: STOCK_ABI,
      functionName: 'initialize',
      args: ['Test Stock', 'TEST', 18, wallet.account.address, [mint]],
    })
    await wallet.waitForTransactionReceipt({ hash: initialization, pollingInterval: 20 })
    const supply = { address, abi: STOCK_ABI, functionName: 'totalSupply', blockTag: 'pending' } as const
    expect(await wallet.readContract(supply)).toBe(9n)
  })

  test('revert reasons are decoded', async () => {
    const poor = walletOf(url, ACCOUNTS[5])
    const failure = async (action: Promise<unknown>) => {
      const error = await action.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (!(error instanceof BaseError)) throw new Error('did not fail')
      const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
      return (reverted as ContractFunctionRevertedError | null)?.data
    }
    const stock = { address: STOCK, abi: STOCK_ABI, account: poor.account } as const
    const transfer = { ...stock, functionName: 'transfer', args: [FRIEND.address, 3n] } as const
    const expected = { errorName: 'InsufficientBalance', args: [poor.account.address, 0n, 3n] }
    expect(await failure(poor.simulateContract(transfer))).toMatchObject(expected)
    expect(await failure(poor.estimateContractGas(transfer))).toMatchObject(expected)
    expect(await failure(poor.writeContract({ ...transfer, chain: chainAt(url) }))).toMatchObject(expected)
    const mint = { ...stock, functionName: 'mint', args: [FRIEND.address, 1n] } as const
    expect(await failure(poor.simulateContract(mint))).toMatchObject({ errorName: 'AccessControlUnauthorizedAccount' })
  })

  test('simulateBlocks decodes the response', async () => {
    const client: PublicClient = createPublicClient({ chain: chainAt(url), transport: http(url) })
    const [block] = await client.simulateBlocks({
      blockTag: 'pending',
      blocks: [{ calls: [{ to: STOCK, abi: STOCK_ABI, functionName: 'symbol' }] }],
    })
    expect(block!.calls).toMatchObject([{ status: 'success', result: 'HLCYNd' }])
  })

  test('eth_fillTransaction fills in what viem leaves out, and sending works', async () => {
    const wallet = walletOf(url, ACCOUNTS[6], 200)
    const request = { from: ACCOUNTS[6]!.address, to: FRIEND.address, value: '0x1' }
    const filled = await wallet.request({ method: 'eth_fillTransaction', params: [request] } as never)
    expect(filled).toMatchObject({ tx: { type: '0x2', nonce: '0x0', gas: '0x5208' } })
    const hash = await wallet.sendTransaction({ to: FRIEND.address, value: 1n })
    expect(await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })).toMatchObject({ status: 'success' })
  })

  test('fees are estimated so that a transaction is taken at once', async () => {
    const wallet = walletOf(url, ACCOUNTS[7])
    const { maxFeePerGas, maxPriorityFeePerGas } = await wallet.estimateFeesPerGas()
    const { baseFeePerGas } = await wallet.getBlock({ blockTag: 'pending' })
    expect(maxFeePerGas).toBeGreaterThanOrEqual(baseFeePerGas! + maxPriorityFeePerGas)
    expect(await wallet.getGasPrice()).toBeGreaterThanOrEqual(baseFeePerGas!)
  })
})
