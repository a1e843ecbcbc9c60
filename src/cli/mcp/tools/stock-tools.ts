import { flagName } from '../../../flags/flag.ts'
import { hasFormOfIsin } from '../../../primitives/stocks/isin.ts'
import { type Codec, InvalidValueError, jsonObject, listOf } from '../../../rpc/codecs/codec.ts'
import { wholeNumber } from '../../../rpc/codecs/small-numbers.ts'
import { text } from '../../../rpc/codecs/text.ts'
import type { Json, JsonRecord } from '../../../rpc/protocol/json.ts'
import { STOCK_COMMANDS, type StockCommand } from '../../stock/stock-commands.ts'
import { StockError } from '../../stock/terms/stock-error.ts'
import { described, inputOf, oneOf } from '../arguments/input.ts'
import { runStockCommand } from './run-stock-command.ts'
import { defineTool, out, type ToolContext } from './tool.ts'

const BLOCK = described(text, 'latest, pending, safe, finalized, earliest, a number or a hash; default latest')
const STOCK = described(text, 'symbol (case-sensitive), address or ISIN of the stock')

/** A flag of a command where the input has it. */
function flagsOf(input: object): readonly string[] {
  return Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [`${flagName(name)}=${value}`]))
}

/** The commands take a symbol or an address. @throws StockError `STOCK_NOT_FOUND` for an unknown ISIN */
async function stockName(context: ToolContext, given: string): Promise<string> {
  if (!hasFormOfIsin(given)) return given
  const { stocks } = await runStockCommand(context, 'list', [], [])
  const found = (stocks as readonly JsonRecord[]).find(({ isin }) => isin === given)
  if (found === undefined) throw new StockError('STOCK_NOT_FOUND', `no stock of the factory has the ISIN ${given}`)
  return found.address as string
}

const BLOCK_OUTPUT = out.object('number and timestamp of the block')

export const listStocksTool = defineTool({
  name: 'list_stocks',
  title: 'List tokenized stocks',
  description:
    'All tokenized stocks of the chain at one block: symbol, address, ISIN, supply and cap in token units, shares per ' +
    'unit (multiplier), scheduled splits and paused features. Amounts are decimal strings.',
  effect: 'read',
  input: inputOf<{ readonly block?: string }>({ block: BLOCK }),
  output: { required: { block: BLOCK_OUTPUT, stocks: out.list('stocks in order of creation') } },
  run: (context, input) => runStockCommand(context, 'list', [], flagsOf(input)),
})

export const getStock = defineTool({
  name: 'get_stock',
  title: 'Read a tokenized stock',
  description:
    'One tokenized stock by symbol, address or ISIN, with the members that list_stocks gives, and the price, freeze and ' +
    'market session of its price feed.',
  effect: 'read',
  input: inputOf<{ readonly stock?: string; readonly block?: string }>({ stock: STOCK, block: BLOCK }, ['stock']),
  output: {
    required: {
      block: BLOCK_OUTPUT,
      stock: out.object('the stock'),
      feed: out.any('price feed: price, sharePrice, updatedAt, frozen, session; null: the stock has none'),
    },
  },
  async run(context, { stock, ...rest }) {
    return runStockCommand(context, 'show', [await stockName(context, stock!)], flagsOf(rest))
  },
})

interface HistoryInput {
  readonly stock?: string
  readonly field?: 'supply' | 'multiplier' | 'price' | 'actions'
  readonly from?: string
  readonly to?: string
  readonly every?: string
  readonly limit?: number
}

const LIMIT = described(wholeNumber, 'entries at most; default 100')
const DEFAULT_LIMIT = 100
const ENTRIES_OUTPUT = {
  required: {
    address: out.text('address of the stock'),
    entries: out.list('entries as the stock service gives them'),
    isComplete: out.flag('false: there are more; raise limit'),
  },
}

