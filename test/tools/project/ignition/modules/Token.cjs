const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')

module.exports = buildModule('Token', (m) => {
  const owner = m.getAccount(0)
  const token = m.contract('Token', [owner])
  m.call(token, 'mint', [owner, 1_000])
  return { token }
})
