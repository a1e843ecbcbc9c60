import type { BlockView } from '../../node/core/view.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { listOf } from '../codecs/codec.ts'
import { blockCount, percentile } from '../codecs/small-numbers.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { encodeFeeHistory } from '../fee-history.ts'
import { defineMethod, optional, required } from '../method.ts'

const MAX_BLOCKS = 1024
const MAX_PERCENTILES = 100

export const eth_feeHistory = defineMethod({
  name: 'eth_feeHistory',
  summary: 'Base fees, fullness and tips of the blocks up to `newestBlock`, which may be `pending`.',
  params: [
    required('blockCount', blockCount),
    required('newestBlock', blockHeight),
    optional('rewardPercentiles', listOf(percentile, MAX_PERCENTILES)),
  ],
  result: { type: 'object', required: ['oldestBlock', 'baseFeePerGas', 'gasUsedRatio'] },
  cost: 20,
  example: {
    params: ['0x1', 'latest', [50]],
    result: {
      oldestBlock: '0x1',
      reward: [['0xf4240']],
      baseFeePerGas: ['0x4c4b40', '0x4c4b40'],
      gasUsedRatio: [0.00013765],
      baseFeePerBlobGas: ['0x1', '0x1'],
      blobGasUsedRatio: [0],
    },
  },
  async handle([wanted, newest, percentiles], { view, config, blockTime, turn }) {
    checkPercentiles(percentiles ?? [])
    if (wanted === 0) return { oldestBlock: '0x0', baseFeePerGas: [], gasUsedRatio: [] }
    const last = view.block(newest)
    if (last === undefined) {
      const { latest } = view.head.sealed
      throw new RpcError(
        RPC_CODES.server,
        `request beyond head block: requested ${view.number(newest)}, head ${latest}`,
      )
    }
    const { number } = last.block.header
    const oldest = Math.max(0, number - Math.min(wanted, MAX_BLOCKS) + 1)
    const blocks: BlockView[] = []
    for (let height = oldest; height < number; height++) {
      await turn()
      blocks.push(view.block({ kind: 'number', number: height })!)
    }
    return encodeFeeHistory([...blocks, last], percentiles, config, blockTime)
  },
})

function checkPercentiles(percentiles: readonly number[]): void {
  for (const [index, value] of percentiles.entries()) {
    const previous = percentiles[index - 1]
    const isRising = previous === undefined || previous <= value
    if (value >= 0 && value <= 100 && isRising) continue
    const reason = isRising ? `${value}` : `#${index - 1}:${previous} >= #${index}:${value}`
    throw new RpcError(RPC_CODES.invalidParams, `invalid reward percentile: ${reason}`)
  }
}
