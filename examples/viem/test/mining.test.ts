import { parseGwei } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { client, deploy, FIRST, mode, revertAfterEach, SECOND, THIRD, transfer } from './node.js'

const COINBASE = '0x1234567890123456789012345678901234567890'
const isAnvil = mode === 'anvil'
const height = () => client.getBlockNumber()

describe('mining', () => {
  revertAfterEach()

  it('getAutomine tells whether sends mine', async () => {
    expect(await client.getAutomine()).toBe(true)
  })

  it('mine makes blocks', async () => {
    const before = await height()

    await client.mine({ blocks: 3 })

    expect(await height()).toBe(before + 3n)
  })

  it('mine spaces blocks by an interval', async () => {
    const before = await height()

    await client.mine({ blocks: 3, interval: 100 })

    const [first, second, third] = await Promise.all(
      [1n, 2n, 3n].map((index) => client.getBlock({ blockNumber: before + index })),
    )
    expect(second!.timestamp - first!.timestamp).toBe(100n)
    expect(third!.timestamp - second!.timestamp).toBe(100n)
  })

  it('mine makes many blocks at once', async () => {
    const before = await height()

    await client.mine({ blocks: 1_000, interval: 1 })

    expect(await height()).toBe(before + 1_000n)
    expect((await client.getBlock({ blockNumber: before + 500n })).number).toBe(before + 500n)
  })

  it('setCoinbase names the fee recipient', async () => {
    const { address, abi } = await deploy()

    await client.setCoinbase({ address: COINBASE })
    await client.mine({ blocks: 1 })

    expect((await client.getBlock()).miner).toBe(COINBASE)
    const values = (await client.readContract({ address, abi, functionName: 'blockValues' })) as unknown[]
    expect(values[3]).toBe(COINBASE)
    await client.setCoinbase({ address: '0x0000000000000000000000000000000000000000' })
  })

  it('setNextBlockBaseFeePerGas fixes the next base fee', async () => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('8') })

    await client.mine({ blocks: 2 })

    const last = await client.getBlock()
    expect((await client.getBlock({ blockNumber: last.number - 1n })).baseFeePerGas).toBe(parseGwei('8'))
    // An empty block lowers the fee: by an eighth on layer 1, by less on chains with other parameters.
    expect(last.baseFeePerGas).toBeGreaterThanOrEqual(parseGwei('7'))
    expect(last.baseFeePerGas).toBeLessThan(parseGwei('8'))
  })

  it('setBlockGasLimit changes the limit of new blocks', async () => {
    const { gasLimit } = await client.getBlock()

    await client.setBlockGasLimit({ gasLimit: 20_000_000n })
    await client.mine({ blocks: 1 })

    expect((await client.getBlock()).gasLimit).toBe(20_000_000n)
    await client.setBlockGasLimit({ gasLimit })
  })

  it('setMinGasPrice is refused on a chain with base fees', async () => {
    await expect(client.setMinGasPrice({ gasPrice: parseGwei('1') })).rejects.toThrow(/EIP-1559/)
  })

  it('setLoggingEnabled switches the output', async () => {
    await client.setLoggingEnabled(false)
    await client.setLoggingEnabled(true)
  })

  it('the pending block has the next number', async () => {
    const { address, abi } = await deploy()
    const values = (await client.readContract({
      address,
      abi,
      functionName: 'blockValues',
      blockTag: 'pending',
    })) as unknown[]

    expect(values[0]).toBe((await height()) + 1n)
  })

  it('watchBlockNumber reports mined blocks', async () => {
    const target = (await height()) + 1n
    const seen = new Promise<bigint>((resolve) => {
      const unwatch = client.watchBlockNumber({
        onBlockNumber: (number) => {
          if (number < target) return
          unwatch()
          resolve(number)
        },
        emitOnBegin: true,
      })
    })

    await client.mine({ blocks: 1 })

    expect(await seen).toBe(target)
  })
})

describe('mining on request', () => {
  revertAfterEach()
  beforeEach(() => client.setAutomine(false))
  afterEach(() => client.setAutomine(true))

  it('keeps transactions until a block is mined', async () => {
    const before = await height()

    const hash = await transfer(SECOND, 1n)

    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
    await client.mine({ blocks: 1 })
    expect((await client.getTransactionReceipt({ hash })).blockNumber).toBe(before + 1n)
  })

  it('mines transactions together', async () => {
    const hashes = []
    for (let value = 1n; value <= 4n; value++) hashes.push(await transfer(SECOND, value))

    await client.mine({ blocks: 1 })

    expect((await client.getBlock()).transactions).toEqual(hashes)
  })

  it('replaces a transaction with a higher price', async () => {
    const nonce = await client.getTransactionCount({ address: FIRST.address })
    const send = (gwei: bigint, value: bigint) =>
      client.sendTransaction({
        account: FIRST.address,
        to: THIRD,
        nonce,
        value,
        maxFeePerGas: gwei * 10n ** 9n,
        maxPriorityFeePerGas: gwei * 10n ** 9n,
      })
    await send(10n, 1n)

    const second = await send(20n, 2n)
    await client.mine({ blocks: 1 })

    expect((await client.getBlock()).transactions).toEqual([second])
  })

  it('dropTransaction removes a transaction', async () => {
    const hash = await transfer(SECOND, 1n)

    await client.dropTransaction({ hash })
    await client.mine({ blocks: 1 })

    await expect(client.getTransaction({ hash })).rejects.toThrow(/could not be found/)
    expect((await client.getBlock()).transactions).toEqual([])
  })

  it.skipIf(!isAnvil)('getTxpoolStatus counts pending and queued transactions', async () => {
    const nonce = await client.getTransactionCount({ address: FIRST.address })
    await transfer(SECOND, 1n)
    await client.sendTransaction({ account: FIRST.address, to: SECOND, nonce: nonce + 9 })

    expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 1 })
    await client.request({ method: 'anvil_dropAllTransactions' as never })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
  })

  it.skipIf(!isAnvil)('getTxpoolContent and inspectTxpool show waiting transactions', async () => {
    const hash = await transfer(SECOND, 5n)

    const content = JSON.stringify((await client.getTxpoolContent()).pending)
    const summary = JSON.stringify((await client.inspectTxpool()).pending)

    expect(content).toContain(hash)
    expect(summary.toLowerCase()).toContain(SECOND.toLowerCase())
    await client.dropTransaction({ hash })
  })

  it('setIntervalMining mines by itself', async () => {
    const before = await height()
    const hash = await transfer(SECOND, 1n)

    await client.setIntervalMining({ interval: 1 })
    const receipt = await client.waitForTransactionReceipt({ hash })

    expect(receipt.blockNumber).toBeGreaterThan(before)
    await client.setIntervalMining({ interval: 0 })
  })
})
