const { expect } = require('chai')
const { ethers } = require('hardhat')
const {
  impersonateAccount,
  loadFixture,
  setBalance,
  stopImpersonatingAccount,
} = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER, probe, token, vault } = require('./fixtures')

const WHALE = '0x00000000219ab540356cBB839Cbe05303d7705Fa'

describe('impersonation', () => {
  afterEach(() => stopImpersonatingAccount(WHALE))

  it('sends as an account whose key is unknown', async () => {
    const { owner } = await loadFixture(probe)
    await impersonateAccount(WHALE)
    await setBalance(WHALE, 10n * ETHER)
    const whale = await ethers.getSigner(WHALE)

    await expect(whale.sendTransaction({ to: owner, value: ETHER })).to.changeEtherBalance(owner, ETHER)
  })

  it('the transaction names the impersonated sender', async () => {
    const { probe: contract } = await loadFixture(probe)
    await impersonateAccount(WHALE)
    await setBalance(WHALE, 10n * ETHER)

    const sent = await contract.connect(await ethers.getSigner(WHALE)).note(1, 'whale')
    const receipt = await sent.wait()

    expect(receipt.from).to.equal(WHALE)
    expect((await ethers.provider.getTransaction(sent.hash)).from).to.equal(WHALE)
    await expect(sent).to.emit(contract, 'Noted').withArgs(WHALE, 1n, 'whale')
  })

  it('counts the nonce of the impersonated sender', async () => {
    const { owner } = await loadFixture(probe)
    await impersonateAccount(WHALE)
    await setBalance(WHALE, 10n * ETHER)
    const whale = await ethers.getSigner(WHALE)

    await (await whale.sendTransaction({ to: owner, value: 1n })).wait()
    await (await whale.sendTransaction({ to: owner, value: 1n })).wait()

    expect(await whale.getNonce()).to.equal(2)
  })

  it('sends as a contract', async () => {
    const { token: contract, alice } = await loadFixture(token)
    const holder = await contract.getAddress()
    await (await contract.transfer(holder, 100)).wait()
    await impersonateAccount(holder)
    await setBalance(holder, ETHER)

    const signer = await ethers.getSigner(holder)

    await expect(contract.connect(signer).transfer(alice, 40)).to.changeTokenBalances(
      contract,
      [holder, alice],
      [-40, 40],
    )
    await stopImpersonatingAccount(holder)
  })

  it('takes the role of an owner', async () => {
    const { token: contract, alice } = await loadFixture(token)
    await (await contract.transferOwnership(WHALE)).wait()
    await impersonateAccount(WHALE)
    await setBalance(WHALE, ETHER)

    await (await contract.connect(await ethers.getSigner(WHALE)).mint(alice, 9)).wait()

    expect(await contract.balanceOf(alice)).to.equal(9n)
  })

  it('deploys as an impersonated account', async () => {
    await loadFixture(probe)
    await impersonateAccount(WHALE)
    await setBalance(WHALE, ETHER)

    const contract = await ethers.deployContract('Probe', await ethers.getSigner(WHALE))

    expect(await contract.getAddress()).to.equal(ethers.getCreateAddress({ from: WHALE, nonce: 0 }))
  })

  it('refuses to send for the account afterwards', async () => {
    const { owner } = await loadFixture(probe)
    await impersonateAccount(WHALE)
    await setBalance(WHALE, ETHER)
    const whale = await ethers.getSigner(WHALE)

    await stopImpersonatingAccount(WHALE)

    await expect(whale.sendTransaction({ to: owner, value: 1n })).to.be.rejectedWith(/unknown account|no signer/i)
  })

  it('calls as any account without impersonation', async () => {
    const { vault: contract } = await loadFixture(vault)

    await expect(contract.connect(ethers.provider).withdraw.staticCall({ from: WHALE }))
      .to.be.revertedWithCustomError(contract, 'NotOwner')
      .withArgs(WHALE)
  })
})
