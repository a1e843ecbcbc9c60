import { decimalOf } from '../../../live/amount.ts'
import { developmentAccountNumber } from '../../../live/names/known-addresses.ts'
import { ROLE_IDS } from '../../../live/names/roles.ts'
import { decimalUnits } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS, multiplierAfter, splitRatioOf } from '../../../primitives/stocks/split-ratio.ts'
import { addressFrom } from '../control.ts'
import { commandLine } from '../shell.ts'
import { PAUSABLE_FEATURES, stockInput } from './stock-contract.ts'
import type { StockFacts } from './stock-facts.ts'

/** A field of a form. */
export interface StockField {
  readonly label: string
  readonly placeholder?: string
  readonly initial?: string
  /** The texts to choose from; any text without. */
  readonly choices?: readonly string[]
}

/** A corporate action: its fields, the call that it makes, and the command that does the same. */
export interface StockForm {
  readonly title: string
  readonly action: string
  readonly fields: readonly StockField[]
  /** Role that the contract requires, by its name. */
  readonly role: string
  /** Feature whose pause makes the contract refuse. */
  readonly feature?: (typeof PAUSABLE_FEATURES)[number]
  /**
   * The change, as in `Supply 100 → 150 tokens`; `undefined` while the texts say nothing.
   *
   * @throws Error that says what to write
   */
  readonly preview?: (texts: readonly string[], stock: StockFacts) => string | undefined
  /** Arguments of `tickertape stock` by the texts of the fields. */
  readonly args: (texts: readonly string[], stock: string) => readonly string[]
  /**
   * Input of the call of the stock.
   *
   * @param now time of the chain, Unix seconds
   * @throws Error that says what to write
   */
  readonly input: (texts: readonly string[], stock: StockFacts, sender: string, now: bigint) => `0x${string}`
}

const ADMIN_ROLE = 'DEFAULT_ADMIN_ROLE'
const FEATURE = { label: 'Feature', choices: [...PAUSABLE_FEATURES, 'all'], initial: 'transfer' }

export const STOCK_FORMS: readonly StockForm[] = [
  {
    title: 'Issue',
    action: 'Issue',
    role: 'MINT_ROLE',
    feature: 'mint',
    preview: ([amount = ''], stock) => supplyPreview(amount, stock, 1n),
    fields: [
      { label: 'Amount', placeholder: '1000.5' },
      { label: 'Recipient', placeholder: 'the sender' },
    ],
    args: ([amount = '', to = ''], stock) => [
      'mint',
      given(amount, 'amount'),
      stock,
      ...(to === '' ? [] : ['--to', to]),
    ],
    input: ([amount = '', to = ''], { decimals }, sender) =>
      stockInput('mint', [to.trim() === '' ? sender : addressFrom(to), unitsFrom(amount, decimals)]),
  },
  {
    title: 'Redeem',
    action: 'Redeem',
    role: 'BURN_ROLE',
    feature: 'burn',
    preview: ([amount = ''], stock) => supplyPreview(amount, stock, -1n),
    fields: [{ label: 'Amount of the sender', placeholder: '250' }],
    args: ([amount = ''], stock) => ['burn', given(amount, 'amount'), stock],
    input: ([amount = ''], { decimals }) => stockInput('burn', [unitsFrom(amount, decimals)]),
  },
  {
    title: 'Split',
    action: 'Split',
    role: 'OPERATOR_ROLE',
    preview: ([ratio = ''], { multiplier, supply, decimals }) => {
      if (ratio.trim() === '') return undefined
      const after = splitMultiplier(multiplier, ratio)
      const shares = (each: bigint) => decimalOf(supply * each, decimals + MULTIPLIER_DECIMALS)
      return (
        `Multiplier ${decimalOf(multiplier, MULTIPLIER_DECIMALS)} → ${decimalOf(after, MULTIPLIER_DECIMALS)} shares per token, ` +
        `all tokens ${shares(multiplier)} → ${shares(after)} shares`
      )
    },
    fields: [
      { label: 'New : old shares', placeholder: '2:1' },
      { label: 'In (empty: at once)', placeholder: '2m' },
    ],
    args: ([ratio = '', delay = ''], stock) =>
      delay === ''
        ? ['split', given(ratio, 'ratio'), stock]
        : ['schedule-split', given(ratio, 'ratio'), stock, '--in', delay],
    input: ([ratio = '', delay = ''], { multiplier }, _, now) => {
      const split = splitMultiplier(multiplier, ratio)
      if (delay.trim() === '') return stockInput('updateMultiplier', [split])
      return stockInput('updateUIMultiplier', [split, now + secondsFrom(delay)])
    },
  },
  {
    title: 'Pause',
    action: 'Pause',
    role: 'PAUSE_ROLE',
    preview: ([feature = ''], { pausedFeatures }) => pausePreview(feature, pausedFeatures, true),
    fields: [FEATURE],
    args: ([feature = ''], stock) => ['pause', feature, stock],
    input: ([feature = '']) => stockInput('pause', [ordinalsOf(feature)]),
  },
  {
    title: 'Unpause',
    action: 'Unpause',
    role: 'UNPAUSE_ROLE',
    preview: ([feature = ''], { pausedFeatures }) => pausePreview(feature, pausedFeatures, false),
    fields: [FEATURE],
    args: ([feature = ''], stock) => ['unpause', feature, stock],
    input: ([feature = '']) => stockInput('unpause', [ordinalsOf(feature)]),
  },
  {
    title: 'Announce',
    action: 'Announce',
    role: 'OPERATOR_ROLE',
    fields: [
      { label: 'Id, not used before', placeholder: '2026-dividend' },
      { label: 'Description' },
      { label: 'URI', placeholder: 'https://…' },
    ],
    args: ([id = '', description = '', uri = ''], stock) => [
      'announce',
      given(id, 'id'),
      stock,
      ...(description === '' ? [] : ['--description', description]),
      ...(uri === '' ? [] : ['--uri', uri]),
    ],
    input: ([id = '', description = '', uri = '']) => {
      if (id === '') throw new Error('Write an id that no announcement of this stock had.')
      return stockInput('announce', [[], id, description, uri])
    },
  },
  roleForm('Grant a role', 'Grant', 'grant'),
  roleForm('Revoke a role', 'Revoke', 'revoke'),
]

