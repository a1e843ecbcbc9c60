import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { client, deploy, FIRST, receiptOf, reset, revertAfterEach, SECOND, transfer } from './node.js'

describe('snapshots', () => {
  revertAfterEach()

  it('revert restores state and height', async () => {
    const before = { height: await client.getBlockNumber(), balance: await client.getBalance({ address: SECOND }) }
    const id = await client.snapshot()
    await receiptOf(transfer(SECOND, parseEther('1')))

    await client.revert({ id })

    expect(await client.getBlockNumber()).toBe(before.height)
    expect(await client.getBalance({ address: SECOND })).toBe(before.balance)
  })

  it('revert undoes changes of state and time', async () => {
    const { timestamp } = await client.getBlock()
    const id = await client.snapshot()
    await client.setBalance({ address: SECOND, value: 1n })
    await client.increaseTime({ seconds: 1_000_000 })
    await client.mine({ blocks: 1 })

    await client.revert({ id })
    await client.mine({ blocks: 1 })

    expect(await client.getBalance({ address: SECOND })).not.toBe(1n)
    expect(Number((await client.getBlock()).timestamp - timestamp)).toBeLessThan(1_000)
  })

  it('snapshots nest', async () => {
    const contract = await deploy()
    const add = (value: bigint) =>
      receiptOf(client.writeContract({ ...contract, account: FIRST.address, functionName: 'add', args: [value] }))
    const count = () => client.readContract({ ...contract, functionName: 'count' })
    const outer = await client.snapshot()
    await add(1n)
    const inner = await client.snapshot()
    await add(1n)

    await client.revert({ id: inner })
    expect(await count()).toBe(6n)
    await client.revert({ id: outer })
    expect(await count()).toBe(5n)
  })

  it('ids of snapshots differ', async () => {
    const ids = [await client.snapshot(), await client.snapshot(), await client.snapshot()]

    expect(new Set(ids).size).toBe(3)
  })

  it('a reverted deployment can be repeated at its address', async () => {
    const id = await client.snapshot()
    const first = await deploy()
    await client.revert({ id })

    const second = await deploy()

    expect(second.address).toBe(first.address)
    expect(await client.readContract({ ...second, functionName: 'count' })).toBe(5n)
  })

  it('transactions after a snapshot are gone', async () => {
    const id = await client.snapshot()
    const { transactionHash: hash } = await receiptOf(transfer(SECOND, 1n))

    await client.revert({ id })

    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
  })
})

describe('reset', () => {
  it('returns to the genesis block', async () => {
    await client.setBalance({ address: SECOND, value: 1n })
    await receiptOf(transfer(SECOND, 1n))

    await reset()

    expect(await client.getBlockNumber()).toBe(0n)
    expect(await client.getBalance({ address: SECOND })).toBe(parseEther('10000'))
    expect(await client.getTransactionCount({ address: FIRST.address })).toBe(0)
  })

  it('lets accounts send again from nonce 0', async () => {
    await receiptOf(transfer(SECOND, 1n))
    await reset()

    const receipt = await receiptOf(transfer(SECOND, 1n))

    expect(receipt.blockNumber).toBe(1n)
  })
})
