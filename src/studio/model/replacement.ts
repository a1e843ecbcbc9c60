import { decimalUnits, formatDecimal } from '../../primitives/decimal.ts'
import type { PoolRow } from './pool-rows.ts'

/** Members of `eth_sendTransaction` that take the place of a pooled transaction; numbers in hex. */
export interface ReplacementCall {
  readonly to?: string
  readonly data: string
  readonly value: string
  readonly nonce: string
  readonly gas: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
}

/** Gas of a transfer without input. */
const TRANSFER_GAS = 21_000n
const GWEI_DECIMALS = 9
/** Wei; more digits are a mistake. */
const MAX_FEE = 10n ** 27n

/** The fee that a replacement offers at least, in gwei: 12.5 % more, since pools ask for 10 %. */
export function replacementFee(row: PoolRow): string {
  return formatDecimal(raised(offerOf(row)), GWEI_DECIMALS)
}

/**
 * A transaction with the nonce of a pooled one and a higher fee.
 *
 * @param feeText gwei
 * @param isCancelling sends nothing to the sender itself instead of repeating the call
 * @throws Error that says what to write
 */
export function replacementOf(row: PoolRow, feeText: string, isCancelling: boolean): ReplacementCall {
  const fee = weiFromGwei(feeText)
  if (fee < minimum(offerOf(row))) {
    throw new Error(`Offer at least 10 % more: ${replacementFee(row)} gwei is enough.`)
  }
  const { from, to, input, value, nonce, gas, maxPriorityFee } = row
  const call = isCancelling
    ? { to: from, data: '0x', value: '0x0', gas: hex(TRANSFER_GAS) }
    : { ...(to !== undefined && { to }), data: input, value: hex(value), gas: hex(gas) }
  // A tip cannot be higher than the fee.
  const tip = raised(maxPriorityFee ?? 0n)
  const fees =
    row.maxFee === undefined
      ? { gasPrice: hex(fee) }
      : { maxFeePerGas: hex(fee), maxPriorityFeePerGas: hex(tip < fee ? tip : fee) }
  return { ...call, nonce: hex(nonce), ...fees }
}

function offerOf({ maxFee, gasPrice }: PoolRow): bigint {
  return maxFee ?? gasPrice ?? 0n
}

function raised(fee: bigint): bigint {
  return (fee * 1_125n) / 1_000n + 1n
}

function minimum(fee: bigint): bigint {
  return (fee * 110n + 99n) / 100n
}

function weiFromGwei(text: string): bigint {
  const units = decimalUnits(text.trim().replaceAll(/[_,]/g, ''), GWEI_DECIMALS)
  if (typeof units !== 'bigint' || units >= MAX_FEE) throw new Error('Write a fee in gwei, as in 1.5.')
  return units
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
