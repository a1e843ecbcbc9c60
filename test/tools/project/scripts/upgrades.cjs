// Deploys and upgrades a proxy of each kind, and reads it after every step.
const { equal, rejects } = require('node:assert/strict')
const { ethers, upgrades } = require('hardhat')

/**
 * Waits for a deployment or an upgrade, as on every network that does not mine at once: the plugin returns when it has
 * sent the transaction. After an upgrade `waitForDeployment` does not wait, because the contract exists already.
 */
async function included(result) {
  const contract = await result
  await (contract.deployTransaction ?? contract.deploymentTransaction()).wait()
  return contract
}

async function transparent() {
  const [Box, BoxV2] = await Promise.all([ethers.getContractFactory('Box'), ethers.getContractFactory('BoxV2')])
  const box = await included(upgrades.deployProxy(Box, [42]))
  equal(await box.value(), 42n)

  const upgraded = await included(upgrades.upgradeProxy(box, BoxV2))
  equal(await upgraded.version(), '2')
  await (await upgraded.increment()).wait()
  equal(await upgraded.value(), 43n)
}

async function uups() {
  const [owner, other] = await ethers.getSigners()
  const [Ledger, LedgerV2] = await Promise.all([
    ethers.getContractFactory('Ledger'),
    ethers.getContractFactory('LedgerV2'),
  ])
  const ledger = await included(upgrades.deployProxy(Ledger, [owner.address], { kind: 'uups' }))
  await (await ledger.enter(5)).wait()
  await rejects(upgrades.upgradeProxy(ledger, LedgerV2.connect(other)), /reverted/)

  const upgraded = await included(upgrades.upgradeProxy(ledger, LedgerV2))
  await (await upgraded.withdraw(2)).wait()
  equal(await upgraded.total(), 3n)
}

async function beacon() {
  const [Box, BoxV2] = await Promise.all([ethers.getContractFactory('Box'), ethers.getContractFactory('BoxV2')])
  const owned = await included(upgrades.deployBeacon(Box))
  const proxies = []
  for (const value of [1, 2]) proxies.push(await included(upgrades.deployBeaconProxy(owned, Box, [value])))

  await included(upgrades.upgradeBeacon(owned, BoxV2))
  for (const proxy of proxies) equal(await BoxV2.attach(await proxy.getAddress()).version(), '2')
}

async function main() {
  await transparent()
  await uups()
  await beacon()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
