import { once } from 'node:events'
import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/development-accounts.ts'
import { STOCK_IMPLEMENTATION_ADDRESS } from '../src/chain/predeploys/stock-contracts.ts'
import stockProxy from '../src/chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../src/chain/predeploys/stock-token.json' with { type: 'json' }
import { bytesToHex } from '../src/primitives/hex.ts'
import { type ManualServer, startManualServer } from './support/manual-server.ts'
import { type RunningNode, startNode } from './support/running-node.ts'

const STOCK: Address = '0x5700000000000000000000000000000000000001'
const STOCK_ABI = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function symbol() view returns (string)',
  'function mint(address to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'error InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'function initialize(string name, string symbol, uint8 decimals, address admin, bytes[] initCalls)',
])
const ACCOUNTS = DEVELOPMENT_ACCOUNTS.map(({ privateKey }) => privateKeyToAccount(bytesToHex(privateKey)))
const [OWNER, FRIEND] = ACCOUNTS as [(typeof ACCOUNTS)[0], (typeof ACCOUNTS)[0]]

function chainAt(url: string, preconfirmationTime?: number) {
  return defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
    blockTime: 2_000,
    ...(preconfirmationTime && { experimental_preconfirmationTime: preconfirmationTime }),
  })
}

function walletOf(url: string, account = OWNER, preconfirmationTime?: number) {
  const chain = chainAt(url, preconfirmationTime)
  return createWalletClient({ account, chain, transport: http(url, { retryCount: 0 }) }).extend(publicActions)
}

describe('ethers v6', () => {
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

  test('knows the promised errors', async () => {
    const wallet = new Wallet(bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey), provider)
    const used = wallet.sendTransaction({ to: FRIEND.address, value: 1n, nonce: 0, gasLimit: 21_000n })
    await expect(used).rejects.toMatchObject({ code: 'NONCE_EXPIRED' })
    const everything = wallet.sendTransaction({ to: FRIEND.address, value: 10n ** 30n, gasLimit: 21_000n })
    await expect(everything).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
  })
})

describe('viem waits for a receipt', () => {
  test.each([
    ['a plain chain', undefined],
    ['a chain with experimental_preconfirmationTime', 200],
  ])('of a transaction that is only in a flashblock, at every index: %s', async (_, preconfirmationTime) => {
    const server = await startManualServer()
    const wallet = walletOf(server.url, OWNER, preconfirmationTime)
    for (let index = 1; index <= 10; index++) {
      await server.nextBlock()
      for (let slot = 1; slot < index; slot++) await server.nextFlashblock()
      const hash = await wallet.sendTransaction({ to: FRIEND.address, value: 1n })
      await server.nextFlashblock()
      // Index 10 and the seal are one step.
      const isSealed = index === 10
      const { latest } = server.node.view().head.sealed
      const partial = await wallet.getBlock({ blockTag: isSealed ? 'latest' : 'pending' })
      const receipt = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 5_000 })
      expect(receipt).toMatchObject({
        transactionHash: hash,
        status: 'success',
        blockHash: partial.hash,
        blockNumber: partial.number,
        from: OWNER.address.toLowerCase(),
        to: FRIEND.address.toLowerCase(),
        transactionIndex: 0,
        gasUsed: 21_000n,
      })
      expect(Number(receipt.blockNumber) - latest).toBe(isSealed ? 0 : 1)
      expect((await wallet.getBlock({ blockHash: receipt.blockHash })).transactions).toEqual([hash])
    }
    await server.stop()
  })

  test('while its block is sealed', async () => {
    const server = await startManualServer()
    const wallet = walletOf(server.url)
    for (let index = 1; index <= 10; index++) {
      await server.nextBlock()
      for (let slot = 1; slot < index; slot++) await server.nextFlashblock()
      const hash = await wallet.sendTransaction({ to: FRIEND.address, value: 1n })
      let isOver = false
      const waiting = wallet
        .waitForTransactionReceipt({ hash, pollingInterval: 5, timeout: 5_000, confirmations: 2 })
        .finally(() => {
          isOver = true
        })
      while (!isOver) {
        await server.nextFlashblock()
        // The client has its turn: as many requests as it wants to make now.
        await wallet.getBlockNumber({ cacheTime: 0 })
      }
      const receipt = await waiting
      expect(receipt).toMatchObject({ transactionHash: hash, status: 'success', gasUsed: 21_000n })
      const block = await wallet.getBlock({ blockHash: receipt.blockHash })
      expect(block.number).toBe(receipt.blockNumber)
      expect(block.transactions[receipt.transactionIndex]).toBe(hash)
    }
    await server.stop()
  })
})

test('sendRawTransactionSync of viem is answered by the very next flashblock', async () => {
  const server = await startManualServer()
  const wallet = walletOf(server.url)
  for (let nonce = 0; nonce < 12; nonce++) {
    const serializedTransaction = await signTransfer(wallet, nonce)
    const pooled = once(server.node.events, 'pooled')
    const answer = wallet.sendRawTransactionSync({ serializedTransaction })
    await pooled
    await server.nextFlashblock()
    const { blockHash, blockNumber, transactionHash } = await answer
    const block = await wallet.getBlock({ blockHash })
    expect(block.number).toBe(blockNumber)
    expect(block.transactions).toContain(transactionHash)
  }
  await server.stop()
})

function signTransfer(wallet: ReturnType<typeof walletOf>, nonce: number): Promise<Hex> {
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n }
  return wallet.signTransaction({ to: FRIEND.address, value: 1n, nonce, ...fees })
}

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
    // Not the slowest: other tests may be using the processor.
    expect(times.sort((a, b) => a - b)[4]).toBeLessThan(2 * 200)
  })

  test('waitForTransactionReceipt and the pending nonce follow sends at once', async () => {
    const wallet = walletOf(url, ACCOUNTS[3], 200)
    const hashes: Hex[] = []
    // viem has no nonce of its own here: each is what the node says at that moment.
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
    const answers = await walletOf(url).multicall({
      contracts: [
        { ...stock, functionName: 'totalSupply' },
        { ...stock, functionName: 'symbol' },
        { ...stock, functionName: 'mint', args: [FRIEND.address, 1n] },
      ],
    })
    expect(answers).toMatchObject([
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
    // The code that a constructor left behind, its immutable included.
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

  test('simulateBlocks takes the answer apart', async () => {
    const client: PublicClient = createPublicClient({ chain: chainAt(url), transport: http(url) })
    const [block] = await client.simulateBlocks({
      blockTag: 'pending',
      blocks: [{ calls: [{ to: STOCK, abi: STOCK_ABI, functionName: 'symbol' }] }],
    })
    expect(block!.calls).toMatchObject([{ status: 'success', result: 'HLCYNd' }])
  })

  test('eth_fillTransaction is absent, and sending works nonetheless', async () => {
    const wallet = walletOf(url, ACCOUNTS[6], 200)
    const fill = wallet.request({ method: 'eth_fillTransaction', params: [{}] } as never)
    await expect(fill).rejects.toMatchObject({ code: -32601 })
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
