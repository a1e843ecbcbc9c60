import type { Block } from '../block/block.ts'
import type { DenimSchedule } from '../forks/chain-config.ts'
import { blockTimeOf, firstDenimBlock } from '../forks/denim-schedule.ts'
import type { Receipt } from '../receipt/receipt.ts'
import {
  BASE_TIME_ADDRESS,
  BASE_TIME_GAS_LIMIT,
  readMillisPart,
  setsBaseTime,
} from '../system-transactions/base-time.ts'
import { baseTimeSource } from '../system-transactions/deposit-source.ts'
import { DEPOSITOR_ADDRESS } from '../system-transactions/l1-attributes.ts'
import { DEPOSIT_TYPE, type DepositTransaction } from '../transaction/transaction.ts'

type TimedBlock = Pick<Block, 'transactions'> & { readonly header: Pick<Block['header'], 'number' | 'timestamp'> }

/**
 * Why the BaseTime transaction of a block is not as Denim requires, in the words of base/base; undefined if it is.
 *
 * @param parentMs time of the parent in Unix milliseconds, where times are chosen at least its second
 */
export function baseTimeFault(block: TimedBlock, schedule: DenimSchedule, parentMs: bigint): string | undefined {
  const number = BigInt(block.header.number)
  const first = firstDenimBlock(schedule)
  if (number < first) {
    const index = block.transactions.findIndex(setsBaseTime)
    return index < 0 ? undefined : `protocol-authorized BaseTime setter at tx[${index}] before Denim`
  }
  const transaction = block.transactions[1]
  if (transaction === undefined) return 'missing BaseTime metadata deposit at tx[1]'
  if (transaction.type !== DEPOSIT_TYPE) return 'BaseTime metadata transaction is not a deposit'
  const memberFault = depositFault(transaction, number)
  if (memberFault !== undefined) return memberFault
  const millisPart = readMillisPart(transaction.data)
  if (typeof millisPart !== 'number') return `invalid BaseTime metadata calldata: ${millisPart.fault}`
  const again = block.transactions.findIndex((other, index) => index !== 1 && setsBaseTime(other))
  if (again >= 0) return `additional protocol-authorized BaseTime setter at tx[${again}]`
  const time = block.header.timestamp * 1_000n + BigInt(millisPart)
  return timeFault({ number, time, millisPart }, schedule, parentMs)
}

function depositFault(deposit: DepositTransaction, number: bigint): string | undefined {
  if (deposit.sourceHash !== baseTimeSource(number)) return 'invalid BaseTime metadata source hash'
  if (deposit.from !== DEPOSITOR_ADDRESS) return 'invalid BaseTime metadata sender'
  if (deposit.to !== BASE_TIME_ADDRESS) return 'invalid BaseTime metadata recipient'
  if (deposit.mint !== 0n) return 'BaseTime metadata deposit has non-zero mint'
  if (deposit.value !== 0n) return 'BaseTime metadata deposit has non-zero value'
  if (deposit.gasLimit !== BASE_TIME_GAS_LIMIT) return 'invalid BaseTime metadata gas limit'
  if (deposit.isSystemTransaction) return 'BaseTime metadata deposit is a system transaction'
  return undefined
}

interface ClaimedTime {
  readonly number: bigint
  /** Unix milliseconds. */
  readonly time: bigint
  readonly millisPart: number
}

function timeFault(
  { number, time, millisPart }: ClaimedTime,
  schedule: DenimSchedule,
  parentMs: bigint,
): string | undefined {
  if (schedule.isFree) {
    return time >= parentMs + 200n ? undefined : `invalid BaseTime progression from ${parentMs}ms to ${time}ms`
  }
  const isFirst = number === firstDenimBlock(schedule)
  if (isFirst && millisPart !== 0) return `invalid first Denim BaseTime anchor: expected 0ms, got ${millisPart}ms`
  if (!isFirst && time !== parentMs + 200n) {
    return `invalid BaseTime progression from ${parentMs}ms to ${time}ms; expected exactly 200ms`
  }
  const { milliseconds } = blockTimeOf(number, schedule)
  if (time === milliseconds) return undefined
  return `BaseTime scheduled timestamp mismatch: expected ${milliseconds}ms, got ${time}ms`
}

/** Results of an executed Denim block that the BaseTime rules check. */
export interface BaseTimeResult {
  /** Number of transactions in the block. */
  readonly transactions: number
  readonly receipts: readonly Pick<Receipt, 'outcome'>[]
  /** Slot 0 of BaseTime after the block. */
  readonly stored: bigint
}

/**
 * Why executing a Denim block did not set its milliseconds, in the words of base/base; undefined if it did.
 *
 * @param expected milliseconds of the block
 */
export function baseTimeResultFault(
  { transactions, receipts, stored }: BaseTimeResult,
  expected: number,
): string | undefined {
  if (receipts.length !== transactions) {
    return `BaseTime receipt count mismatch: ${transactions} transactions, ${receipts.length} receipts`
  }
  const receipt = receipts[1]
  if (receipt === undefined) return 'missing BaseTime metadata receipt at tx[1]'
  const isSuccess = 'status' in receipt.outcome && receipt.outcome.status === 1
  if (!isSuccess) return 'BaseTime metadata transaction execution failed'
  const millisPart = Number(BigInt.asUintN(16, stored))
  return millisPart === expected
    ? undefined
    : `BaseTime final state mismatch: expected ${expected}ms, got ${millisPart}ms`
}
