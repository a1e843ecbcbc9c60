import type { Block } from '../../chain/block/block.ts'
import { blockReward } from '../../chain/fees/block-reward.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import type { ParityFrame } from '../../engine/trace/parity-tracer.ts'
import type { FrameKind } from '../../engine/tracer.ts'
import type { BlockView } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { formatBlock } from './block.ts'
import { formatReceipt } from './receipt.ts'
import { formatIncludedTransaction } from './transaction.ts'

/** Result objects of the `ots` namespace, as Anvil formats them. */

/** A block without its transactions, its rewards, and the fees that its transactions paid. */
export function formatBlockDetails(view: BlockView, config: ChainConfig): JsonRecord {
  const { number, timestamp } = view.block.header
  const reward = toQuantity(blockReward(forkAt(config, number, timestamp)))
  const { transactions: _, ...block } = formatBlock(withoutTransactions(view), false, blockMilliseconds(view.block))
  const totalFees = view.receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * effectiveGasPrice,
    0n,
  )
  return {
    block: { ...block, size: toQuantity(view.block.size), ...counts(view.block) },
    issuance: { blockReward: reward, uncleReward: '0x0', issuance: reward },
    totalFees: toQuantity(totalFees),
  }
}

const SELECTOR_CHARACTERS = 10

/** A page of the transactions of a block, with their inputs cut to the selector and receipts without logs. */
export function formatBlockPage(
  view: BlockView,
  page: { readonly number: number; readonly size: number },
  config: ChainConfig,
): JsonRecord {
  const { block, receipts } = view
  const first = page.number * page.size
  const indexes = block.transactions.map((_, index) => index).slice(first, first + page.size)
  const transactions = indexes.map((index) => {
    const formatted = formatIncludedTransaction(block.transactions[index]!, block, index, receipts[index]?.deposit)
    return { ...formatted, input: String(formatted.input).slice(0, SELECTOR_CHARACTERS) }
  })
  return {
    fullblock: {
      ...formatBlock(withoutTransactions(view), false, blockMilliseconds(view.block)),
      size: toQuantity(block.size),
      transactions,
      ...counts(block),
    },
    receipts: indexes.map((index) => ({ ...formatTimedReceipt(view, index, config), logs: [] })),
  }
}

/** A receipt with the time of its block. */
export function formatTimedReceipt(view: BlockView, index: number, config: ChainConfig): JsonRecord {
  return { ...formatReceipt(view, index, config), timestamp: toQuantity(view.block.header.timestamp) }
}

/** The difficulty of all blocks is not stored; it is 0 since the Merge. */
function counts({ transactions }: Block): JsonRecord {
  return { totalDifficulty: '0x0', transactionCount: transactions.length }
}

function withoutTransactions(view: BlockView): BlockView {
  return { ...view, block: { ...view.block, transactions: [] } }
}

const OPERATION_TYPES: Readonly<Partial<Record<FrameKind, number>>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

/** Transfers of value, self-destructions and creations, without those that were reverted. */
export function formatInternalOperations(frames: readonly ParityFrame[]): JsonRecord[] {
  return keptFrames(frames).flatMap(({ start: { kind, from, to, value = 0n } }) => {
    const type = OPERATION_TYPES[kind]
    if (type === undefined || (kind === 'CALL' && value === 0n)) return []
    return [{ type, from, to, value: toQuantity(value) }]
  })
}

/** The frames of a transaction, in pre-order, that neither failed nor are below one that failed. */
export function keptFrames(frames: readonly ParityFrame[]): readonly ParityFrame[] {
  /** Level of the outermost failed frame around the current one. */
  let failedLevel = Number.POSITIVE_INFINITY
  return frames.filter(({ end, traceAddress }) => {
    if (traceAddress.length <= failedLevel) failedLevel = Number.POSITIVE_INFINITY
    if (end.error !== undefined && traceAddress.length < failedLevel) failedLevel = traceAddress.length
    return traceAddress.length < failedLevel
  })
}

/** The calls and creations of a transaction, in pre-order. */
export function formatOtterscanTrace(frames: readonly ParityFrame[]): JsonRecord[] {
  return frames
    .filter(({ start }) => start.kind !== 'SELFDESTRUCT')
    .map(({ start: { kind, depth, from, to, value = 0n, input }, end: { output } }) => ({
      type: kind,
      depth,
      from,
      to,
      value: toQuantity(value),
      input: bytesToHex(input),
      output: bytesToHex(output),
    }))
}
