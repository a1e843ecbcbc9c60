import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_ROLE_FLAGS } from '../../../flags/stock-flags.ts'
import { hexToBytes } from '../../../primitives/hex.ts'
import { stockFunction } from '../chain/contracts.ts'
import { signerOf } from '../chain/sender.ts'
import { changeReport, type Verb } from '../report/report.ts'
import { execute, type SendOptions } from '../state/change.ts'
import { findStock, parseAddress } from '../state/stock-list.ts'
import { parseRoles, roleId } from '../terms/roles.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & ValuesOf<typeof STOCK_ROLE_FLAGS>

/** `tickertape stock grant-role` */
export const grantRole: StockAction<Options> = changing('grantRole', ['Granted', 'grant'])

/** `tickertape stock revoke-role` */
export const revokeRole: StockAction<Options> = changing('revokeRole', ['Revoked', 'revoke'])

function changing(functionName: 'grantRole' | 'revokeRole', verb: Verb): StockAction<Options> {
  return async (context, [text, name], options) => {
    const [role, ...others] = parseRoles(text!)
    if (role === undefined || others.length > 0) {
      throw new StockError('INVALID_INPUT', `one role at a time is changed; got ${text}`)
    }
    const account = options.holder === undefined ? signerOf(options).address : parseAddress(options.holder, '--holder')
    const { stock } = await findStock(context.rpc, name!, 'pending')
    const data = stockFunction(functionName).encode({ role: hexToBytes(roleId(role)), account })
    const change = await execute(context, options, { to: stock.address, data }, stock)
    return changeReport(verb, `${role} of ${stock.symbol}, account ${account}`, { ...change, before: stock })
  }
}
