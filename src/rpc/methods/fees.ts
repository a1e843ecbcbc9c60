import type { Header } from '../../chain/block/header.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { listOf } from '../codecs/codec.ts'
import { quantity } from '../codecs/quantity.ts'
import { blockCount, percentile } from '../codecs/small-numbers.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { baseFeeAfter, formatFeeHistory, MAX_FEE_BLOCKS, MAX_PERCENTILES, rewardsOf } from '../queries/fee-history.ts'
import { defineMethod, optionalParam, requiredParam } from '../registry/method.ts'

export const eth_gasPrice = defineMethod({
  name: 'eth_gasPrice',
  summary: "Wei per gas for a legacy transaction: the open block's base fee and a tip.",
  params: [],
  result: quantity.schema,
  cost: 5,
  isSameInView: true,
  handle: (_, { view, tips }) => {
    const { baseFeePerGas = 0n } = view.head.pending.block.header
    return toQuantity(baseFeePerGas + tips.suggest(view))
  },
})

export const eth_maxPriorityFeePerGas = defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'A suggested tip in wei per gas: the minimum while the newest block has room, else 110 % of its median tip.',
  params: [],
  result: quantity.schema,
  cost: 5,
  isSameInView: true,
  handle: (_, { view, tips }) => toQuantity(tips.suggest(view)),
})

export const eth_baseFee = defineMethod({
  name: 'eth_baseFee',
  summary: 'Wei per gas that the open block burns or collects: the base fee of the block after latest.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  handle: (_, { view }) => toQuantity(view.head.pending.block.header.baseFeePerGas ?? 0n),
})

export const eth_blobBaseFee = defineMethod({
  name: 'eth_blobBaseFee',
  summary: 'Wei per blob gas in the open block; always 1 on layer 2, which has no blobs.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  handle: (_, { view, config }) => toQuantity(blockEnv(view.head.pending.block.header, config).blobBaseFee),
})

export const eth_feeHistory = defineMethod({
  name: 'eth_feeHistory',
  summary: 'Base fees, gas used ratios and tips of the blocks up to `newestBlock`, which may be `pending`.',
  params: [
    requiredParam('blockCount', blockCount),
    requiredParam('newestBlock', blockHeight),
    optionalParam('rewardPercentiles', listOf(percentile, MAX_PERCENTILES)),
  ],
  result: { type: 'object', required: ['oldestBlock', 'baseFeePerGas', 'gasUsedRatio'] },
  cost: 20,
  async handle([wanted, newest, percentiles], { view, config, conventions, blockTimeSeconds, yieldIfDue }) {
    checkPercentiles(percentiles ?? [])
    const { hasHardhatFeeHistory: isByGasLimit } = conventions.calls
    if (isByGasLimit) checkBlockCount(wanted)
    if (wanted === 0) return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] }
    const last = view.header(newest)
    if (last === undefined) {
      const { latest } = view.head.sealed
      throw new RpcError(
        RPC_CODES.server,
        `request beyond head block: requested ${view.number(newest)}, head ${latest}`,
      )
    }
    const { number } = last
    const oldest = Math.max(0, number - Math.min(wanted, MAX_FEE_BLOCKS) + 1)
    const hasRewards = percentiles !== undefined && percentiles.length > 0
    // On a fork, headers need less of the other node than blocks.
    if (hasRewards) view.requireBlocks(oldest, number)
    else view.requireHeaders(oldest, number)
    const headers: Header[] = []
    const rewards: (readonly bigint[])[] = []
    for (let height = oldest; height <= number; height++) {
      await yieldIfDue()
      const reference: BlockReference = height === number ? newest : { kind: 'number', number: height }
      headers.push(view.header(reference)!)
      if (hasRewards) rewards.push(rewardsOf(view.block(reference)!, percentiles, isByGasLimit))
    }
    const nextBaseFee = baseFeeAfter(last, view, config)
    return formatFeeHistory(
      { headers, rewards: hasRewards ? rewards : undefined },
      { config, blockTimeSeconds, nextBaseFee },
    )
  },
})

/** go-ethereum lowers a count that is too high. */
function checkBlockCount(wanted: number): void {
  if (wanted === 0) throw new RpcError(RPC_CODES.server, 'blockCount should be at least 1')
  if (wanted > MAX_FEE_BLOCKS) throw new RpcError(RPC_CODES.server, `blockCount should be at most ${MAX_FEE_BLOCKS}`)
}

function checkPercentiles(percentiles: readonly number[]): void {
  for (const [index, value] of percentiles.entries()) {
    const previous = percentiles[index - 1]
    const isRising = previous === undefined || previous <= value
    if (value >= 0 && value <= 100 && isRising) continue
    const reason = isRising ? `${value}` : `#${index - 1}:${previous} >= #${index}:${value}`
    throw new RpcError(RPC_CODES.invalidParams, `invalid reward percentile: ${reason}`, undefined, {
      kind: 'invalidParams',
    })
  }
}
