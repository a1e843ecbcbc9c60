import { developmentAccountNumber } from '../../../live/names/known-addresses.ts'
import { commandLine } from '../../../primitives/text/shell.ts'
import type { StockField } from './form-fields.ts'
import type { PAUSABLE_FEATURES, StockContract } from './stock-contract.ts'
import type { StockFacts } from './stock-facts.ts'

/** A corporate action: its fields, the call that it makes, and the command that does the same. */
export interface StockForm {
  readonly title: string
  readonly action: string
  readonly fields: readonly StockField[]
  /** Contract that is called. Default: the stock. */
  readonly contract?: Exclude<StockContract, 'factory'>
  /** Role that the contract requires, by its name. */
  readonly role: string
  /** Feature whose pause makes the contract refuse. */
  readonly feature?: (typeof PAUSABLE_FEATURES)[number]
  /** Whether the stock has the action. Default: it does. */
  readonly isFor?: (stock: StockFacts) => boolean
  /** Inputs of calls of the stock whose outputs `preview` takes; none while the texts are incomplete. */
  readonly reads?: (texts: readonly string[], sender: string) => readonly `0x${string}`[]
  /**
   * The change, as in `Supply 100 → 150 tokens`; `undefined` while the texts or the outputs say nothing.
   *
   * @param outputs of `reads`; empty before they are known
   * @throws Error that says what to write
   */
  readonly preview: (texts: readonly string[], stock: StockFacts, outputs: readonly unknown[]) => string | undefined
  /** Arguments of `tickertape stock` by the texts of the fields. */
  readonly args: (texts: readonly string[], stock: string) => readonly string[]
  /**
   * Input of the call.
   *
   * @param now time of the chain, Unix seconds
   * @throws Error that says what to write
   */
  readonly input: (texts: readonly string[], stock: StockFacts, sender: string, now: bigint) => `0x${string}`
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
  form: Pick<StockForm, 'args'>,
  texts: readonly string[],
  stock: Pick<StockFacts, 'symbol' | 'address'>,
  context: CommandContext,
): string {
  const name = /^[A-Za-z]\w{0,23}$/.test(stock.symbol) ? stock.symbol : stock.address
  const trimmed = texts.map((text) => text.trim())
  return signedCommand(form.args(trimmed, name), context)
}

/** A command of `tickertape stock` that the sender signs. */
export function signedCommand(args: readonly string[], { url, sender }: CommandContext): string {
  const account = developmentAccountNumber(sender)
  const address = url.replace(/\/$/, '')
  const line = commandLine([
    'tickertape',
    'stock',
    ...args,
    ...(account > 0 ? ['--account', String(account)] : []),
    ...(address === DEFAULT_URL ? [] : ['--rpc-url', address]),
  ])
  return account < 0 ? `TICKERTAPE_PRIVATE_KEY=… ${line}` : line
}
