import type { Block } from '../block/block.ts'
import type { ChainConfig, DenimSchedule } from '../forks/chain-config.ts'
import { blockTimeOf } from '../forks/denim-schedule.ts'
import { upgradeAt } from '../forks/upgrades.ts'
import { l1AttributesSource } from '../system-transactions/deposit-source.ts'
import {
  decodeL1Attributes,
  type L1AttributesLayout,
  l1AttributesLayout,
  setsL1Attributes,
} from '../system-transactions/l1-attributes.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type RecoveredTransaction } from '../transaction/transaction.ts'
import { baseTimeFault } from './base-time-rules.ts'

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
  return baseTimeFault(block, layer2.denim, parentTimeMs(parent, layer2.denim))
}

/** Where times are chosen, a lower bound: the header of the parent lacks its milliseconds. */
function parentTimeMs({ header }: Pick<Block, 'header'>, denim: DenimSchedule): bigint {
  return denim.isFree ? header.timestamp * 1_000n : blockTimeOf(BigInt(header.number), denim).milliseconds
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
