import { bigintOf } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import { RequestError } from '../../../live/request-error.ts'
import { stockInput, stockOutput } from '../../model/stock/stock-contract.ts'
import { type StockFacts, stockFacts, stockReads } from '../../model/stock/stock-facts.ts'
import {
  multiplierSteps,
  type StockEvent,
  scheduledSplits,
  supplySteps,
  type ValueStep,
} from '../../model/stock/stock-history.ts'

/**
 * A stock as of the open block.
 *
 * @throws RequestError if the contract is no stock
 */
export async function loadStock(node: NodeRequests, address: string): Promise<StockFacts> {
  const [block, ...outputs] = await Promise.all([
    node.request('eth_getBlockByNumber', ['pending', false]),
    ...stockReads(address).map((call) => node.request('eth_call', [call, 'pending']).catch(() => undefined)),
  ])
  const facts = stockFacts(address, outputs, block)
  if (facts !== undefined) return facts
  throw new RequestError('INVALID_RESPONSE', 'There is no tokenized stock at this address.')
}

/** The values of a stock over the blocks of its events. */
export interface StockHistory {
  readonly supply: readonly ValueStep[]
  readonly multiplier: readonly ValueStep[]
}

/** Scheduled splits whose first block is looked for, the newest ones. */
const MAX_SPLITS = 20

/** @param toBlock newest block of the events */
export async function readHistory(
  node: NodeRequests,
  address: string,
  { events, fromBlock, toBlock }: { events: readonly StockEvent[]; fromBlock: number; toBlock: number },
): Promise<StockHistory> {
  const at = hex(toBlock)
  const call = async (name: string) =>
    bigintOf(stockOutput(name, await node.request('eth_call', [{ to: address, data: stockInput(name) }, at])))
  const [supply = 0n, multiplier = 0n, newestTime] = await Promise.all([
    call('totalSupply'),
    call('multiplier'),
    timeOf(node, toBlock),
  ])
  const due = scheduledSplits(events)
    .filter(({ effectiveAt }) => effectiveAt <= newestTime)
    .slice(-MAX_SPLITS)
  const blocks = await Promise.all(
    due.map(
      async ({ block, effectiveAt }) => [effectiveAt, await firstBlockAt(node, effectiveAt, block, toBlock)] as const,
    ),
  )
  return {
    supply: supplySteps(events, supply, fromBlock),
    multiplier: multiplierSteps(events, multiplier, fromBlock, new Map(blocks)),
  }
}

/** The first block at or after a time, between one before it and one after it. */
async function firstBlockAt(node: NodeRequests, time: bigint, before: number, after: number): Promise<number> {
  let low = before
  let high = after
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((await timeOf(node, middle)) < time) low = middle
    else high = middle
  }
  return high
}

async function timeOf(node: NodeRequests, height: number): Promise<bigint> {
  const block = await node.request('eth_getBlockByNumber', [hex(height), false])
  return bigintOf((block as { timestamp?: unknown } | null)?.timestamp) ?? 0n
}

/** A holder with its tokens. */
export interface StockHolder {
  readonly address: string
  /** Base units. */
  readonly balance: bigint
}

/** Accounts whose balance is read. */
export const MAX_HOLDERS = 500

/** Accounts that hold tokens, largest first. @param accounts that may */
export async function readHolders(
  node: NodeRequests,
  address: string,
  accounts: readonly string[],
): Promise<readonly StockHolder[]> {
  const holders = await Promise.all(
    accounts.slice(0, MAX_HOLDERS).map(async (account) => {
      const data = stockInput('balanceOf', [account])
      const output = await node.request('eth_call', [{ to: address, data }, 'pending']).catch(() => undefined)
      return { address: account, balance: bigintOf(stockOutput('balanceOf', output)) ?? 0n }
    }),
  )
  return holders.filter(({ balance }) => balance > 0n).sort((a, b) => (a.balance < b.balance ? 1 : -1))
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}
