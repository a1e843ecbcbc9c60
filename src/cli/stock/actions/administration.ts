import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_ANNOUNCE_FLAGS, STOCK_ROLE_FLAGS } from '../../../flags/stock-flags.ts'
import { type Bytes, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { stockFunction } from '../chain/contracts.ts'
import { signerOf } from '../chain/sender.ts'
import { changeReport, type Verb } from '../report/report.ts'
import { type AnnouncedOptions, announcement, changeStock, execute, type SendOptions } from '../state/change.ts'
import { findStock, parseAddress } from '../state/stock-list.ts'
import { featureName, parseFeatures } from '../terms/features.ts'
import { parseRoles, roleId } from '../terms/roles.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Options = SendOptions & AnnouncedOptions

/** `tickertape stock pause` */
export const pause: StockAction<Options> = switching('pause', ['Paused', 'pause'])

/** `tickertape stock unpause` */
export const unpause: StockAction<Options> = switching('unpause', ['Unpaused', 'unpause'])

function switching(functionName: 'pause' | 'unpause', verb: Verb): StockAction<Options> {
  return async (context, [text, name], options) => {
    const features = parseFeatures(text!)
    const { stock } = await findStock(context.rpc, name!, 'pending')
    const data = stockFunction(functionName).encode(features.map(BigInt))
    const change = await changeStock(context, options, stock, data)
    return changeReport(verb, `${features.map(featureName).join(', ')} of ${stock.symbol}`, change)
  }
}

/** `tickertape stock announce` */
export const announce: StockAction<SendOptions & ValuesOf<typeof STOCK_ANNOUNCE_FLAGS>> = async (
  context,
  [id, name],
  options,
) => {
  const calls = options.call.map(parseCall)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const data = announcement(id!, options.description, options.uri, calls)
  const change = await execute(context, options, { to: stock.address, data }, stock)
  return changeReport(['Announced', 'announce'], `${JSON.stringify(id)} of ${stock.symbol}`, {
    ...change,
    before: stock,
  })
}

function parseCall(text: string): Bytes {
  if (!isHexBytes(text) || text.length < 10) {
    throw new StockError('INVALID_INPUT', `--call wants calldata in hex, at least a selector of 4 bytes; got ${text}`)
  }
  return hexToBytes(text)
}

type RoleOptions = SendOptions & ValuesOf<typeof STOCK_ROLE_FLAGS>

/** `tickertape stock grant-role` */
export const grantRole: StockAction<RoleOptions> = changing('grantRole', ['Granted', 'grant'])

/** `tickertape stock revoke-role` */
export const revokeRole: StockAction<RoleOptions> = changing('revokeRole', ['Revoked', 'revoke'])

function changing(functionName: 'grantRole' | 'revokeRole', verb: Verb): StockAction<RoleOptions> {
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
