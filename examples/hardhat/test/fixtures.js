// Contracts that most tests start from. `loadFixture` deploys them once and then reverts to that state.
const { ethers, network } = require('hardhat')

const ETHER = 10n ** 18n
const request = (method, params = []) => network.provider.send(method, params)

async function probe() {
  const signers = await ethers.getSigners()
  return { probe: await ethers.deployContract('Probe'), signers, owner: signers[0], other: signers[1] }
}

async function token() {
  const [owner, alice, bob] = await ethers.getSigners()
  const deployed = await ethers.deployContract('Token', [owner, 1_000n * ETHER])
  return { token: deployed, owner, alice, bob }
}

async function vault() {
  const [owner, other] = await ethers.getSigners()
  const latest = await ethers.provider.getBlock('latest')
  const unlockTime = latest.timestamp + 86_400
  const deployed = await ethers.deployContract('Vault', [unlockTime], { value: ETHER })
  return { vault: deployed, owner, other, unlockTime, latest: await ethers.provider.getBlock('latest') }
}

/** Skips a test when the node does not know the method. */
async function requestOrSkip(test, method, params) {
  try {
    return await request(method, params)
  } catch (error) {
    if (error.code === -32601 || error.code === -32004) test.skip()
    throw error
  }
}

module.exports = { ETHER, probe, request, requestOrSkip, token, vault }
