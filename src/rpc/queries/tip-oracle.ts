import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'

const BLOCKS = 20
const SAMPLES_PER_BLOCK = 3
const PERCENTILE = 0.6

interface Options {
  /** Wei per gas while blocks are empty. */
  readonly defaultTip: bigint
  /** Wei per gas whatever blocks hold. Default: learned from blocks. */
  readonly fixedTip?: bigint | undefined
}

interface BlockSample {
  /** Ascending. */
  readonly cheapest: readonly bigint[]
  readonly parentHash: Hash
}

/**
 * Suggests tips as go-ethereum's oracle does (the cheapest tips of the last 20 blocks, 60th percentile). Clients ask
 * before every transaction, so blocks are sampled once and the suggestion is cached per head.
 */
export class TipOracle {
  readonly #defaultTip: bigint
  readonly #fixedTip: bigint | undefined
  /** Samples of the last 20 blocks, by hash, so that unwound blocks are not found. */
  #samples: ReadonlyMap<Hash, BlockSample> = new Map()
  #suggestion: { readonly latest: Hash; readonly tip: bigint } | undefined

  constructor(options: Options) {
    this.#defaultTip = options.defaultTip
    this.#fixedTip = options.fixedTip
  }

  /** Wei per gas for inclusion in the next flashblocks. */
  suggest(view: View): bigint {
    if (this.#fixedTip !== undefined) return this.#fixedTip
    const latest = view.head.pending.block.header.parentHash
    if (this.#suggestion?.latest !== latest) this.#suggestion = { latest, tip: this.#learn(view, latest) }
    return this.#suggestion.tip
  }

  #learn(view: View, latest: Hash): bigint {
    const samples = new Map<Hash, BlockSample>()
    let hash = latest
    // Blocks of another node would have to be loaded.
    const first = (view.forkBlock ?? -1) + 1
    for (let number = view.head.sealed.latest; number >= first && samples.size < BLOCKS; number--) {
      const sample = this.#samples.get(hash) ?? sampleOf(view.block({ kind: 'number', number })!)
      samples.set(hash, sample)
      hash = sample.parentHash
    }
    this.#samples = samples
    const tips = [...samples.values()].flatMap(({ cheapest }) => cheapest)
    if (tips.length === 0) return this.#defaultTip
    tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    return tips[Math.floor((tips.length - 1) * PERCENTILE)]!
  }
}

/** One pass, since a block may have thousands of transactions. */
function sampleOf(block: BlockView): BlockSample {
  const cheapest: bigint[] = []
  for (const { tip } of tipsOf(block)) {
    const position = cheapest.findIndex((other) => tip < other)
    if (position !== -1) cheapest.splice(position, 0, tip)
    else if (cheapest.length < SAMPLES_PER_BLOCK) cheapest.push(tip)
    if (cheapest.length > SAMPLES_PER_BLOCK) cheapest.pop()
  }
  return { cheapest, parentHash: block.block.header.parentHash }
}

/** Tips in wei per gas, of the transactions of a block that pay any, in order. */
export function tipsOf({ block, receipts }: BlockView): { readonly tip: bigint; readonly gasUsed: number }[] {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return receipts
    .filter(({ type }) => type !== DEPOSIT_TYPE)
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - baseFee, gasUsed }))
}
