module.exports = async ({ deployments, getNamedAccounts }) => {
  const { deployer } = await getNamedAccounts()
  await deployments.deploy('Token', { from: deployer, args: [deployer], log: true })
  if (`${await deployments.read('Token', 'totalSupply')}` === '0') {
    await deployments.execute('Token', { from: deployer, log: true }, 'mint', deployer, 1_000)
  }
}
module.exports.tags = ['Token']
