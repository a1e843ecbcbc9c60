const { expect } = require('chai')
const { ethers } = require('hardhat')
const { anyUint, anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER, probe, token, vault } = require('./fixtures')

describe('events', () => {
  it('a transfer emits its event', async () => {
    const { token: contract, owner, alice } = await loadFixture(token)

    await expect(contract.transfer(alice, 5)).to.emit(contract, 'Transfer').withArgs(owner, alice, 5)
  })

  it('an event has indexed and plain arguments', async () => {
    const { probe: contract, owner } = await loadFixture(probe)

    await expect(contract.note(3, 'text')).to.emit(contract, 'Noted').withArgs(owner.address, 3, 'text')
  })

  it('an event shows the block', async () => {
    const { probe: contract } = await loadFixture(probe)
    const number = (await time.latestBlock()) + 1

    await expect(contract.emitBlock()).to.emit(contract, 'Block').withArgs(number, anyUint, anyUint, anyValue, anyUint)
  })

  it('a failed withdrawal emits nothing', async () => {
    const { vault: contract, other } = await loadFixture(vault)

    await expect(other.sendTransaction({ to: contract, value: 1n })).not.to.emit(contract, 'Withdrawn')
  })

  it('queryFilter finds events by an indexed argument', async () => {
    const { probe: contract, other } = await loadFixture(probe)
    await (await contract.note(1, 'a')).wait()
    await (await contract.connect(other).note(2, 'b')).wait()
    await (await contract.note(2, 'c')).wait()

    const found = await contract.queryFilter(contract.filters.Noted(null, 2))

    expect(found.map(({ args }) => args.text)).to.deep.equal(['b', 'c'])
  })

  it('a filter receives events that come later', async () => {
    const { probe: contract } = await loadFixture(probe)
    const filter = await ethers.provider.send('eth_newFilter', [{ address: await contract.getAddress() }])

    await (await contract.note(4, 'd')).wait()

    const logs = await ethers.provider.send('eth_getFilterChanges', [filter])
    expect(logs).to.have.length(1)
    expect(contract.interface.parseLog(logs[0]).args.text).to.equal('d')
  })

  it('changeTokenBalance compares balances before and after', async () => {
    const { token: contract, alice } = await loadFixture(token)

    await expect(contract.mint(alice, ETHER)).to.changeTokenBalance(contract, alice, ETHER)
  })

  it('changeEtherBalance leaves out the fee', async () => {
    const { vault: contract, owner, unlockTime } = await loadFixture(vault)
    await time.increaseTo(unlockTime)

    await expect(contract.withdraw()).to.changeEtherBalances([contract, owner], [-ETHER, ETHER])
  })

  it('console.log in a contract changes nothing', async () => {
    const { probe: contract } = await loadFixture(probe)

    await (await contract.logs(12)).wait()

    expect(await contract.number()).to.equal(12n)
    expect(await contract.logs.staticCall(13)).to.equal(13n)
  })

  it('an allowance is spent by transferFrom', async () => {
    const { token: contract, owner, alice, bob } = await loadFixture(token)
    await (await contract.approve(alice, 10)).wait()

    await expect(contract.connect(alice).transferFrom(owner, bob, 10)).to.changeTokenBalances(
      contract,
      [owner, bob],
      [-10, 10],
    )

    expect(await contract.allowance(owner, alice)).to.equal(0n)
  })
})