/** The default admin grants all roles, unless `setRoleAdmin` chose another role for that. */
function roleForm(title: string, action: string, verb: 'grant' | 'revoke'): StockForm {
  const roles = Object.keys(ROLE_IDS).filter((name) => name !== ADMIN_ROLE)
  return {
    title,
    action,
    role: ADMIN_ROLE,
    fields: [
      { label: 'Role', choices: roles, initial: roles[0]! },
      { label: 'Account', placeholder: '0x…' },
    ],
    args: ([role = '', account = ''], stock) => [`${verb}-role`, role, stock, '--holder', given(account, 'account')],
    input: ([role = '', account = '']) => stockInput(`${verb}Role`, [ROLE_IDS[role], addressFrom(account)]),
  }
}

function supplyPreview(text: string, { supply, decimals }: StockFacts, sign: 1n | -1n): string | undefined {
  if (text.trim() === '') return undefined
  const after = supply + sign * unitsFrom(text, decimals)
  if (after < 0n) throw new Error('That is more than the whole supply.')
  return `Supply ${decimalOf(supply, decimals)} → ${decimalOf(after, decimals)} tokens`
}

function pausePreview(feature: string, paused: readonly string[], isPausing: boolean): string {
  const named = PAUSABLE_FEATURES.filter((one) => one === feature || feature === 'all')
  const after = isPausing
    ? [...new Set([...paused, ...named])]
    : paused.filter((one) => !named.some((other) => other === one))
  const text = (features: readonly string[]) => (features.length === 0 ? 'nothing' : features.join(', '))
  return `Paused ${text(paused)} → ${text(after)}`
}

/** Ends a split that is still ahead. */
export const CANCEL_FORM: StockForm = {
  title: 'Cancel the split',
  action: 'Cancel the split',
  role: 'OPERATOR_ROLE',
  fields: [],
  args: (_, stock) => ['cancel-split', stock],
  input: () => stockInput('cancelUIMultiplierUpdate'),
}

export interface CommandContext {
  /** JSON-RPC of the node. */
  readonly url: string
  readonly sender: string
}

const DEFAULT_URL = 'http://127.0.0.1:8545'

/**
 * The command that does what the form does.
 *
 * @example formCommand(form, ['10'], stock, context) // 'tickertape stock burn 10 HLCYNd'
 */
export function formCommand(
  form: StockForm,
  texts: readonly string[],
  stock: StockFacts,
  { url, sender }: CommandContext,
): string {
  const name = /^[A-Za-z]\w{0,23}$/.test(stock.symbol) ? stock.symbol : stock.address
  const trimmed = texts.map((text) => text.trim())
  const account = developmentAccountNumber(sender)
  const address = url.replace(/\/$/, '')
  const line = commandLine([
    'tickertape',
    'stock',
    ...form.args(trimmed, name),
    ...(account > 0 ? ['--account', String(account)] : []),
    ...(address === DEFAULT_URL ? [] : ['--rpc-url', address]),
  ])
  return account < 0 ? `TICKERTAPE_PRIVATE_KEY=… ${line}` : line
}

/** The text, or a word for it while the field is empty. */
function given(text: string, word: string): string {
  return text === '' ? `<${word}>` : text
}

const MAX_UNITS = 2n ** 256n

/** Base units of a decimal. @throws Error that says what to write */
function unitsFrom(text: string, decimals: number): bigint {
  const units = decimalUnits(text.trim(), decimals)
  if (units === undefined) throw new Error('Write an amount of tokens, as in 1000.5, without separators.')
  if (typeof units === 'object') throw new Error(`This stock has ${decimals} digits behind the point, not more.`)
  if (units === 0n || units >= MAX_UNITS) throw new Error('Write an amount above 0 that a token can count.')
  return units
}

/** The multiplier after a split. @throws Error that says what to write */
function splitMultiplier(multiplier: bigint, text: string): bigint {
  const ratio = splitRatioOf(text.replaceAll(/\s/g, ''))
  if (ratio === undefined) {
    throw new Error('Write new and old shares as whole numbers, as in 2:1, or 1:4 to merge four into one.')
  }
  const after = multiplierAfter(multiplier, ratio)
  if (!after.isExact) {
    throw new Error(
      `${text} of ${decimalOf(multiplier, MULTIPLIER_DECIMALS)} has more than 18 decimals: choose another ratio.`,
    )
  }
  return after.multiplier
}

const SECONDS: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3_600n, d: 86_400n }

/** @throws Error that says what to write */
function secondsFrom(text: string): bigint {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text.trim()) ?? []
  if (count === undefined || unit === undefined) {
    throw new Error('Write a whole number and one of s, m, h, d, as in 90s or 2m; nothing for a split at once.')
  }
  return BigInt(count) * SECONDS[unit]!
}

function ordinalsOf(feature: string): readonly number[] {
  return PAUSABLE_FEATURES.flatMap((name, ordinal) => (feature === name || feature === 'all' ? [ordinal] : []))
}
