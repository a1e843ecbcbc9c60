import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { nextGasLimit } from '../../chain/block/gas-limit.ts'
import { nextBaseFee } from '../../chain/fees/base-fee.ts'
import { nextExcessBlobGas } from '../../chain/fees/blob-fee.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { DepositTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'

/** Choices of the block builder; everything else derives from the parent. */
export interface BlockChoices {
  /** Unix seconds. */
  readonly timestamp: bigint
  /** Gas limit of a layer-2 block; the target of a layer-1 block's limit. */
  readonly gasLimit: bigint
  readonly miner: Address
  readonly mixHash: Hash
  readonly extraData: Bytes
  readonly parentBeaconBlockRoot: Hash
  /** EIP-4895; none on layer 2. */
  readonly withdrawals: readonly Withdrawal[]
  /** Transactions with which the block begins (OP-stack specs: deposits). Default: none. */
  readonly systemTransactions?: readonly DepositTransaction[]
  /** Deposits of users, which follow them. Default: none. */
  readonly deposits?: readonly DepositTransaction[]
}

/** Members of a block that are fixed when it is opened; `gasLimit` is that of the block. */
export interface BlockAttributes extends BlockChoices {
  readonly parentHash: Hash
  readonly number: number
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly excessBlobGas: bigint
}

/** Older blocks can be imported but not built. */
export class BlockTooOldError extends Error {
  readonly code = 'BLOCK_TOO_OLD'
  override readonly name = 'BlockTooOldError'
}

/**
 * Attributes of the block after `parent`.
 *
 * @throws BlockTooOldError when its fork is older than Shanghai
 */
export function nextAttributes(
  parent: Pick<Block, 'header' | 'hash'>,
  choices: BlockChoices,
  config: ChainConfig,
): BlockAttributes {
  const { header, hash } = parent
  const number = header.number + 1
  const fork = forkAt(config, number, choices.timestamp)
  if (!rulesOf(fork).hasWithdrawals) {
    throw new BlockTooOldError(
      `block ${number} would be of the fork ${fork}: blocks can be built from Shanghai on: set config.shanghaiTime in the genesis file (--genesis) to a time that has come`,
    )
  }
  return {
    parentHash: hash,
    number,
    timestamp: choices.timestamp,
    gasLimit: config.layer2 ? choices.gasLimit : nextGasLimit(header.gasLimit, choices.gasLimit),
    baseFeePerGas: nextBaseFee(header, config),
    excessBlobGas: nextExcessBlobGas(header, config, fork),
    miner: choices.miner,
    mixHash: choices.mixHash,
    extraData: choices.extraData,
    parentBeaconBlockRoot: choices.parentBeaconBlockRoot,
    withdrawals: choices.withdrawals,
    ...(choices.systemTransactions !== undefined && { systemTransactions: choices.systemTransactions }),
    ...(choices.deposits !== undefined && { deposits: choices.deposits }),
  }
}
