import { blobGasOf } from '../../chain/fees/blob-fee.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { BlockEnv, Call } from '../types.ts'

type FeeFields = Pick<Call, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** Effective price of a message in wei per gas (EIP-1559). */
export function gasPrice(fees: FeeFields, baseFee: bigint): bigint {
  const wanted = baseFee + fees.maxPriorityFeePerGas
  if (wanted < fees.maxFeePerGas) return wanted
  return fees.maxFeePerGas
}

/** Splits the price into base fee and tip; a price below the base fee (an unchecked call) has no tip. */
export function shareOfPrice(price: bigint, baseFee: bigint): { readonly base: bigint; readonly tip: bigint } {
  const base = price < baseFee ? price : baseFee
  return { base, tip: price - base }
}

/** Wei required of the sender: everything at its maximum price. */
export function maxTransactionCost(call: Call): bigint {
  return call.value + cost(call, call.maxFeePerGas, call.maxFeePerBlobGas ?? 0n)
}

/** Wei charged upfront; unused gas is returned later. */
export function upfrontCost(call: Call, price: bigint, env: BlockEnv): bigint {
  return cost(call, price, env.blobBaseFee)
}

/** Fast path: most calls have no fee and no blobs. */
function cost(call: Call, price: bigint, blobPrice: bigint): bigint {
  const gas = price === 0n ? 0n : call.gasLimit * price
  return call.blobVersionedHashes === undefined ? gas : gas + BigInt(blobGasOf(call)) * blobPrice
}

export interface GasUse {
  /** Gas that the message pays for. */
  readonly gasUsed: bigint
  /** Before refunds. */
  readonly maxUsedGas: bigint
}

/**
 * Gas after refunds of up to a fifth (EIP-3529; half before London) and, from Prague on, at least the calldata floor
 * (EIP-7623).
 */
export function gasUse(
  gas: { readonly limit: bigint; readonly left: bigint; readonly refund: bigint; readonly floor: bigint },
  fork: BlockEnv['fork'],
): GasUse {
  const spent = gas.limit - gas.left
  const cap = spent / (rulesOf(fork).hasReducedRefunds ? 5n : 2n)
  const refunded = spent - (gas.refund < cap ? gas.refund : cap)
  const atLeastFloor = (amount: bigint) => (amount < gas.floor ? gas.floor : amount)
  return { gasUsed: atLeastFloor(refunded), maxUsedGas: atLeastFloor(spent) }
}
