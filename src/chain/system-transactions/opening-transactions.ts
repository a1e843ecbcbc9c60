import type { Block } from '../block/block.ts'
import { MIN_GAS_LIMIT } from '../block/gas-limit.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { upgradeAt } from '../forks/upgrades.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type RecoveredTransaction } from '../transaction/transaction.ts'
import { BASE_TIME_GAS_LIMIT, baseTimeTransaction } from './base-time.ts'
import { baseTimeFault } from './base-time-rules.ts'
import { blockTimeOf, DENIM_SCALING, denimTimeOf } from './denim-schedule.ts'
import { l1AttributesSource } from './deposit-source.ts'
import {
  decodeL1Attributes,
  L1_ATTRIBUTES_GAS_LIMIT,
  type L1AttributesLayout,
  l1AttributesLayout,
  l1AttributesTransaction,
  setsL1Attributes,
} from './l1-attributes.ts'
import { type L1Origin, type L1Settings, nextL1Attributes } from './simulated-l1.ts'

type ParentBlock = Pick<Block, 'header' | 'transactions'>

const NONE: readonly DepositTransaction[] = Object.freeze([])

/** Blocks of upgrades before Ecotone can be executed but not built. */
export class UpgradeTooOldError extends Error {
  readonly code = 'UPGRADE_TOO_OLD'
  override readonly name = 'UpgradeTooOldError'
}

/**
 * The transactions with which the block after `parent` begins: that of the L1 attributes where the chain schedules
 * upgrades of the OP stack, from Denim on also that of BaseTime, and none on other chains.
 *
 * @param origin of the block on layer 1
 * @throws UpgradeTooOldError before Ecotone
 */
export function openingTransactions(
  parent: ParentBlock,
  origin: L1Origin,
  config: ChainConfig,
  settings: L1Settings,
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
  const time = denimTimeOf(number, config)
  return time === undefined ? [attributes] : [attributes, baseTimeTransaction(BigInt(number), time.millisPart)]
}

/**
 * The lowest gas limit that a chain can have from a block on: each block has room for the gas limits of its opening
 * transactions, whatever they use. Before Denim that holds for the limit that its activation divides.
 */
export function lowestGasLimit(config: Pick<ChainConfig, 'layer2'>, number: number): bigint {
  const { layer2 } = config
  if (layer2?.upgradeTimes === undefined) return MIN_GAS_LIMIT
  if (layer2.denim === undefined) return L1_ATTRIBUTES_GAS_LIMIT
  const isDenim = denimTimeOf(number, config) !== undefined
  return (L1_ATTRIBUTES_GAS_LIMIT + BASE_TIME_GAS_LIMIT) * BigInt(isDenim ? 1 : DENIM_SCALING)
}

/**
 * Why a block does not begin as the OP stack requires; undefined if it does, or if its chain schedules no upgrades.
 */
export function openingFault(
  block: Pick<Block, 'header' | 'transactions'>,
  parent: Pick<Block, 'header'>,
  { layer2 }: ChainConfig,
): string | undefined {
  if (layer2?.upgradeTimes === undefined) return undefined
  const [first, ...others] = block.transactions
  if (!setsL1Attributes(first)) return 'its first transaction does not set the L1 attributes'
  const again = others.findIndex(setsL1Attributes)
  if (again >= 0) return `transaction ${again + 1} sets the L1 attributes again`
  const late = others.findIndex((transaction, index) => isLateDeposit(transaction, others[index - 1]))
  if (late >= 0) return `transaction ${late + 1} is a deposit behind a signed transaction`
  // The contracts of an upgrade are replaced in its first block, which therefore has the layout of the one before.
  const layout = l1AttributesLayout(upgradeAt(layer2.upgradeTimes, parent.header.timestamp))
  const attributesFault = layout && depositFault(first, layout)
  if (attributesFault !== undefined || layer2.denim === undefined) return attributesFault
  const parentMs = blockTimeOf(BigInt(parent.header.number), layer2.denim).milliseconds
  return baseTimeFault(block, layer2.denim, parentMs)
}

function isLateDeposit(transaction: RecoveredTransaction, before: RecoveredTransaction | undefined): boolean {
  return transaction.type === DEPOSIT_TYPE && before !== undefined && before.type !== DEPOSIT_TYPE
}

function depositFault(deposit: DepositTransaction, layout: L1AttributesLayout): string | undefined {
  const decoded = decodeL1Attributes(deposit.data)
  if (decoded?.layout !== layout) return `the calldata of its L1 attributes is not that of ${layout}`
  const { hash, sequenceNumber } = decoded.attributes
  if (deposit.sourceHash !== l1AttributesSource(hash, sequenceNumber)) {
    return 'the source hash of its L1 attributes is not that of their block and sequence number'
  }
  if (deposit.mint !== 0n || deposit.value !== 0n) return 'the deposit of its L1 attributes has a value'
  return deposit.isSystemTransaction ? 'the deposit of its L1 attributes is a system transaction' : undefined
}
