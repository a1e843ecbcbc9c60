const { expect } = require('chai')
const { ethers } = require('hardhat')
const { loadFixture } = require('@nomicfoundation/hardhat-network-helpers')
const { ETHER, probe, request } = require('./fixtures')

const FIRST = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const FIRST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

describe('accounts', () => {
  it('lists the ten accounts of the test phrase', async () => {
    const signers = await ethers.getSigners()

    expect(signers.length).to.be.at.least(10)
    expect(signers[0].address).to.equal(FIRST)
    expect(signers[9].address).to.equal('0xa0Ee7A142d267C1f36714E4a8F75612F20a79720')
  })

  it('reports the chain id of a development node', async () => {
    expect((await ethers.provider.getNetwork()).chainId).to.equal(31_337n)
    expect(await request('net_version')).to.equal('31337')
  })

  it('sends ether between accounts', async () => {
    const { owner, other } = await loadFixture(probe)

    await expect(owner.sendTransaction({ to: other, value: ETHER })).to.changeEtherBalances(
      [owner, other],
      [-ETHER, ETHER],
    )
  })

  it('counts the transactions of an account', async () => {
    const { owner, other } = await loadFixture(probe)
    const before = await owner.getNonce()

    await (await owner.sendTransaction({ to: other, value: 1n })).wait()

    expect(await owner.getNonce()).to.equal(before + 1)
  })

  it('signs a message with personal_sign', async () => {
    const [owner] = await ethers.getSigners()

    const signature = await owner.signMessage('hello')

    expect(ethers.verifyMessage('hello', signature)).to.equal(owner.address)
    expect(signature).to.equal(await new ethers.Wallet(FIRST_KEY).signMessage('hello'))
  })

  it('signs typed data', async () => {
    const [owner] = await ethers.getSigners()
    const domain = { name: 'Mail', version: '1', chainId: 31_337, verifyingContract: FIRST }
    const types = {
      Mail: [
        { name: 'to', type: 'address' },
        { name: 'text', type: 'string' },
      ],
    }
    const value = { to: FIRST, text: 'hello' }

    const signature = await owner.signTypedData(domain, types, value)

    expect(ethers.verifyTypedData(domain, types, value, signature)).to.equal(owner.address)
  })

  it('accepts a raw transaction of a wallet', async () => {
    const { other } = await loadFixture(probe)
    const wallet = new ethers.Wallet(FIRST_KEY, ethers.provider)

    const sent = await wallet.sendTransaction({ to: other, value: 7n })

    expect((await sent.wait()).status).to.equal(1)
    expect((await ethers.provider.getTransaction(sent.hash)).value).to.equal(7n)
  })

  it('accepts a legacy transaction', async () => {
    const { owner, other } = await loadFixture(probe)

    const sent = await owner.sendTransaction({ to: other, value: 1n, gasPrice: 5_000_000_000n })
    await sent.wait()

    expect((await ethers.provider.getTransaction(sent.hash)).type).to.equal(0)
  })

  it('accepts a transaction with an access list', async () => {
    const { owner, probe: contract } = await loadFixture(probe)
    const accessList = [{ address: await contract.getAddress(), storageKeys: [ethers.zeroPadValue('0x00', 32)] }]

    const sent = await contract.connect(owner).setNumber(9, { accessList, type: 2 })
    await sent.wait()

    expect((await ethers.provider.getTransaction(sent.hash)).accessList).to.have.length(1)
    expect(await contract.number()).to.equal(9n)
  })

  it('names the deployed address in the receipt', async () => {
    const { probe: contract } = await loadFixture(probe)

    const receipt = await contract.deploymentTransaction().wait()

    expect(receipt.contractAddress).to.equal(await contract.getAddress())
    expect(await ethers.provider.getCode(receipt.contractAddress)).to.have.length.above(100)
  })
})
