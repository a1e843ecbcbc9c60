import { DEPOSIT_TYPE } from '../chain/transaction.ts'
import { PENDING } from '../node/block-reference.ts'
import type { BlockView, View } from '../node/view.ts'

const BLOCKS = 20
const SAMPLES_PER_BLOCK = 3
const PERCENTILE = 0.6

/**
 * Wei per gas that should get a transaction into the next flashblocks: go-ethereum's oracle (the cheapest tips of the
 * last 20 blocks, 60th percentile), and the default while there is nothing to learn from.
 */
export function suggestedTip(view: View, defaultTip: bigint): bigint {
  const samples: bigint[] = []
  const { latest } = view.head.sealed
  for (let number = latest; number > latest - BLOCKS && number >= 0; number--) {
    const block = view.block({ kind: 'number', number })
    if (block !== undefined) samples.push(...cheapestTips(block))
  }
  if (samples.length === 0) return defaultTip
  samples.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return samples[Math.floor((samples.length - 1) * PERCENTILE)]!
}

/** Wei per gas in the block that is open now. */
export function pendingBaseFee(view: View): bigint {
  return view.block(PENDING)!.block.header.baseFeePerGas ?? 0n
}

/** Wei per gas that went to the fee recipient, per transaction that paid any, in the order of the block. */
export function tipsOf({ block, receipts }: BlockView): { readonly tip: bigint; readonly gasUsed: number }[] {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return receipts
    .filter(({ type }) => type !== DEPOSIT_TYPE)
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - baseFee, gasUsed }))
}

function cheapestTips(block: BlockView): bigint[] {
  const tips = tipsOf(block).map(({ tip }) => tip)
  tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return tips.slice(0, SAMPLES_PER_BLOCK)
}
