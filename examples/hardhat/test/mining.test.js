const { expect } = require('chai')
const { ethers } = require('hardhat')
const {
  dropTransaction,
  loadFixture,
  mine,
  mineUpTo,
  setBlockGasLimit,
  setCoinbase,
  setNextBlockBaseFeePerGas,
  time,
} = require('@nomicfoundation/hardhat-network-helpers')
const { probe, request, requestOrSkip } = require('./fixtures')

const COINBASE = '0x1234567890123456789012345678901234567890'
const latest = () => ethers.provider.getBlock('latest')

describe('mining', () => {
  it('mine makes one block', async () => {
    await loadFixture(probe)
    const height = await time.latestBlock()

    await mine()

    expect(await time.latestBlock()).to.equal(height + 1)
  })

  it('mine makes many blocks at once', async () => {
    await loadFixture(probe)
    const height = await time.latestBlock()

    await mine(1_000)

    expect(await time.latestBlock()).to.equal(height + 1_000)
    expect(await ethers.provider.getBlock(height + 500)).to.have.property('number', height + 500)
  })

  it('mine with an interval spaces the blocks', async () => {
    await loadFixture(probe)
    const height = await time.latestBlock()

    await mine(5, { interval: 60 })

    const timestamps = await Promise.all(
      [1, 2, 3, 4, 5].map(async (index) => (await ethers.provider.getBlock(height + index)).timestamp),
    )
    expect(timestamps.slice(1).map((value, index) => value - timestamps[index])).to.deep.equal([60, 60, 60, 60])
  })

  it('links mined blocks by their parent hashes', async () => {
    await loadFixture(probe)
    const height = await time.latestBlock()

    await mine(5)

    const blocks = await Promise.all(Array.from({ length: 5 }, (_, i) => ethers.provider.getBlock(height + 1 + i)))
    for (let i = 1; i < blocks.length; i++) expect(blocks[i].parentHash).to.equal(blocks[i - 1].hash)
  })

  it('mineUpTo mines to a height', async () => {
    await loadFixture(probe)
    const target = (await time.latestBlock()) + 17

    await mineUpTo(target)

    expect(await time.latestBlock()).to.equal(target)
  })

  it('mineUpTo refuses a height below the latest block', async () => {
    await loadFixture(probe)

    await expect(mineUpTo((await time.latestBlock()) - 1)).to.be.rejectedWith(/Invalid block number/)
  })

  it('time.advanceBlockTo mines to a height', async () => {
    await loadFixture(probe)
    const target = (await time.latestBlock()) + 3

    await time.advanceBlockTo(target)

    expect(await time.latestBlock()).to.equal(target)
  })

  it('mines each transaction into its own block', async () => {
    const { probe: contract } = await loadFixture(probe)
    const height = await time.latestBlock()

    await (await contract.setNumber(1)).wait()
    await (await contract.setNumber(2)).wait()

    expect(await time.latestBlock()).to.equal(height + 2)
    expect((await latest()).transactions).to.have.length(1)
  })

  it('setCoinbase names the fee recipient of the next block', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setCoinbase(COINBASE)
    await mine()

    expect((await latest()).miner).to.equal(COINBASE)
    expect(await contract.coinbase()).to.equal(COINBASE)
  })

  it('pays the priority fee to the coinbase', async () => {
    const { probe: contract } = await loadFixture(probe)
    const recipient = ethers.Wallet.createRandom().address
    await setCoinbase(recipient)

    const sent = await contract.setNumber(1, { maxPriorityFeePerGas: 2_000_000_000n, maxFeePerGas: 20_000_000_000n })
    const receipt = await sent.wait()

    expect(await ethers.provider.getBalance(recipient)).to.equal(receipt.gasUsed * 2_000_000_000n)
  })

  it('setNextBlockBaseFeePerGas fixes the base fee of the next block', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setNextBlockBaseFeePerGas(123_456_789)
    await (await contract.emitBlock({ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n })).wait()

    expect((await latest()).baseFeePerGas).to.equal(123_456_789n)
  })

  it('derives the base fee after a fixed one', async () => {
    await loadFixture(probe)
    await setNextBlockBaseFeePerGas(8_000_000_000n)

    await mine(2)

    // An empty block lowers the fee: by an eighth on layer 1, by less on chains with other parameters.
    expect((await latest()).baseFeePerGas).to.be.within(7_000_000_000n, 7_999_999_999n)
  })

  it('setBlockGasLimit changes the gas limit of new blocks', async () => {
    const { probe: contract } = await loadFixture(probe)

    await setBlockGasLimit(12_000_000)
    await mine()

    expect((await latest()).gasLimit).to.equal(12_000_000n)
    expect(await contract.gasLimit()).to.equal(12_000_000n)
  })

  it('refuses a transaction above the block gas limit', async () => {
    const { probe: contract } = await loadFixture(probe)
    await setBlockGasLimit(1_000_000)

    await expect(contract.setNumber(1, { gasLimit: 2_000_000 })).to.be.rejectedWith(
      /gas limit|gas_limit|intrinsic gas/i,
    )
  })

  it('hardhat_setPrevRandao fixes the randomness of the next block', async function () {
    const { probe: contract } = await loadFixture(probe)
    const value = ethers.zeroPadValue('0xabcdef', 32)

    await requestOrSkip(this, 'hardhat_setPrevRandao', [value])
    await mine()

    expect((await request('eth_getBlockByNumber', ['latest', false])).mixHash).to.equal(value)
    expect(await contract.prevRandao()).to.equal(0xabcdefn)
  })

  it('hardhat_getAutomine tells whether sends mine', async () => {
    expect(await request('hardhat_getAutomine')).to.equal(true)
  })
})

