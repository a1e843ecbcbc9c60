import type { Header } from '../../chain/block/header.ts'
import { GAS_PER_BLOB } from '../../chain/constants.ts'
import { nextBaseFee as derivedBaseFee } from '../../chain/fees/base-fee.ts'
import { blobBaseFee, nextExcessBlobGas } from '../../chain/fees/blob-fee.ts'
import { type ChainConfig, hasBlobs } from '../../chain/forks/chain-config.ts'
import { blobScheduleAt, forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { tipsOf } from '../context/tip-oracle.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Blocks of one eth_feeHistory, and percentiles of their tips. */
export const MAX_FEE_BLOCKS = 1024
export const MAX_PERCENTILES = 100

export interface FeeHistoryOptions {
  readonly config: ChainConfig
  readonly blockTimeSeconds: number
  /** See `baseFeeAfter`. */
  readonly nextBaseFee: bigint
}

/** Data of consecutive blocks, at least one. */
export interface FeeHistory {
  readonly headers: readonly Header[]
  /** By block; see `rewardsOf`. */
  readonly rewards: readonly (readonly bigint[])[] | undefined
}

/** The result of `eth_feeHistory`. */
export function formatFeeHistory(
  { headers, rewards }: FeeHistory,
  { config, blockTimeSeconds, nextBaseFee }: FeeHistoryOptions,
): JsonRecord {
  const newest = headers.at(-1)!
  return {
    oldestBlock: toQuantity(headers[0]!.number),
    reward: rewards?.map((ofBlock) => ofBlock.map(toQuantity)),
    baseFeePerGas: [...headers.map(({ baseFeePerGas }) => baseFeePerGas ?? 0n), nextBaseFee].map(toQuantity),
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => gasUsed / Number(gasLimit)),
    baseFeePerBlobGas: [
      ...headers.map((header) => blobFee(header, config)),
      nextBlobFee(newest, config, BigInt(Math.ceil(blockTimeSeconds))),
    ].map(toQuantity),
    blobGasUsedRatio: headers.map((header) => blobRatio(header, config)),
  }
}

/** Base fee of the next block: that of the block if it exists or is open, otherwise by EIP-1559. */
export function baseFeeAfter(header: Header, view: View, config: ChainConfig): bigint {
  const { sealed, pending } = view.head
  const number = header.number + 1
  const next = number === sealed.latest + 1 ? pending.block.header : view.header({ kind: 'number', number })
  return next?.baseFeePerGas ?? derivedBaseFee(header, config)
}

/**
 * Tips of a block at percentiles of the gas used, weighted as in go-ethereum, or of the gas limit.
 *
 * @param percentiles ascending, 0 to 100
 */
export function rewardsOf(block: BlockView, percentiles: readonly number[], isByGasLimit: boolean): readonly bigint[] {
  const tips = tipsOf(block).sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  if (tips.length === 0) return percentiles.map(() => 0n)
  const { gasUsed, gasLimit } = block.block.header
  const whole = isByGasLimit ? Number(gasLimit) : gasUsed
  let index = 0
  let sum = tips[0]!.gasUsed
  return percentiles.map((percentile) => {
    const threshold = Math.floor((whole * percentile) / 100)
    while (sum < threshold && index < tips.length - 1) {
      index++
      sum += tips[index]!.gasUsed
    }
    return tips[index]!.tip
  })
}

function blobFee(header: Header, config: ChainConfig): bigint {
  const schedule = blobScheduleAt(config, forkAt(config, header.number, header.timestamp))
  return header.excessBlobGas === undefined || !schedule ? 0n : blobBaseFee(header.excessBlobGas, schedule)
}

function nextBlobFee(parent: Header, config: ChainConfig, blockTimeSeconds: bigint): bigint {
  const fork = forkAt(config, parent.number + 1, parent.timestamp + blockTimeSeconds)
  const schedule = blobScheduleAt(config, fork)
  if (!schedule || !rulesOf(fork).hasBlobFee) return 0n
  return blobBaseFee(nextExcessBlobGas(parent, config, fork), schedule)
}

/** Without blobs `blobGasUsed` is the DA footprint, which counts against the gas limit (OP-stack specs, Jovian). */
function blobRatio(header: Header, config: ChainConfig): number {
  const used = header.blobGasUsed ?? 0
  if (!hasBlobs(config)) return used / Number(header.gasLimit)
  const schedule = blobScheduleAt(config, forkAt(config, header.number, header.timestamp))
  return schedule ? used / (schedule.max * GAS_PER_BLOB) : 0
}
