module.exports = async ({ deployments, getNamedAccounts }) => {
  const { deployer } = await getNamedAccounts()
  const { execute, read } = deployments
  const token = await deployments.get('Token')
  const vault = await deployments.deploy('Vault', { from: deployer, args: [token.address], log: true })
  if (vault.newlyDeployed) {
    await execute('Vault', { from: deployer, log: true }, 'open')
    await execute('Token', { from: deployer, log: true }, 'approve', vault.address, 400)
    await execute('Vault', { from: deployer, log: true }, 'deposit', 400)
  }
  const args = [vault.address, await read('Vault', 'accounts')]
  await deployments.deploy('Report', { from: deployer, args, log: true })
  await deployments.deploy('Clone', {
    contract: 'Token',
    from: deployer,
    args: [vault.address],
    log: true,
    deterministicDeployment: true,
  })
}
module.exports.tags = ['Vault']
module.exports.dependencies = ['Token']