export const stockHistory = defineTool({
  name: 'stock_history',
  title: 'History of a tokenized stock',
  description:
    'Supply, multiplier or price of a stock in earlier blocks, or its corporate actions (splits, announcements, pauses). ' +
    'Needs the stock service of the node.',
  effect: 'read',
  input: inputOf<HistoryInput>(
    {
      stock: STOCK,
      field: oneOf(['supply', 'multiplier', 'price', 'actions'], 'actions: corporate actions; default supply'),
      from: described(text, 'first block, by number or time, as in 2026-01-31T14:30:00Z'),
      to: described(text, 'last block, by number or time'),
      every: described(text, 'distance of the values: blocks as in "10", or time as in "1h"; not with actions'),
      limit: LIMIT,
    },
    ['stock'],
  ),
  output: ENTRIES_OUTPUT,
  async run(context, { stock, limit = DEFAULT_LIMIT, ...rest }) {
    return runStockCommand(context, 'history', [await stockName(context, stock!)], flagsOf({ ...rest, limit }))
  },
})

interface HoldersInput {
  readonly stock?: string
  readonly block?: string
  readonly limit?: number
}

export const stockHolders = defineTool({
  name: 'stock_holders',
  title: 'Holders of a tokenized stock',
  description:
    'Accounts with units of a stock, in order of address, with balances in token units and shares of the supply.',
  effect: 'read',
  input: inputOf<HoldersInput>({ stock: STOCK, block: BLOCK, limit: LIMIT }, ['stock']),
  output: ENTRIES_OUTPUT,
  async run(context, { stock, limit = DEFAULT_LIMIT, ...rest }) {
    return runStockCommand(context, 'holders', [await stockName(context, stock!)], flagsOf({ ...rest, limit }))
  },
})

/** Keys stay out of conversations, and the node is that of the server. */
const REFUSED_FLAGS = new Set(['privateKey', 'rpcUrl', 'requestTimeoutMs', 'json'])
const SENDING = STOCK_COMMANDS.filter(({ groups }) => groups.some(({ title }) => title === 'Sending'))

const commandFlags: Codec<object> = {
  decode: jsonObject,
  encode: (value) => value as Json,
  schema: {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    description: 'flags of the command by name, as in {"to": "0x…", "dryRun": true, "account": 0}',
  } as JsonRecord,
}

interface ActionInput {
  readonly command?: string
  readonly arguments?: readonly string[]
  readonly flags?: object
}

const MAX_ARGUMENTS = 8

export const stockAction = defineTool({
  name: 'stock_action',
  title: 'Change a tokenized stock',
  description:
    'Runs a command of `tickertape stock` that sends a transaction from a development account (flag account, 0 to 9): ' +
    `${SENDING.map(usageOf).join('; ')}. The change is simulated first, so that a refusal costs nothing; {"dryRun": true} ` +
    'only simulates. Amounts are decimals in token units.',
  effect: 'destructive',
  input: inputOf<ActionInput>(
    {
      command: oneOf(
        SENDING.map(({ name }) => name),
        'name of the command',
      ),
      arguments: described(listOf(text, MAX_ARGUMENTS), 'its arguments in order, as texts'),
      flags: commandFlags,
    },
    ['command'],
  ),
  output: {
    required: { dryRun: out.flag('whether nothing was sent') },
    optional: {
      sender: out.text('account that sent'),
      gasUsed: out.number('gas used'),
      transaction: out.any('hash and block, or null after a dry run'),
      before: out.any('state before'),
      after: out.any('state after'),
      events: out.list('events of the contracts'),
    },
  },
  run(context, { command, arguments: args = [], flags = {} }) {
    const definition = SENDING.find(({ name }) => name === command)!
    return runStockCommand(context, command!, args, checkedFlags(definition, flags))
  },
})

/** @example 'mint AMOUNT STOCK' */
function usageOf({ name, args }: StockCommand): string {
  return [name, ...args.map((argument) => argument.name.slice(1, -1).toUpperCase())].join(' ')
}

/** @throws InvalidValueError for a flag that the command lacks */
function checkedFlags({ flags: own, groups }: StockCommand, given: object): readonly string[] {
  const known = [own, ...groups.map(({ flags }) => flags)]
    .flatMap(Object.keys)
    .filter((name) => !REFUSED_FLAGS.has(name))
  return Object.entries(given).flatMap(([name, value]) => {
    if (!known.includes(name)) throw new InvalidValueError(`unknown flag, want ${known.join(', ')}`, `flags.${name}`)
    if (value === false) return []
    return value === true ? [flagName(name)] : [`${flagName(name)}=${value}`]
  })
}
