import { boolean } from '../../codecs/boolean.ts'
import { address } from '../../codecs/bytes.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

export const anvil_impersonateAccount = defineDevelopmentMethod({
  name: 'anvil_impersonateAccount',
  aliases: ['hardhat_impersonateAccount'],
  summary: 'Lets transactions be sent from an address, also of a contract, without its key.',
  params: [requiredParam('address', address)],
  result: SETTER_RESULT,
  cost: 1,
  handle([account], { conventions, development }) {
    const refused = development.accounts.impersonate(account)
    if (refused === undefined) return conventions.control.setterResult
    const message = `${refused.limit} addresses are impersonated: stop some of them first`
    throw new RpcError(RPC_CODES.limitExceeded, message)
  },
})

export const anvil_stopImpersonatingAccount = defineDevelopmentMethod({
  name: 'anvil_stopImpersonatingAccount',
  aliases: ['hardhat_stopImpersonatingAccount'],
  summary: 'Ends the impersonation of an address. Hardhat answers whether it was impersonated.',
  params: [requiredParam('address', address)],
  result: SETTER_RESULT,
  cost: 1,
  handle([account], { conventions, development }) {
    const wasImpersonated = development.accounts.stopImpersonating(account)
    return conventions.control.saysWhetherRemoved ? wasImpersonated : null
  },
})

export const anvil_autoImpersonateAccount = defineDevelopmentMethod({
  name: 'anvil_autoImpersonateAccount',
  aliases: ['hardhat_autoImpersonateAccount'],
  summary: 'Whether transactions may be sent from every address without a key.',
  params: [requiredParam('enabled', boolean)],
  result: SETTER_RESULT,
  cost: 1,
  handle([enabled], { conventions, development }) {
    development.accounts.impersonatesAll = enabled
    return conventions.control.setterResult
  },
})
