const { expect } = require('chai')
const { ethers } = require('hardhat')
const { mine, reset, setBalance } = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER } = require('./fixtures')

describe('reset', () => {
  it('returns to the genesis block', async () => {
    await mine(3)

    await reset()

    expect(await ethers.provider.getBlockNumber()).to.equal(0)
  })

  it('gives the accounts their first balances and nonces', async () => {
    const [owner, other] = await ethers.getSigners()
    await (await owner.sendTransaction({ to: other, value: ETHER })).wait()
    await setBalance(other.address, 3n)

    await reset()

    expect(await ethers.provider.getBalance(other)).to.equal(10_000n * ETHER)
    expect(await owner.getNonce()).to.equal(0)
  })

  it('removes deployed contracts', async () => {
    const contract = await ethers.deployContract('Probe')

    await reset()

    expect(await ethers.provider.getCode(contract)).to.equal('0x')
  })
})
