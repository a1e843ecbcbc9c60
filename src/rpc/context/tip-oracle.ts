import { DEPOSIT_TYPE, isForeign } from '../../chain/transaction/transaction.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Wei per gas, go-ethereum's cap (`eth/gasprice`, `DefaultMaxPrice`): no client can raise all suggestions above it. */
const MAX_TIP = 500_000_000_000n

interface Options {
  /** Wei per gas while blocks have room. */
  readonly minTip: bigint
  /** Wei per gas whatever blocks hold. Default: learned from the newest block. */
  readonly fixedTip?: bigint | undefined
}

/**
 * Suggests tips as OP-stack nodes do (op-geth, `eth/gasprice/optimism-gasprice.go`): the minimum while the newest block
 * has room for one more of its largest transactions, otherwise 110 % of its median tip. Clients ask before every
 * transaction, so the suggestion is cached per block.
 */
export class TipOracle {
  readonly #minTip: bigint
  readonly #fixedTip: bigint | undefined
  #suggestion: { readonly latest: Hash; readonly tip: bigint } | undefined

  constructor(options: Options) {
    this.#minTip = options.minTip
    this.#fixedTip = options.fixedTip
  }

  /** Wei per gas for inclusion in the next flashblocks. */
  suggest(view: View): bigint {
    if (this.#fixedTip !== undefined) return this.#fixedTip
    const latest = view.head.pending.block.header.parentHash
    if (this.#suggestion?.latest !== latest) this.#suggestion = { latest, tip: this.#learn(view) }
    return this.#suggestion.tip
  }

  #learn(view: View): bigint {
    const { latest } = view.head.sealed
    // The fork block belongs to another node, from which its transactions would have to be loaded.
    if (latest === view.forkBlock) return this.#minTip
    const block = view.block({ kind: 'number', number: latest })!
    const { gasLimit, gasUsed } = block.block.header
    const tips = tipsOf(block)
    const largest = tips.reduce((most, { gasUsed }) => Math.max(most, gasUsed), 0)
    if (tips.length === 0 || BigInt(gasUsed + largest) <= gasLimit) return this.#minTip
    const sorted = tips.map(({ tip }) => tip).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const outbidding = (sorted[Math.floor(sorted.length / 2)]! * 110n) / 100n
    return outbidding < this.#minTip ? this.#minTip : outbidding > MAX_TIP ? MAX_TIP : outbidding
  }
}

/** Tips in wei per gas, of the transactions of a block that pay any, in order. */
export function tipsOf({ block, receipts }: BlockView): { readonly tip: bigint; readonly gasUsed: number }[] {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return receipts
    .filter(({ type }, index) => type !== DEPOSIT_TYPE && !isForeign(block.transactions[index]!))
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - baseFee, gasUsed }))
}
