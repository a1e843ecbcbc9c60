import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { StockCall } from '../chain/call.ts'
import { type Named, stockFunction } from '../chain/contracts.ts'
import type { InclusionOptions, InclusionParts } from '../chain/inclusion.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import type { Unit } from '../chain/refusals.ts'
import { type SenderOptions, signerOf } from '../chain/sender.ts'
import { simulateChange } from '../chain/simulation.ts'
import { type Included, onceSent, transact } from '../chain/transaction.ts'
import { StockError } from '../terms/stock-error.ts'
import { readStock } from './stock-list.ts'
import { readsOf, type StockState, stockState } from './stock-state.ts'

/** The node, and the clock of this process. */
export interface StockContext extends InclusionParts {
  readonly rpc: JsonRpc
  readonly randomBytes: (size: number) => Bytes
}

export interface SendOptions extends SenderOptions, InclusionOptions {
  readonly dryRun: boolean
}

export interface AnnouncedOptions {
  readonly announce: string | undefined
  readonly description: string
  readonly uri: string
}

/** Result of a change or of its dry run. */
export interface Change {
  readonly sender: Address
  readonly gasUsed: number
  readonly events: readonly Named[]
  /** Undefined if the change creates the stock. */
  readonly before: StockState | undefined
  readonly after: StockState
  /** Undefined for a dry run. */
  readonly included: Included | undefined
}

/**
 * Calls the stock, within an announcement if requested; a dry run sends nothing.
 *
 * @param data calldata for the stock
 * @throws StockError
 */
export async function changeStock(
  context: StockContext,
  options: SendOptions & AnnouncedOptions,
  before: StockState,
  data: Bytes,
): Promise<Change> {
  const { announce, description, uri } = options
  const announced = announce === undefined ? data : announcement(announce, description, uri, [data])
  return { ...(await execute(context, options, { to: before.address, data: announced }, before)), before }
}

/** Calldata of an announcement with these calls. */
export function announcement(id: string, description: string, uri: string, internalCalls: readonly Bytes[]): Bytes {
  return stockFunction('announce').encode({ internalCalls, id, description, uri })
}

/**
 * Makes any call, then reads the stock.
 *
 * @param stock to read; also the unit of amounts in errors
 */
export async function execute(
  { rpc, ...parts }: StockContext,
  options: SendOptions,
  { to, data }: Omit<StockCall, 'from'>,
  stock: Unit & { readonly address: Address },
): Promise<Change> {
  const sender = signerOf(options)
  const call = { from: sender.address, to, data }
  const common = { sender: sender.address, before: undefined }
  if (options.dryRun) {
    const { gasUsed, events, after } = await simulateChange(rpc, call, readsOf(stock.address), stock)
    const state = stockState(stock.address, after.values, after.block)
    if (state === undefined) throw new StockError('NODE_ERROR', 'what the call would leave behind is no stock')
    return { ...common, gasUsed, events, after: state, included: undefined }
  }
  const included = await transact(rpc, sender, call, stock, { ...options, ...parts })
  const { gasUsed, events } = included
  const after = await onceSent(included.hash, () => readStock(rpc, stock.address, 'pending'))
  return { ...common, gasUsed, events, after: after.stock, included }
}
