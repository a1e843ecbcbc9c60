import type { ValuesOf } from '../../../flags/flag.ts'
import type {
  STOCK_NODE_FLAGS,
  STOCK_READ_FLAGS,
  STOCK_REST_FLAGS,
  STOCK_WAIT_FLAGS,
} from '../../../flags/stock-flags.ts'
import type { Address } from '../../../primitives/hex.ts'
import { followChanges } from '../chain/change-stream.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { showReport } from '../report/show-report.ts'
import type { StockContext } from '../state/change.ts'
import { type FoundStock, findStock, readStock } from '../state/stock-list.ts'
import type { StockState } from '../state/stock-state.ts'
import { type BlockName, parseBlockName } from '../terms/block-name.ts'
import { conditionsOf, eventTest } from '../terms/conditions.ts'
import { StockError } from '../terms/stock-error.ts'
import type { StockAction } from './stock-action.ts'

type Common = ValuesOf<typeof STOCK_NODE_FLAGS & typeof STOCK_READ_FLAGS & typeof STOCK_REST_FLAGS>
type WaitOptions = Common & ValuesOf<typeof STOCK_WAIT_FLAGS>

/** Milliseconds between reads. */
const POLL_MS = 200

/** `tickertape stock wait` */
export const wait: StockAction<WaitOptions> = async (context, [name], options) => {
  const { rpc, now, sleep } = context
  const at = parseBlockName(options.block)
  const deadline = now() + options.timeoutMs
  const isWanted = options.event === undefined ? undefined : eventTest(options.event)
  // A new stock is in the open block before it is in others.
  const { stock } = await findStock(rpc, name!, 'pending')
  const conditions = conditionsOf(options, stock)
  if (conditions.length === 0 && isWanted === undefined) {
    const flags = '--multiplier, --supply, --paused, --unpaused or --event'
    throw new StockError('INVALID_INPUT', `say what to wait for: ${flags}`)
  }
  if (isWanted !== undefined) await changeOf(context, stock, { ...options, leftMs: deadline - now() }, isWanted)
  for (;;) {
    const found = await stockAt(rpc, stock.address, at)
    const missing = found && conditions.filter(({ holds }) => !holds(found.stock))
    if (found !== undefined && missing?.length === 0) return showReport(found)
    const left = deadline - now()
    if (left <= 0) {
      const reasons = missing?.map(({ text, present }) => `${text} (it is ${present(found!.stock)})`).join(' and ')
      throw timedOut(
        reasons === undefined ? `${stock.symbol} is in no such block` : `${stock.symbol} does not have ${reasons}`,
        options,
      )
    }
    await sleep(Math.min(POLL_MS, left))
  }
}

/** Undefined: the block has no such stock yet. */
async function stockAt(rpc: JsonRpc, address: Address, at: BlockName): Promise<FoundStock | undefined> {
  try {
    return await readStock(rpc, address, at)
  } catch (error) {
    if (error instanceof StockError && error.code === 'STOCK_NOT_FOUND') return undefined
    throw error
  }
}

/** Resolves with the first wanted change. */
async function changeOf(
  context: StockContext,
  { address, symbol }: StockState,
  options: WaitOptions & { readonly leftMs: number },
  isWanted: ReturnType<typeof eventTest>,
): Promise<void> {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(options.leftMs)))
  try {
    for await (const change of followChanges(address, { ...options, signal }, context)) {
      if (change.removed === false && isWanted(change)) return
    }
  } catch (error) {
    if (signal.aborted) throw timedOut(`no ${options.event} of ${symbol} came`, options)
    throw error
  }
}

function timedOut(reason: string, { timeoutMs }: Pick<WaitOptions, 'timeoutMs'>): StockError {
  return new StockError('TIMED_OUT', `${reason} within ${timeoutMs / 1_000} s: wait longer with --timeout-ms`)
}
