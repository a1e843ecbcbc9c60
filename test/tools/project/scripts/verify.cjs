// Deploys a library, a contract with immutables that is linked to it, and a proxy. hardhat-verify verifies them.
// Prints the time that each verification took.
const { equal } = require('node:assert/strict')
const { ethers, run, network } = require('hardhat')

const API = network.config.url.replace(/\/?\?.*$/, '')

async function deploy(name, values, libraries) {
  const factory = await ethers.getContractFactory(name, { libraries })
  const contract = await factory.deploy(...values)
  await contract.waitForDeployment()
  return contract.getAddress()
}

async function verify(address, constructorArguments, libraries) {
  const start = performance.now()
  await run('verify:etherscan', { address, constructorArgsParams: constructorArguments.map(String), libraries })
  console.log(`verified ${address} in ${Math.round(performance.now() - start)} ms`)
}

async function main() {
  const { chainId } = await ethers.provider.getNetwork()
  const rates = await deploy('Rates', [])
  const rated = await deploy('Rated', [250, 'rated'], { Rates: rates })
  const relay = await deploy('Relay', [rated])

  await verify(rates, [])
  await verify(rated, [250, 'rated'])
  await verify(relay, [rated])

  // Hardhat links after compiling and names the library when it verifies, so that the metadata differs.
  for (const [address, match] of [
    [rates, 'exact_match'],
    [rated, 'match'],
    [relay, 'exact_match'],
  ]) {
    const response = await fetch(`${API}/verify/sourcify/v2/contract/${chainId}/${address}`)
    equal((await response.json()).match, match)
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
