import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_METADATA_FLAGS, STOCK_READ_FLAGS } from '../../../flags/stock-flags.ts'
import { type Bytes, hexToBytes } from '../../../primitives/hex.ts'
import { stockFunction } from '../chain/contracts.ts'
import { readAll } from '../chain/multicall.ts'
import { changeReport, factsReport } from '../report/report.ts'
import { type AnnouncedOptions, changeStock, type SendOptions } from '../state/change.ts'
import { readRoleHolders } from '../state/role-holders.ts'
import { findStock } from '../state/stock-list.ts'
import { NO_SUPPLY_CAP, read } from '../state/stock-state.ts'
import { parseBlockName } from '../terms/block-name.ts'
import { parseDecimal } from '../terms/decimal.ts'
import { parseIsin } from '../terms/isin.ts'
import { POLICY_SCOPES, parsePolicyId, parseScope, policyName, scopeId } from '../terms/policies.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type ReadOptions = ValuesOf<typeof STOCK_READ_FLAGS>
type ChangeOptions = SendOptions & AnnouncedOptions

/** `tickertape stock roles` */
export const roles: StockAction<ReadOptions> = async ({ rpc }, [name], options) => {
  const at = parseBlockName(options.block)
  const { stock, block } = await findStock(rpc, name!, at)
  const holders = await readRoleHolders(rpc, stock.address, { at, block })
  const rows = holders.flatMap(({ role, accounts }) => {
    const lines = accounts.length === 0 ? ['none'] : accounts
    return lines.map((account, index) => [index === 0 ? role : '', account] as const)
  })
  const value = Object.fromEntries(holders.map(({ role, accounts }) => [role, accounts]))
  return factsReport(`Roles of ${stock.symbol}`, rows, { stock, block, value: { roles: value } })
}

/** `tickertape stock policy` */
export const policy: StockAction<ReadOptions> = async ({ rpc }, [name], options) => {
  const at = parseBlockName(options.block)
  const { stock } = await findStock(rpc, name!, at)
  const reads = POLICY_SCOPES.map((scope) => read(stock.address, stockFunction('policyId'), hexToBytes(scopeId(scope))))
  const { values, block } = await readAll(rpc, at, reads)
  const policies = POLICY_SCOPES.map((scope, index) => {
    const id = values[index] as bigint | undefined
    return [scope, id === undefined ? null : policyName(id)] as const
  })
  const rows = policies.map(([scope, id]) => [scope, id ?? 'this token has none'] as const)
  const value = { policies: Object.fromEntries(policies) }
  return factsReport(`Policies of ${stock.symbol}`, rows, { stock, block, value })
}

/** `tickertape stock set-policy` */
export const setPolicy: StockAction<ChangeOptions> = async (context, [scopeText, idText, name], options) => {
  const scope = parseScope(scopeText!)
  const newPolicyId = parsePolicyId(idText!)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const data = stockFunction('updatePolicy').encode({ policyScope: hexToBytes(scopeId(scope)), newPolicyId })
  const change = await changeStock(context, options, stock, data)
  return changeReport(['Set', 'set'], `the policy ${scope} of ${stock.symbol} to ${policyName(newPolicyId)}`, change)
}

/** `tickertape stock set-cap` */
export const setCap: StockAction<ChangeOptions> = async (context, [text, name], options) => {
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const cap = text === 'none' ? NO_SUPPLY_CAP : parseDecimal(text!, stock.decimals, 'the cap')
  if (text !== 'none' && cap >= NO_SUPPLY_CAP) {
    throw new StockError('INVALID_INPUT', `a cap of ${text} is too large: \`none\` is no cap`)
  }
  const change = await changeStock(context, options, stock, stockFunction('updateSupplyCap').encode(cap))
  return changeReport(['Set', 'set'], `the cap of ${stock.symbol} to ${text}`, change)
}

/** `tickertape stock metadata` */
export const metadata: StockAction<ReadOptions & ValuesOf<typeof STOCK_METADATA_FLAGS>> = async (
  { rpc },
  [name],
  options,
) => {
  const at = parseBlockName(options.block)
  const { stock } = await findStock(rpc, name!, at)
  const { address } = stock
  const keys = [...new Set(['isin', ...options.keys])]
  const reads = [
    read(address, stockFunction('name')),
    read(address, stockFunction('symbol')),
    read(address, stockFunction('contractURI')),
    ...keys.map((key) => read(address, stockFunction('extraMetadata'), key)),
  ]
  const { values, block } = await readAll(rpc, at, reads)
  const texts = ['name', 'symbol', 'contract-uri', ...keys].map(
    (label, index) => [label, String(values[index] ?? '')] as const,
  )
  const rows = texts.map(([label, text]) => [label, text === '' ? 'none' : text] as const)
  return factsReport(`Metadata of ${stock.symbol}`, rows, {
    stock,
    block,
    value: { metadata: Object.fromEntries(texts) },
  })
}

/** `tickertape stock set-metadata` */
export const setMetadata: StockAction<ChangeOptions> = async (context, [key, value, name], options) => {
  const data = metadataCall(key!, value!)
  const { stock } = await findStock(context.rpc, name!, 'pending')
  const change = await changeStock(context, options, stock, data)
  return changeReport(['Set', 'set'], `${key} of ${stock.symbol} to ${JSON.stringify(value)}`, change)
}

function metadataCall(key: string, value: string): Bytes {
  switch (key) {
    case 'name':
      return stockFunction('updateName').encode(value)
    case 'symbol':
      return stockFunction('updateSymbol').encode(value)
    case 'contract-uri':
      return stockFunction('updateContractURI').encode(value)
    case 'isin':
      return stockFunction('updateExtraMetadata').encode({ key, value: value === '' ? '' : parseIsin(value) })
    default:
      return stockFunction('updateExtraMetadata').encode({ key, value })
  }
}
