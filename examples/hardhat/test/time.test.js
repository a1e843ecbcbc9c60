const { expect } = require('chai')
const { ethers } = require('hardhat')
const { loadFixture, mine, time } = require('@nomicfoundation/hardhat-network-helpers')
const { probe, request, vault } = require('./fixtures')

describe('time', () => {
  it('time.latest is the timestamp of the latest block', async () => {
    await loadFixture(probe)

    expect(await time.latest()).to.equal((await ethers.provider.getBlock('latest')).timestamp)
  })

  it('time.latestBlock is the height of the chain', async () => {
    await loadFixture(probe)

    expect(await time.latestBlock()).to.equal(await ethers.provider.getBlockNumber())
  })

  it('time.increase mines a block that much later', async () => {
    await loadFixture(probe)
    const before = await time.latest()

    const after = await time.increase(1_000)

    expect(after).to.equal(before + 1_000)
    expect(await time.latest()).to.equal(before + 1_000)
  })

  it('time.increase adds up', async () => {
    await loadFixture(probe)
    const before = await time.latest()

    await time.increase(time.duration.hours(1))
    await time.increase(time.duration.days(1))

    expect(await time.latest()).to.equal(before + 3_600 + 86_400)
  })

  it('time.increaseTo mines a block with that timestamp', async () => {
    await loadFixture(probe)
    const target = (await time.latest()) + 5_000

    await time.increaseTo(target)

    expect(await time.latest()).to.equal(target)
  })

  it('time.increaseTo refuses a time in the past', async () => {
    await loadFixture(probe)

    await expect(time.increaseTo((await time.latest()) - 1)).to.be.rejectedWith(/lower than/)
  })

  it('time.setNextBlockTimestamp applies to the next block only', async () => {
    const { probe: contract } = await loadFixture(probe)
    const target = (await time.latest()) + 777

    await time.setNextBlockTimestamp(target)
    await expect(contract.emitBlock())
      .to.emit(contract, 'Block')
      .withArgs(anyNumber, target, anyNumber, anyAddress, anyNumber)
    await mine()

    expect(await time.latest()).to.be.within(target + 1, target + 60)
  })

  it('evm_setNextBlockTimestamp does not mine', async () => {
    await loadFixture(probe)
    const height = await time.latestBlock()

    await request('evm_setNextBlockTimestamp', [(await time.latest()) + 100])

    expect(await time.latestBlock()).to.equal(height)
  })

  it('evm_setNextBlockTimestamp refuses a time before the latest block', async () => {
    await loadFixture(probe)

    await expect(request('evm_setNextBlockTimestamp', [(await time.latest()) - 1])).to.be.rejectedWith(/lower than/)
  })

  it('evm_increaseTime shifts the next block', async () => {
    await loadFixture(probe)
    const before = await time.latest()

    await request('evm_increaseTime', [10_000])
    await mine()

    expect(await time.latest()).to.be.within(before + 9_940, before + 10_060)
  })

  it('evm_increaseTime is visible in calls on the pending block', async () => {
    const { probe: contract } = await loadFixture(probe)
    const before = await time.latest()

    await request('evm_increaseTime', [20_000])

    expect(Number(await contract.timestamp({ blockTag: 'pending' }))).to.be.within(before + 19_940, before + 20_060)
  })

  it('evm_mine takes the timestamp of the block', async () => {
    await loadFixture(probe)
    const target = (await time.latest()) + 333

    await request('evm_mine', [target])

    expect(await time.latest()).to.equal(target)
  })

  it('lets the owner withdraw only after the unlock time', async () => {
    const { vault: contract, owner, unlockTime } = await loadFixture(vault)
    await expect(contract.withdraw()).to.be.revertedWithCustomError(contract, 'NotYet')

    await time.increaseTo(unlockTime)

    await expect(contract.withdraw()).to.changeEtherBalance(owner, 10n ** 18n)
  })

  it('goes back in time when a snapshot is restored', async () => {
    const { latest } = await loadFixture(vault)
    await time.increase(time.duration.years(1))

    await loadFixture(vault)

    expect(await time.latest()).to.equal(latest.timestamp)
  })
})

const anyNumber = (value) => typeof value === 'bigint'
const anyAddress = (value) => ethers.isAddress(value)
