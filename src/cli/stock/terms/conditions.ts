import { formatDecimal } from '../../../primitives/decimal.ts'
import { MULTIPLIER_DECIMALS } from '../../../primitives/stocks/split-ratio.ts'
import { parseDecimal } from './decimal.ts'
import { featureName, parseFeatures } from './features.ts'
import { StockError } from './stock-error.ts'

/** Values of a stock that conditions compare. */
interface ComparedStock {
  readonly decimals: number
  readonly totalSupply: bigint
  readonly multiplier: bigint
  readonly pausedFeatures: readonly number[]
}

export interface ConditionOptions {
  readonly multiplier: string | undefined
  readonly supply: string | undefined
  readonly paused: string | undefined
  readonly unpaused: string | undefined
}

/** A condition that a stock meets or not. */
export interface Condition {
  /** As in `a supply of >=1000`. */
  readonly text: string
  readonly holds: (stock: ComparedStock) => boolean
  /** The present value. */
  readonly present: (stock: ComparedStock) => string
}

/** @throws StockError `INVALID_INPUT` */
export function conditionsOf(
  options: ConditionOptions,
  { decimals }: Pick<ComparedStock, 'decimals'>,
): readonly Condition[] {
  const { multiplier, supply, paused, unpaused } = options
  const conditions: (Condition | undefined)[] = [
    multiplier === undefined
      ? undefined
      : comparison(`a multiplier of ${multiplier}`, multiplier, MULTIPLIER_DECIMALS, (stock) => stock.multiplier),
    supply === undefined
      ? undefined
      : comparison(`a supply of ${supply}`, supply, decimals, (stock) => stock.totalSupply),
    paused === undefined ? undefined : pauseCondition(paused, true),
    unpaused === undefined ? undefined : pauseCondition(unpaused, false),
  ]
  return conditions.filter((condition) => condition !== undefined)
}

const COMPARISON = /^(>=|<=)?(.+)$/

function comparison(text: string, wanted: string, decimals: number, read: (stock: ComparedStock) => bigint): Condition {
  const [, operator, number] = COMPARISON.exec(wanted) ?? []
  const bound = parseDecimal(number ?? '', decimals, 'the value to wait for')
  return {
    text,
    holds: (stock) => {
      const value = read(stock)
      if (operator === '>=') return value >= bound
      return operator === '<=' ? value <= bound : value === bound
    },
    present: (stock) => formatDecimal(read(stock), decimals),
  }
}

function pauseCondition(text: string, isPaused: boolean): Condition {
  const features = parseFeatures(text)
  return {
    text: `${features.map(featureName).join(', ')} ${isPaused ? 'paused' : 'unpaused'}`,
    holds: ({ pausedFeatures }) => features.every((feature) => pausedFeatures.includes(feature) === isPaused),
    present: ({ pausedFeatures }) => `paused: ${pausedFeatures.map(featureName).join(', ') || 'none'}`,
  }
}

type ChangeTest = (change: Readonly<Record<string, unknown>>) => boolean

const kind =
  (wanted: string): ChangeTest =>
  (change) =>
    change.kind === wanted
const action =
  (wanted: string): ChangeTest =>
  (change) =>
    change.action === wanted
const isBurn = ({ difference_exact }: Readonly<Record<string, unknown>>) => String(difference_exact).startsWith('-')

/** Changes by the names of `--event`. */
const EVENTS: Readonly<Record<string, ChangeTest>> = {
  supply: kind('supply'),
  mint: (change) => change.kind === 'supply' && !isBurn(change),
  burn: (change) => change.kind === 'supply' && isBurn(change),
  split: kind('multiplier'),
  'split-scheduled': action('multiplier_scheduled'),
  'split-cancelled': action('multiplier_cancelled'),
  pause: kind('pause'),
  price: kind('price'),
  announcement: action('announced'),
}

/** Names of `--event`. */
export const EVENT_NAMES: readonly string[] = Object.keys(EVENTS)

/** @throws StockError `INVALID_INPUT` */
export function eventTest(name: string): ChangeTest {
  const found = EVENTS[name]
  if (found === undefined) {
    throw new StockError('INVALID_INPUT', `there is no event ${name}: choose from ${EVENT_NAMES.join(', ')}`)
  }
  return found
}
