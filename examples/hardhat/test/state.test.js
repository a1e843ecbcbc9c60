const { expect } = require('chai')
const { ethers } = require('hardhat')
const {
  getStorageAt,
  loadFixture,
  mine,
  setBalance,
  setCode,
  setNonce,
  setStorageAt,
} = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER, probe, token } = require('./fixtures')

const SOMEBODY = '0x000000000000000000000000000000000000cafE'
const word = (value) => ethers.toBeHex(value, 32)

describe('state changes', () => {
  it('setBalance sets the balance of an account', async () => {
    await loadFixture(probe)

    await setBalance(SOMEBODY, 5n * ETHER)

    expect(await ethers.provider.getBalance(SOMEBODY)).to.equal(5n * ETHER)
  })

  it('setBalance lowers a balance too', async () => {
    const { other } = await loadFixture(probe)

    await setBalance(other.address, 0n)

    expect(await ethers.provider.getBalance(other)).to.equal(0n)
  })

  it('a balance that was set can be spent', async () => {
    const { owner } = await loadFixture(probe)
    const wallet = ethers.Wallet.createRandom(ethers.provider)
    await setBalance(wallet.address, 3n * ETHER)

    await (await wallet.sendTransaction({ to: owner, value: ETHER })).wait()

    expect(await ethers.provider.getBalance(wallet)).to.be.within(ETHER, 2n * ETHER)
  })

  it('a change does not show in older blocks', async () => {
    await loadFixture(probe)
    await mine()
    const before = await ethers.provider.getBlockNumber()
    await mine()

    await setBalance(SOMEBODY, 1n)
    await mine()

    expect(await ethers.provider.getBalance(SOMEBODY, before)).to.equal(0n)
    expect(await ethers.provider.getBalance(SOMEBODY, 'latest')).to.equal(1n)
  })

  it('setCode puts code at an address', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setCode(SOMEBODY, await ethers.provider.getCode(contract))
    const copy = contract.attach(SOMEBODY)

    expect(await copy.number()).to.equal(0n)
    await (await copy.setNumber(8)).wait()
    expect(await copy.number()).to.equal(8n)
    expect(await contract.number()).to.equal(5n)
  })

  it('setCode keeps the storage of a contract', async () => {
    const { probe: contract } = await loadFixture(probe)
    const returnsSlotZero = '0x60005460005260206000f3'

    await setCode(await contract.getAddress(), returnsSlotZero)

    expect(await ethers.provider.call({ to: contract })).to.equal(word(5))
  })

  it('setNonce sets the nonce of an account', async () => {
    const { signers } = await loadFixture(probe)

    await setNonce(signers[5].address, 42)

    expect(await signers[5].getNonce()).to.equal(42)
  })

  it('the next transaction has the nonce that was set', async () => {
    const { signers, owner } = await loadFixture(probe)
    await setNonce(signers[5].address, 42)

    const sent = await signers[5].sendTransaction({ to: owner, value: 1n })
    await sent.wait()

    expect(sent.nonce).to.equal(42)
  })

  it('a contract is deployed at the address of the nonce that was set', async () => {
    const { signers } = await loadFixture(probe)
    await setNonce(signers[6].address, 100)

    const contract = await ethers.deployContract('Probe', signers[6])

    expect(await contract.getAddress()).to.equal(ethers.getCreateAddress({ from: signers[6].address, nonce: 100 }))
  })

  it('getStorageAt reads a slot', async () => {
    const { probe: contract } = await loadFixture(probe)

    expect(await getStorageAt(await contract.getAddress(), 0)).to.equal(word(5))
  })

  it('getStorageAt reads packed values', async () => {
    const { probe: contract } = await loadFixture(probe)

    await (await contract.setFriend(SOMEBODY)).wait()

    expect(await getStorageAt(await contract.getAddress(), 1)).to.equal(
      ethers.zeroPadValue(`0x01${SOMEBODY.slice(2)}`.toLowerCase(), 32),
    )
  })

  it('getStorageAt reads an older block', async () => {
    const { probe: contract } = await loadFixture(probe)
    const before = await ethers.provider.getBlockNumber()

    await (await contract.setNumber(6)).wait()

    expect(await getStorageAt(await contract.getAddress(), 0, before)).to.equal(word(5))
    expect(await getStorageAt(await contract.getAddress(), 0)).to.equal(word(6))
  })

  it('setStorageAt changes a slot', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setStorageAt(await contract.getAddress(), 0, 1_234)

    expect(await contract.number()).to.equal(1_234n)
  })

  it('setStorageAt clears a slot', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setStorageAt(await contract.getAddress(), 0, 0)

    expect(await contract.number()).to.equal(0n)
  })

  it('setStorageAt changes the entry of a mapping', async () => {
    const { token: contract, alice, bob } = await loadFixture(token)
    const slot = ethers.keccak256(ethers.AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [alice.address, 0]))

    await setStorageAt(await contract.getAddress(), slot, 500)
    await expect(contract.connect(alice).transfer(bob, 200)).to.changeTokenBalances(contract, [alice, bob], [-200, 200])

    expect(await contract.balanceOf(alice)).to.equal(300n)
  })

  it('changes show in the state root of the next block', async () => {
    await loadFixture(probe)
    await mine()
    const root = async () => (await ethers.provider.send('eth_getBlockByNumber', ['latest', false])).stateRoot
    const before = await root()

    await setBalance(SOMEBODY, 123n)
    await mine()

    expect(await root()).not.to.equal(before)
  })
})
