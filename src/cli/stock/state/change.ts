import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { StockCall } from '../chain/call.ts'
import { type Named, stockFunction } from '../chain/contracts.ts'
import type { InclusionOptions, InclusionParts } from '../chain/inclusion.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { type Read, type ReadResults, readAll } from '../chain/multicall.ts'
import type { Unit } from '../chain/refusals.ts'
import { type SenderOptions, signerOf } from '../chain/sender.ts'
import { simulateChange } from '../chain/simulation.ts'
import { type Included, onceSent, transact } from '../chain/transaction.ts'
import { StockError } from '../terms/stock-error.ts'
import { readsOf, type StockState, stockState } from './stock-state.ts'

/** The node, and the clock of this process. */
export interface StockContext extends InclusionParts {
  readonly rpc: JsonRpc
  readonly randomBytes: (size: number) => Bytes
  /** Prints a report before the command ends. */
  readonly print: (report: { readonly text: string; readonly value: Readonly<Record<string, unknown>> }) => void
}

export interface SendOptions extends SenderOptions, InclusionOptions {
  readonly dryRun: boolean
}

export interface AnnouncedOptions {
  readonly announce: string | undefined
  readonly description: string
  readonly uri: string
}

/** Result of a transaction or of its dry run. */
export interface ExecutedChange<State> {
  readonly sender: Address
  readonly gasUsed: number
  readonly events: readonly Named[]
  readonly after: State
  /** Undefined for a dry run. */
  readonly included: Included | undefined
}

/** Result of a change of a stock. */
export interface Change extends ExecutedChange<StockState> {
  /** Undefined if the change creates the stock. */
  readonly before: StockState | undefined
}

/** The state that is read after a transaction. */
export interface StateReading<State> {
  readonly reads: readonly Read[]
  /** Undefined: the contracts are others than expected. */
  readonly decode: (results: ReadResults) => State | undefined
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
  context: StockContext,
  options: SendOptions,
  call: Omit<StockCall, 'from'>,
  stock: Unit & { readonly address: Address },
): Promise<Change> {
  const { address } = stock
  const reading = {
    reads: readsOf(address),
    decode: ({ values, block }: ReadResults) => stockState(address, values, block),
  }
  return { ...(await executeAndRead(context, options, call, stock, reading)), before: undefined }
}

/** Makes any call, then reads. @param unit of the amounts in errors */
export async function executeAndRead<State>(
  { rpc, ...parts }: StockContext,
  options: SendOptions,
  { to, data }: Omit<StockCall, 'from'>,
  unit: Unit,
  { reads, decode }: StateReading<State>,
): Promise<ExecutedChange<State>> {
  const sender = signerOf(options)
  const call = { from: sender.address, to, data }
  const read = (results: ReadResults) => {
    const state = decode(results)
    if (state === undefined) throw new StockError('NODE_ERROR', 'the state after the call cannot be read')
    return state
  }
  if (options.dryRun) {
    const { gasUsed, events, after } = await simulateChange(rpc, call, reads, unit)
    return { sender: sender.address, gasUsed, events, after: read(after), included: undefined }
  }
  const included = await transact(rpc, sender, call, unit, { ...options, ...parts })
  const { gasUsed, events } = included
  const after = await onceSent(included.hash, async () => read(await readAll(rpc, 'pending', reads)))
  return { sender: sender.address, gasUsed, events, after, included }
}