describe('mining on request', () => {
  beforeEach(async () => {
    await loadFixture(probe)
    await request('evm_setAutomine', [false])
  })

  afterEach(() => request('evm_setAutomine', [true]))

  it('keeps transactions in the pool until a block is mined', async () => {
    const { probe: contract, owner } = await loadFixture(probe)
    const height = await time.latestBlock()

    const sent = await contract.connect(owner).setNumber(77, { gasLimit: 100_000 })

    expect(await ethers.provider.getTransactionReceipt(sent.hash)).to.equal(null)
    expect(await time.latestBlock()).to.equal(height)
    await mine()
    expect((await sent.wait()).blockNumber).to.equal(height + 1)
  })

  it('mines waiting transactions of one account into one block, in nonce order', async () => {
    const { probe: contract } = await loadFixture(probe)
    const sent = []
    for (let value = 0; value < 5; value++) sent.push(await contract.setNumber(value, { gasLimit: 100_000 }))

    await mine()

    expect((await latest()).transactions).to.deep.equal(sent.map(({ hash }) => hash))
    expect(await contract.number()).to.equal(4n)
  })

  it('orders transactions of several accounts by their fees', async () => {
    const { probe: contract, signers } = await loadFixture(probe)
    const send = (index, gwei) =>
      contract.connect(signers[index]).note(index, '', {
        gasLimit: 100_000,
        maxFeePerGas: (100n + gwei) * 10n ** 9n,
        maxPriorityFeePerGas: gwei * 10n ** 9n,
      })
    await send(1, 1n)
    await send(2, 9n)
    await send(3, 5n)

    await mine()

    const events = await contract.queryFilter('Noted', 'latest')
    expect(events.map(({ args }) => args.id)).to.deep.equal([2n, 3n, 1n])
  })

  it('counts waiting transactions at the pending block', async () => {
    const { probe: contract, owner } = await loadFixture(probe)
    const before = await owner.getNonce('latest')

    await contract.setNumber(1, { gasLimit: 100_000 })

    expect(await owner.getNonce('latest')).to.equal(before)
    expect(await owner.getNonce('pending')).to.equal(before + 1)
    await mine()
  })

  it('replaces a transaction when the price is higher', async () => {
    const { probe: contract, owner } = await loadFixture(probe)
    const nonce = await owner.getNonce()
    const price = (gwei) => ({
      nonce,
      gasLimit: 100_000,
      maxFeePerGas: gwei * 10n ** 9n,
      maxPriorityFeePerGas: gwei * 10n ** 9n,
    })
    await contract.setNumber(1, price(10n))

    const second = await contract.setNumber(2, price(20n))
    await mine()

    expect((await latest()).transactions).to.deep.equal([second.hash])
    expect(await contract.number()).to.equal(2n)
  })

  it('dropTransaction removes a transaction from the pool', async () => {
    const { probe: contract } = await loadFixture(probe)
    const sent = await contract.setNumber(99, { gasLimit: 100_000 })

    await dropTransaction(sent.hash)
    await mine()

    expect(await ethers.provider.getTransaction(sent.hash)).to.equal(null)
    expect(await contract.number()).to.equal(5n)
  })

  it('evm_setIntervalMining mines by itself', async () => {
    const height = await time.latestBlock()
    // Hardhat's unit is the millisecond, Anvil's the second.
    const interval = (await request('web3_clientVersion')).toLowerCase().startsWith('anvil') ? 1 : 200
    const mined = new Promise((resolve) => ethers.provider.once('block', resolve))

    await request('evm_setIntervalMining', [interval])

    expect(await mined).to.be.at.least(height)
    await waitForHeight(height + 1)
    await request('evm_setIntervalMining', [0])
  })
})

function waitForHeight(height) {
  return new Promise((resolve, reject) => {
    const poll = async () =>
      (await time.latestBlock()) >= height ? resolve() : setTimeout(() => poll().catch(reject), 50)
    poll().catch(reject)
  })
}
