import { encodeAbiParameters } from 'viem'
import { ROLE_IDS } from '../../../live/names/roles.ts'
import { isIsin } from '../../../primitives/stocks/isin.ts'
import { wholeNumberFrom } from '../control.ts'
import { capFrom, capText, given, type StockField, unitsFrom } from './form-fields.ts'
import { NO_CAP, stockInput } from './stock-contract.ts'

/** Variant and version of the creation parameters: assets, version 1. */
const ASSET = 0
const VERSION = 1
const PARAMETERS = [
  {
    type: 'tuple',
    components: [
      { name: 'version', type: 'uint8' },
      { name: 'name', type: 'string' },
      { name: 'symbol', type: 'string' },
      { name: 'initialAdmin', type: 'address' },
      { name: 'decimals', type: 'uint8' },
    ],
  },
] as const

export const CREATE_FIELDS: readonly StockField[] = [
  { label: 'Symbol', placeholder: 'ACMEd' },
  { label: 'Name', placeholder: 'Acme Demo Stock' },
  { label: 'Decimals', initial: '18' },
  { label: 'Supply in tokens', placeholder: '0' },
  { label: 'Cap in tokens', placeholder: 'none' },
  { label: 'ISIN', placeholder: 'none' },
]

/** What the fields say about a new stock. */
export interface NewStock {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** Base units, minted to the sender. */
  readonly supply: bigint
  readonly cap: bigint
  readonly isin: string
}

/** @throws Error that says what to write */
export function newStockFrom(texts: readonly string[]): NewStock {
  const [symbol = '', name = '', digits = '', amount = '', limit = '', isin = ''] = texts.map((text) => text.trim())
  if (symbol === '') throw new Error('Write a symbol, as in ACMEd.')
  if (name === '') throw new Error('Write the name of the stock.')
  const decimals = wholeNumberFrom(digits, { name: 'decimals', min: 6, max: 18 })
  const supply = amount === '' || amount === '0' ? 0n : unitsFrom(amount, decimals)
  const cap = capFrom(limit, decimals)
  if (supply > cap) throw new Error(`The supply is above the cap of ${capText(cap, decimals)}.`)
  if (isin !== '' && !isIsin(isin)) throw new Error('Write an ISIN of 12 characters with its check digit, or none.')
  return { symbol, name, decimals, supply, cap, isin }
}

/** Input of the call of the factory. The sender becomes admin, gets every role and the supply, as by the command. */
export function createInput({ symbol, name, decimals, supply, cap, isin }: NewStock, sender: string, salt: string) {
  const roles = Object.entries(ROLE_IDS).filter(([role]) => role !== 'DEFAULT_ADMIN_ROLE')
  const calls = [
    ...roles.map(([, id]) => stockInput('grantRole', [id, sender])),
    ...(isin === '' ? [] : [stockInput('updateExtraMetadata', ['isin', isin])]),
    ...(cap === NO_CAP ? [] : [stockInput('updateSupplyCap', [cap])]),
    ...(supply === 0n ? [] : [stockInput('mint', [sender, supply])]),
  ]
  const values = { version: VERSION, name, symbol, initialAdmin: sender as `0x${string}`, decimals }
  return stockInput('createB20', [ASSET, salt, encodeAbiParameters(PARAMETERS, [values]), calls], 'factory')
}

/** Input of the read of the address that the stock will have. */
export function createdAddressInput(sender: string, salt: string): `0x${string}` {
  return stockInput('getB20Address', [ASSET, sender, salt], 'factory')
}

/** Arguments of `tickertape stock` by the texts of the fields. */
export function createArgs(texts: readonly string[]): readonly string[] {
  const [symbol = '', name = '', decimals = '', supply = '', cap = '', isin = ''] = texts.map((text) => text.trim())
  const option = (flag: string, text: string, usual: string) => (text === '' || text === usual ? [] : [flag, text])
  return [
    'create',
    given(symbol, 'symbol'),
    given(name, 'name'),
    ...option('--decimals', decimals, '18'),
    ...option('--supply', supply, '0'),
    ...option('--cap', cap, 'none'),
    ...option('--isin', isin, ''),
  ]
}
