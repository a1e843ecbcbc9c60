// A transparent proxy, upgraded in the run that deploys it.
module.exports = async ({ deployments, getNamedAccounts }) => {
  const { deployer, user } = await getNamedAccounts()
  const proxy = { owner: user, proxyContract: 'OpenZeppelinTransparentProxy' }
  const options = { from: deployer, log: true }
  if ((await deployments.getOrNull('Box')) === undefined) {
    const execute = { init: { methodName: 'initialize', args: [42] } }
    await deployments.deploy('Box', { ...options, proxy: { ...proxy, execute } })
  }
  await deployments.deploy('Box', { ...options, contract: 'BoxV2', proxy })
}
module.exports.tags = ['Box']
