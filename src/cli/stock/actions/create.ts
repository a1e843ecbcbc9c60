import { STOCK_FACTORY_ADDRESS } from '../../../chain/predeploys/stock-contracts.ts'
import type { ValuesOf } from '../../../flags/flag.ts'
import type { STOCK_CREATE_FLAGS } from '../../../flags/stock-flags.ts'
import {
  type Address,
  type Bytes,
  bytesToHash,
  type Hash,
  hexToBytes,
  isHexBytes,
  toAddress,
  toHash,
} from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { encodeAssetParams, factoryFunction, stockFunction } from '../chain/contracts.ts'
import { readAll } from '../chain/multicall.ts'
import { signerOf } from '../chain/sender.ts'
import { changeReport } from '../report/report.ts'
import { execute, type SendOptions, type StockContext } from '../state/change.ts'
import { parseAddress } from '../state/stock-list.ts'
import { NO_SUPPLY_CAP, read } from '../state/stock-state.ts'
import { parseDecimal } from '../terms/decimal.ts'
import { parseIsin } from '../terms/isin.ts'
import { parseRoles, roleId } from '../terms/roles.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type CreateOptions = ValuesOf<typeof STOCK_CREATE_FLAGS>

/** Variant and version of the creation parameters: assets, version 1. */
const ASSET = 0n
const VERSION = 1n

/** `tickertape stock create` */
export const create: StockAction<SendOptions & CreateOptions> = async (context, [symbol, name], options) => {
  for (const [what, text] of [
    ['symbol', symbol],
    ['name', name],
  ] as const) {
    if (text!.trim() === '') throw new StockError('INVALID_INPUT', `the ${what} is empty: a stock needs one`)
  }
  const sender = signerOf(options).address
  const { decimals } = options
  const initialAdmin = options.admin === undefined ? sender : parseAddress(options.admin, '--admin')
  const initCalls = initCallsOf(options, sender)
  const salt = options.salt === undefined ? bytesToHash(context.randomBytes(32)) : parseSalt(options.salt)
  const address = await addressOf(context, sender, salt)
  const params = encodeAssetParams({ version: VERSION, name, symbol, initialAdmin, decimals: BigInt(decimals) })
  const data = factoryFunction('createB20').encode({ variant: ASSET, salt: hexToBytes(salt), params, initCalls })
  const stock = { address, symbol: symbol!, decimals }
  const change = await execute(context, options, { to: STOCK_FACTORY_ADDRESS, data }, stock)
  const { text, value } = changeReport(['Created', 'create'], `${symbol} at ${address}`, change)
  return { text, value: { ...value, salt } }
}

/** Calls that the factory makes on the new stock, without role checks. */
function initCallsOf({ roles, isin, cap, supply, decimals }: CreateOptions, sender: Address): Bytes[] {
  const amount = supply === undefined ? 0n : parseDecimal(supply, decimals, '--supply')
  const supplyCap = cap === undefined ? undefined : parseDecimal(cap, decimals, '--cap')
  if (supplyCap !== undefined && supplyCap >= NO_SUPPLY_CAP) {
    throw new StockError('INVALID_INPUT', `--cap ${cap} is too large: leave it out for no cap`)
  }
  if (amount > (supplyCap ?? NO_SUPPLY_CAP)) {
    throw new StockError(
      'INVALID_INPUT',
      `--supply ${supply} is above ${cap === undefined ? 'the 2^128 - 1 units that a stock can have' : `--cap ${cap}`}`,
    )
  }
  return [
    ...parseRoles(roles).map((role) =>
      stockFunction('grantRole').encode({ role: hexToBytes(roleId(role)), account: sender }),
    ),
    ...(isin === undefined
      ? []
      : [stockFunction('updateExtraMetadata').encode({ key: 'isin', value: parseIsin(isin) })]),
    ...(supplyCap === undefined ? [] : [stockFunction('updateSupplyCap').encode(supplyCap)]),
    ...(amount === 0n ? [] : [stockFunction('mint').encode({ to: sender, amount })]),
  ]
}

/** Address that the factory computes for this sender and salt. */
async function addressOf({ rpc }: StockContext, sender: Address, salt: Hash): Promise<Address> {
  const args = { variant: ASSET, sender, salt: hexToBytes(salt) }
  const { values } = await readAll(rpc, 'pending', [
    read(STOCK_FACTORY_ADDRESS, factoryFunction('getB20Address'), args),
  ])
  const [address] = values
  if (address === undefined) {
    throw new StockError(
      'STOCK_NOT_FOUND',
      `this chain has no stock factory at ${STOCK_FACTORY_ADDRESS}: stocks cannot be created here`,
    )
  }
  return toAddress(address as string)
}

/** A hex string of 32 bytes, or the hash of any other text. */
function parseSalt(text: string): Hash {
  return isHexBytes(text) && text.length === 66 ? toHash(text) : keccakHash(Buffer.from(text, 'utf8'))
}
