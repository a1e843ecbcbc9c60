import { developmentOf } from '../../../node/roles/node-handle.ts'
import { address } from '../../codecs/bytes.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { arrayOf } from '../../schemas/schemas.ts'

export const eth_accounts = defineDevelopmentMethod({
  name: 'eth_accounts',
  effect: 'none',
  aliases: ['eth_requestAccounts'],
  isOnEveryNode: true,
  summary: 'Accounts that the node signs for, then impersonated ones; empty on a node without keys.',
  params: [],
  result: arrayOf(address.schema),
  cost: 1,
  handle(_, { conventions, context }) {
    const isHidden = context.hasOutsideAccess && context.options.outside?.development !== true
    const accounts = developmentOf(context.node)?.accounts
    if (isHidden || accounts === undefined) return []
    return conventions.control.listsImpersonated
      ? [...new Set([...accounts.signers, ...accounts.impersonated])]
      : [...accounts.signers]
  },
})
