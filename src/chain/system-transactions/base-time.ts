import type { Address, Bytes } from '../../primitives/hex.ts'
import { bigintToSlot, bytesToBigint } from '../../primitives/quantity.ts'
import type { Block } from '../block/block.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type Transaction } from '../transaction/transaction.ts'
import { createTransaction } from '../transaction/transaction-codec.ts'
import { baseTimeSource } from './deposit-source.ts'
import { DEPOSITOR_ADDRESS } from './l1-attributes.ts'

/** Predeploy that holds the milliseconds of the current block (Base specs: Denim, BaseTime). */
export const BASE_TIME_ADDRESS = '0x4200000000000000000000000000000000000030' as Address

/** `setTimestampMillisPart(uint16)` */
const SELECTOR = 0x86bdf394
const DATA_BYTES = 36
const MILLIS_OFFSET = DATA_BYTES - 2
const LATEST_MILLIS_PART = 800n
export const BASE_TIME_GAS_LIMIT = 1_000_000n
/** Its lowest 16 bits are the milliseconds. */
export const BASE_TIME_SLOT = bigintToSlot(0n)

/**
 * The second transaction of a Denim block.
 *
 * @param millisPart 0, 200, 400, 600 or 800
 */
export function baseTimeTransaction(blockNumber: bigint, millisPart: number): DepositTransaction {
  const data = new Uint8Array(DATA_BYTES)
  const view = new DataView(data.buffer)
  view.setUint32(0, SELECTOR)
  view.setUint16(MILLIS_OFFSET, millisPart)
  return createTransaction({
    type: DEPOSIT_TYPE,
    sourceHash: baseTimeSource(blockNumber),
    from: DEPOSITOR_ADDRESS,
    to: BASE_TIME_ADDRESS,
    mint: 0n,
    value: 0n,
    gasLimit: BASE_TIME_GAS_LIMIT,
    isSystemTransaction: false,
    data,
  })
}

/**
 * The time of a Denim block in Unix milliseconds, by the deposit that stores its milliseconds; undefined for other
 * blocks.
 */
export function blockMilliseconds({
  header,
  transactions,
}: Pick<Block, 'header' | 'transactions'>): bigint | undefined {
  return millisecondsBy(header.timestamp, transactions[1])
}

/** The same of a block with a timestamp and a second transaction. */
export function millisecondsBy(timestamp: bigint, second: Transaction | undefined): bigint | undefined {
  if (second?.type !== DEPOSIT_TYPE || !setsBaseTime(second)) return undefined
  const millisPart = readMillisPart(second.data)
  return typeof millisPart === 'number' ? timestamp * 1_000n + BigInt(millisPart) : undefined
}

/**
 * The time of a parent in Unix milliseconds. The latest one in its second where its transactions are not known, as
 * those of a fork block.
 */
export function parentMilliseconds(parent: Pick<Block, 'header' | 'transactions'>): bigint {
  return blockMilliseconds(parent) ?? parent.header.timestamp * 1_000n + LATEST_MILLIS_PART
}

/** Whether a transaction is one of the depositor that sets the milliseconds, with whatever argument. */
export function setsBaseTime(transaction: Transaction): boolean {
  if (transaction.type !== DEPOSIT_TYPE) return false
  const { from, to, data } = transaction
  return from === DEPOSITOR_ADDRESS && to === BASE_TIME_ADDRESS && hasSelector(data)
}

/** The milliseconds in calldata of the setter, or why it is invalid, in the words of base/base. */
export function readMillisPart(data: Bytes): number | { readonly fault: string } {
  if (data.length < 4) return { fault: 'the provided calldata is too short, missing the 4 selector bytes' }
  if (!hasSelector(data)) return { fault: 'invalid BaseTime transaction selector' }
  if (data.length !== DATA_BYTES) return { fault: `invalid BaseTime calldata length. Expected 36, got ${data.length}` }
  if (data.subarray(4, MILLIS_OFFSET).some((byte) => byte !== 0)) return { fault: 'invalid BaseTime calldata padding' }
  const millisPart = Number(bytesToBigint(data.subarray(MILLIS_OFFSET)))
  const isValid = millisPart <= 800 && millisPart % 200 === 0
  return isValid ? millisPart : { fault: `invalid BaseTime timestamp millis part: ${millisPart}` }
}

function hasSelector(data: Bytes): boolean {
  return data.length >= 4 && bytesToBigint(data.subarray(0, 4)) === BigInt(SELECTOR)
}
