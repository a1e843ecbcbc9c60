import type { Layer2Rules } from '../forks/layer2-rules.ts'

/** Parameters of the operator fee. */
export interface OperatorFeeParameters {
  readonly operatorFeeScalar: bigint
  /** Wei for each transaction. */
  readonly operatorFeeConstant: bigint
}

type OperatorFeeRules = Pick<Layer2Rules, 'hasOperatorFee' | 'hasHigherOperatorFee'>

/** Fee of the operator for `gas`, in wei; 0 before Isthmus (OP-stack specs: Isthmus and Jovian, "Operator Fee"). */
export function operatorFee(
  gas: bigint,
  { operatorFeeScalar, operatorFeeConstant }: OperatorFeeParameters,
  { hasOperatorFee, hasHigherOperatorFee }: OperatorFeeRules,
): bigint {
  if (!hasOperatorFee) return 0n
  const scaled = gas * operatorFeeScalar
  return (hasHigherOperatorFee ? scaled * 100n : scaled / 1_000_000n) + operatorFeeConstant
}

/** Amount in wei that the operator fee adds to the price of a unit of gas, rounded up. */
export function operatorGasPrice(
  { operatorFeeScalar }: OperatorFeeParameters,
  { hasOperatorFee, hasHigherOperatorFee }: OperatorFeeRules,
): bigint {
  if (!hasOperatorFee) return 0n
  return hasHigherOperatorFee ? operatorFeeScalar * 100n : (operatorFeeScalar + 999_999n) / 1_000_000n
}
