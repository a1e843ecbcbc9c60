import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import type { BlockView } from '../../node/core/view.ts'

/** Wei per gas that went to the fee recipient, per transaction that paid any, in the order of the block. */
export function tipsOf({ block, receipts }: BlockView): { readonly tip: bigint; readonly gasUsed: number }[] {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return receipts
    .filter(({ type }) => type !== DEPOSIT_TYPE)
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - baseFee, gasUsed }))
}
