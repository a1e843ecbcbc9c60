const { expect } = require('chai')
const { ethers } = require('hardhat')
const { PANIC_CODES } = require('@nomicfoundation/hardhat-chai-matchers/panic')
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')
const { probe, token, vault } = require('./fixtures')

describe('reverts', () => {
  for (const [kind, act] of [
    ['send', (method, ...args) => method(...args)],
    ['call', (method, ...args) => method.staticCall(...args)],
    ['estimate', (method, ...args) => method.estimateGas(...args)],
  ]) {
    it(`a ${kind} shows the reason`, async () => {
      const { probe: contract } = await loadFixture(probe)

      await expect(act(contract.failReason, true)).to.be.revertedWith('because')
    })

    it(`a ${kind} shows a custom error with its arguments`, async () => {
      const { probe: contract, owner } = await loadFixture(probe)

      await expect(act(contract.failCustom, 7))
        .to.be.revertedWithCustomError(contract, 'Custom')
        .withArgs(7, owner.address)
    })

    it(`a ${kind} shows a custom error without arguments`, async () => {
      const { probe: contract } = await loadFixture(probe)

      await expect(act(contract.failPlain)).to.be.revertedWithCustomError(contract, 'Plain')
    })

    it(`a ${kind} shows a panic`, async () => {
      const { probe: contract } = await loadFixture(probe)

      await expect(act(contract.failAssert)).to.be.revertedWithPanic(PANIC_CODES.ASSERTION_ERROR)
    })

    it(`a ${kind} shows a revert without a reason`, async () => {
      const { probe: contract } = await loadFixture(probe)

      await expect(act(contract.failSilently)).to.be.revertedWithoutReason(ethers)
    })
  }

  for (const [code, name, act] of [
    [0x11, 'an overflow', (contract) => contract.overflow(1)],
    [0x12, 'a division by zero', (contract) => contract.divide(0)],
    [0x21, 'a wrong enum value', (contract) => contract.toLevel(5)],
    [0x31, 'a pop from an empty array', (contract) => contract.pop()],
    [0x32, 'an index out of bounds', (contract) => contract.item(3)],
  ]) {
    it(`panics with code 0x${code.toString(16)} at ${name}`, async () => {
      const { probe: contract } = await loadFixture(probe)

      await expect(act(contract)).to.be.revertedWithPanic(code)
    })
  }

  it('a transaction that succeeds is not reverted', async () => {
    const { probe: contract } = await loadFixture(probe)

    await expect(contract.failReason(false)).not.to.be.reverted
  })

  it('a deployment shows the reason', async () => {
    await loadFixture(probe)

    await expect(ethers.deployContract('Vault', [1])).to.be.revertedWith('Unlock time should be in the future')
  })

  it('a custom error of a library contract is decoded', async () => {
    const { token: contract, alice, bob } = await loadFixture(token)

    await expect(contract.connect(alice).transfer(bob, 1))
      .to.be.revertedWithCustomError(contract, 'ERC20InsufficientBalance')
      .withArgs(alice.address, 0, 1)
  })

  it('a modifier refuses other callers', async () => {
    const { token: contract, alice } = await loadFixture(token)

    await expect(contract.connect(alice).mint(alice, 1))
      .to.be.revertedWithCustomError(contract, 'OwnableUnauthorizedAccount')
      .withArgs(alice.address)
  })

  it('a failed transaction is mined with status 0 and keeps nothing', async () => {
    const { probe: contract, owner } = await loadFixture(probe)
    const wallet = new ethers.Wallet(
      '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
      ethers.provider,
    )
    const nonce = await owner.getNonce()
    const height = await time.latestBlock()

    // Hardhat answers the send itself with the revert, Anvil with the hash.
    const sent = await contract
      .connect(wallet)
      .failReason(true, { gasLimit: 200_000 })
      .catch(() => undefined)
    await sent?.wait().catch(() => undefined)

    const block = await ethers.provider.getBlock(height + 1)
    const receipt = await ethers.provider.getTransactionReceipt(block.transactions[0])
    expect(receipt.status).to.equal(0)
    expect(await owner.getNonce()).to.equal(nonce + 1)
    expect(await contract.number()).to.equal(5n)
  })

  it('a call that runs out of gas fails', async () => {
    const { probe: contract } = await loadFixture(probe)

    await expect(contract.burnGas.staticCall(1_000_000, { gasLimit: 100_000 })).to.be.rejectedWith(/gas|OOG/i)
  })

  it('shows the time of a refused withdrawal', async () => {
    const { vault: contract, unlockTime } = await loadFixture(vault)

    await expect(contract.withdraw.staticCall())
      .to.be.revertedWithCustomError(contract, 'NotYet')
      .withArgs(unlockTime, (now) => now < unlockTime)
  })
})
