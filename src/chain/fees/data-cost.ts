import type { Layer2Rules } from '../forks/layer2-rules.ts'
import type { PoolTransaction } from '../transaction/transaction.ts'
import type { L1BlockFees } from './l1-block.ts'
import { l1Fee } from './l1-fee.ts'
import { operatorFee } from './operator-fee.ts'

/** Rules and prices that determine the fees of a transaction besides its gas. */
export interface DataFeeRules {
  readonly parameters: L1BlockFees
  readonly rules: Layer2Rules
}

/** Wei that a transaction must be able to pay besides its gas and its value: the L1 fee and the operator fee. */
export function dataCost(
  { raw, gasLimit }: Pick<PoolTransaction, 'raw' | 'gasLimit'>,
  { parameters, rules }: DataFeeRules,
): bigint {
  return l1Fee(raw, parameters, rules).fee + operatorFee(gasLimit, parameters, rules)
}
