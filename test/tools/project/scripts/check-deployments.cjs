// Compares what hardhat-deploy has deployed with what its scripts ask for, and prints the nonces of its accounts.
const { deepEqual } = require('node:assert/strict')
const { deployments, getNamedAccounts, ethers } = require('hardhat')

async function main() {
  const { deployer, user } = await getNamedAccounts()
  const contract = async (name, deployment) =>
    ethers.getContractAt(name, (await deployments.get(deployment ?? name)).address)
  const [token, vault, report, box] = await Promise.all([
    contract('Token'),
    contract('Vault'),
    contract('Report'),
    contract('BoxV2', 'Box'),
  ])

  deepEqual(
    {
      supply: await vault.supplyAtCreation(),
      inVault: await token.balanceOf(vault),
      deposited: await vault.balanceOf(deployer),
      account: await report.account(),
      reported: await report.balance(),
      box: await box.value(),
      version: await box.version(),
    },
    { supply: 1_000n, inVault: 400n, deposited: 400n, account: 1n, reported: 400n, box: 42n, version: '2' },
  )
  const nonces = await Promise.all(
    [deployer, user].map((account) => ethers.provider.getTransactionCount(account, 'pending')),
  )
  console.log(`nonces ${nonces}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
