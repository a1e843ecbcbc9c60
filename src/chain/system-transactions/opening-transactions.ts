import type { Block } from '../block/block.ts'
import { MIN_GAS_LIMIT } from '../block/gas-limit.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { DENIM_SCALING, isDenimBlock } from '../forks/denim-schedule.ts'
import { upgradeAt } from '../forks/upgrades.ts'
import type { DepositTransaction } from '../transaction/transaction.ts'
import { BASE_TIME_GAS_LIMIT, baseTimeTransaction } from './base-time.ts'
import { L1_ATTRIBUTES_GAS_LIMIT, l1AttributesLayout, l1AttributesTransaction } from './l1-attributes.ts'
import { type L1Origin, type L1Settings, nextL1Attributes } from './simulated-l1.ts'

type ParentBlock = Pick<Block, 'header' | 'transactions'>

const NONE: readonly DepositTransaction[] = Object.freeze([])

/** Blocks of upgrades before Ecotone can be executed but not built. */
class UpgradeTooOldError extends Error {
  readonly code = 'UPGRADE_TOO_OLD'
  override readonly name = 'UpgradeTooOldError'
}

/**
 * The transactions with which the block after `parent` begins: that of the L1 attributes where the chain schedules
 * upgrades of the OP stack, from Denim on also that of BaseTime, and none on other chains.
 *
 * @param l1 origin of the block on layer 1, and its prices
 * @param millisPart milliseconds of the time of a Denim block; undefined for others
 * @throws UpgradeTooOldError before Ecotone
 */
export function openingTransactions(
  parent: ParentBlock,
  { origin, settings }: { readonly origin: L1Origin; readonly settings: L1Settings },
  config: ChainConfig,
  millisPart: number | undefined,
): readonly DepositTransaction[] {
  const { layer2 } = config
  if (layer2?.upgradeTimes === undefined) return NONE
  const upgrade = upgradeAt(layer2.upgradeTimes, parent.header.timestamp)
  const layout = l1AttributesLayout(upgrade)
  const number = parent.header.number + 1
  if (layout === undefined) {
    throw new UpgradeTooOldError(
      `block ${number} would be of the upgrade ${upgrade}: blocks can be built from Ecotone on: set ` +
        'config.ecotoneTime in the genesis file (--genesis) to a time that has come',
    )
  }
  const attributes = l1AttributesTransaction(nextL1Attributes(parent, origin, settings), layout)
  return millisPart === undefined ? [attributes] : [attributes, baseTimeTransaction(BigInt(number), millisPart)]
}

/**
 * The lowest gas limit that a chain can have from a block on: each block has room for the gas limits of its opening
 * transactions, whatever they use. Before Denim that holds for the limit that its activation divides.
 */
export function lowestGasLimit(config: Pick<ChainConfig, 'layer2'>, number: number): bigint {
  const { layer2 } = config
  if (layer2?.upgradeTimes === undefined) return MIN_GAS_LIMIT
  if (layer2.denim === undefined) return L1_ATTRIBUTES_GAS_LIMIT
  const isDenim = isDenimBlock(number, config)
  return (L1_ATTRIBUTES_GAS_LIMIT + BASE_TIME_GAS_LIMIT) * BigInt(isDenim ? 1 : DENIM_SCALING)
}
