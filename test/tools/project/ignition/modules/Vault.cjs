const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')
const Token = require('./Token.cjs')

// Each step needs the effects of the one before it.
module.exports = buildModule('Vault', (m) => {
  const { token } = m.useModule(Token)
  const vault = m.contract('Vault', [token], { after: [Token] })
  const open = m.call(vault, 'open')
  const account = m.readEventArgument(open, 'Opened', 'id')
  const approve = m.call(token, 'approve', [vault, 400])
  const deposit = m.call(vault, 'deposit', [400], { after: [approve, open] })
  const report = m.contract('Report', [vault, account], { after: [deposit] })
  const supply = m.staticCall(vault, 'supplyAtCreation')
  m.contract('Token', [m.getAccount(1)], { id: 'Second', after: [report] })
  m.call(token, 'mint', [vault, supply], { id: 'Double' })
  return { token, vault, report }
})
