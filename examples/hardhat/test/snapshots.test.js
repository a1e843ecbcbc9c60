const { expect } = require('chai')
const { ethers } = require('hardhat')
const {
  clearSnapshots,
  loadFixture,
  mine,
  setBalance,
  takeSnapshot,
  time,
} = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER, probe, request, token } = require('./fixtures')

describe('snapshots', () => {
  it('takeSnapshot restores height, storage and balances', async () => {
    const { probe: contract, other } = await loadFixture(probe)
    const before = { height: await time.latestBlock(), balance: await ethers.provider.getBalance(other) }
    const snapshot = await takeSnapshot()
    await (await contract.setNumber(50)).wait()
    await setBalance(other.address, 1n)

    await snapshot.restore()

    expect(await time.latestBlock()).to.equal(before.height)
    expect(await ethers.provider.getBalance(other)).to.equal(before.balance)
    expect(await contract.number()).to.equal(5n)
  })

  it('a snapshot can be restored again', async () => {
    const { probe: contract } = await loadFixture(probe)
    const snapshot = await takeSnapshot()

    for (let value = 0; value < 3; value++) {
      await (await contract.setNumber(value)).wait()
      await snapshot.restore()
      expect(await contract.number()).to.equal(5n)
    }
  })

  it('snapshots nest', async () => {
    const { probe: contract } = await loadFixture(probe)
    const outer = await takeSnapshot()
    await (await contract.setNumber(1)).wait()
    const inner = await takeSnapshot()
    await (await contract.setNumber(2)).wait()

    await inner.restore()
    expect(await contract.number()).to.equal(1n)
    await outer.restore()
    expect(await contract.number()).to.equal(5n)
  })

  it('a snapshot above a restored one is invalid', async () => {
    await loadFixture(probe)
    const outer = await takeSnapshot()
    const inner = await takeSnapshot()

    await outer.restore()

    await expect(inner.restore()).to.be.rejectedWith(/invalid snapshot/i)
  })

  it('evm_revert answers false for an unknown id', async () => {
    expect(await request('evm_revert', ['0xffffff'])).to.equal(false)
  })

  it('ids of snapshots are not used twice', async () => {
    await loadFixture(probe)
    const first = await request('evm_snapshot')
    await request('evm_revert', [first])

    expect(BigInt(await request('evm_snapshot'))).to.equal(BigInt(first) + 1n)
  })

  it('loadFixture runs the fixture once', async () => {
    let runs = 0
    async function counted() {
      runs++
      return probe()
    }

    await loadFixture(counted)
    await loadFixture(counted)

    expect(runs).to.equal(1)
  })

  it('loadFixture undoes what a test did', async () => {
    const first = await loadFixture(token)
    await (await first.token.transfer(first.alice, ETHER)).wait()

    const second = await loadFixture(token)

    expect(await second.token.balanceOf(second.alice)).to.equal(0n)
  })

  it('clearSnapshots makes fixtures run anew', async () => {
    const first = await loadFixture(probe)
    await clearSnapshots()

    const second = await loadFixture(probe)

    expect(await second.probe.getAddress()).not.to.equal(await first.probe.getAddress())
  })

  it('blocks after a snapshot are gone when it is restored', async () => {
    await loadFixture(probe)
    const snapshot = await takeSnapshot()
    await mine(10)
    const gone = await ethers.provider.getBlock('latest')

    await snapshot.restore()

    expect(await ethers.provider.getBlock(gone.hash)).to.equal(null)
    expect(await ethers.provider.getBlock(gone.number)).to.equal(null)
  })

  it('a receipt after a snapshot is gone when it is restored', async () => {
    const { probe: contract } = await loadFixture(probe)
    const snapshot = await takeSnapshot()
    const sent = await contract.setNumber(3)
    await sent.wait()

    await snapshot.restore()

    expect(await ethers.provider.getTransactionReceipt(sent.hash)).to.equal(null)
  })

  it('restores five hundred changed slots', async () => {
    const { probe: contract } = await loadFixture(probe)
    const scoreOf = (index) => contract.scores(ethers.toBeHex(index, 20))
    const snapshot = await takeSnapshot()
    await (await contract.fill(1, 500)).wait()
    expect(await scoreOf(500)).to.equal(500n)

    await snapshot.restore()

    for (const index of [1, 250, 500]) expect(await scoreOf(index)).to.equal(0n)
  })
})
