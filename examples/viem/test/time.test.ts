import { beforeEach, describe, expect, it } from 'vitest'
import { client, deploy, FIRST, mode, receiptOf, revertAfterEach, SECOND, transfer } from './node.js'

const isAnvil = mode === 'anvil'
const now = async () => (await client.getBlock()).timestamp
const mine = () => client.mine({ blocks: 1 })

describe('time', () => {
  revertAfterEach()
  // The node may have been idle: the time of the latest block becomes that of the clock.
  beforeEach(mine)

  it('increaseTime shifts the next block', async () => {
    const before = await now()

    await client.increaseTime({ seconds: 5_000 })
    await mine()

    const passed = Number((await now()) - before)
    // Where timestamps strictly increase, the blocks of one second are ahead of the clock.
    expect(passed).toBeGreaterThan(4_940)
    expect(passed).toBeLessThan(5_060)
  })

  it('increaseTime adds up', async () => {
    const before = await now()

    await client.increaseTime({ seconds: 1_000 })
    await client.increaseTime({ seconds: 2_000 })
    await mine()

    expect(Number((await now()) - before)).toBeGreaterThan(2_940)
  })

  it('setNextBlockTimestamp fixes the time of the next block', async () => {
    const timestamp = (await now()) + 500n

    await client.setNextBlockTimestamp({ timestamp })
    await mine()

    expect(await now()).toBe(timestamp)
  })

  it('the clock goes on from a time that was set', async () => {
    const timestamp = (await now()) + 100_000n
    await client.setNextBlockTimestamp({ timestamp })
    await mine()

    await receiptOf(transfer(SECOND, 1n))

    const passed = Number((await now()) - timestamp)
    expect(passed).toBeGreaterThanOrEqual(0)
    expect(passed).toBeLessThan(60)
  })

  it('setNextBlockTimestamp refuses the past', async () => {
    const timestamp = (await now()) - 1n

    await expect(client.setNextBlockTimestamp({ timestamp })).rejects.toThrow(/lower than/)
  })

  it('a transaction sees the time of its block', async () => {
    const contract = await deploy()
    const timestamp = (await now()) + 700n
    await client.setNextBlockTimestamp({ timestamp })
    await mine()

    const blockNumber = await client.getBlockNumber()
    const values = (await client.readContract({ ...contract, functionName: 'blockValues', blockNumber })) as unknown[]

    expect(values[1]).toBeTypeOf('bigint')
    expect(await now()).toBe(timestamp)
  })

  it.skipIf(!isAnvil)('setBlockTimestampInterval spaces all later blocks', async () => {
    await client.setBlockTimestampInterval({ interval: 13 })
    await mine()
    const before = await now()
    await receiptOf(transfer(SECOND, 1n))
    await mine()

    expect((await now()) - before).toBe(26n)
    await client.removeBlockTimestampInterval()
  })

  it.skipIf(!isAnvil)('removeBlockTimestampInterval returns to the clock', async () => {
    await client.setBlockTimestampInterval({ interval: 10_000 })
    await mine()
    await client.removeBlockTimestampInterval()
    const before = await now()
    await mine()

    expect(Number((await now()) - before)).toBeLessThan(9_000)
  })

  it('an old block keeps its time', async () => {
    const before = await client.getBlock()

    await client.increaseTime({ seconds: 9_999 })
    await mine()

    expect((await client.getBlock({ blockNumber: before.number })).timestamp).toBe(before.timestamp)
    expect(await client.getTransactionCount({ address: FIRST.address })).toBeTypeOf('number')
  })
})
