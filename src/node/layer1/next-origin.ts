import type { Block } from '../../chain/block/block.ts'
import { l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import {
  isSimulated,
  type L1Origin,
  type L1Settings,
  simulatedL1Origin,
} from '../../chain/system-transactions/simulated-l1.ts'
import { userDepositTransaction } from '../../chain/system-transactions/user-deposit.ts'
import type { DepositTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { DepositLog, L1Chain } from './l1-chain.ts'

/** Values of the next block that layer 1 determines. */
export interface NextOrigin {
  readonly origin: L1Origin
  /** With the prices of the origin. */
  readonly settings: L1Settings
  /** Undefined for a simulated layer 1. */
  readonly prevRandao?: Hash | undefined
  readonly parentBeaconBlockRoot?: Hash | undefined
  /** Deposits of the origin, with whose first block they come. */
  readonly deposits: readonly DepositLog[]
}

export interface NextOriginOptions {
  /** Unix seconds. */
  readonly timestamp: bigint
  /** Prices of layer 1 where it is not followed, and the SystemConfig. */
  readonly settings: L1Settings
  /** Default: layer 1 is simulated. */
  readonly l1Chain?: Pick<L1Chain, 'after'> | undefined
  /** Whether the block may be the first one of another origin. */
  readonly mayAdvance: boolean
}

/** The origin of the block after `parent`. */
export function nextOrigin(parent: Pick<Block, 'header' | 'transactions'>, options: NextOriginOptions): NextOrigin {
  const { timestamp, settings, l1Chain, mayAdvance } = options
  if (l1Chain === undefined) return { origin: settings.forked ?? simulatedL1Origin(timestamp), settings, deposits: [] }
  const before = l1AttributesOf(parent)
  const next = l1Chain.after(before, timestamp)
  if (next !== undefined && mayAdvance) {
    const { baseFee, blobBaseFee, prevRandao, parentBeaconBlockRoot, deposits } = next
    return {
      origin: next,
      settings: { ...settings, baseFee, blobBaseFee },
      prevRandao,
      parentBeaconBlockRoot,
      deposits,
    }
  }
  if (before === undefined || isSimulated(before))
    return { origin: simulatedL1Origin(timestamp), settings, deposits: [] }
  const { baseFee, blobBaseFee } = before
  const { mixHash, parentBeaconBlockRoot } = parent.header
  return {
    origin: before,
    settings: { ...settings, baseFee, blobBaseFee },
    prevRandao: mixHash,
    parentBeaconBlockRoot,
    deposits: [],
  }
}

/**
 * The transactions of deposits, in the order of their events. Those that exceed the block are left out: the portal of a
 * network sells less gas for a block of layer 1 than a block of layer 2 has.
 */
export function derivedDeposits(
  logs: readonly DepositLog[],
  l1BlockHash: Hash,
  room: bigint,
): readonly DepositTransaction[] {
  let free = room
  const transactions: DepositTransaction[] = []
  for (const { deposit, logIndex } of logs) {
    if (deposit.gasLimit > free) continue
    free -= deposit.gasLimit
    transactions.push(userDepositTransaction(deposit, { l1BlockHash, logIndex }))
  }
  return transactions
}
