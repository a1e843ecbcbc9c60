import { L1_BLOCK_ADDRESS, L1_FEE_VAULT_ADDRESS, OPERATOR_FEE_VAULT_ADDRESS } from '../../chain/constants.ts'
import { type L1BlockFees, readL1BlockFees } from '../../chain/fees/l1-block.ts'
import { type L1Fee, l1Fee } from '../../chain/fees/l1-fee.ts'
import { operatorFee } from '../../chain/fees/operator-fee.ts'
import type { Layer2Rules } from '../../chain/forks/layer2-rules.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address } from '../../primitives/hex.ts'
import { addBalance } from '../accounts.ts'
import type { WorldState } from '../world-state.ts'
import type { ExecutionContext } from './run-message.ts'

/** Fees of a transaction of an OP-stack chain besides its gas: the L1 fee and the operator fee. */
export interface DataFees {
  readonly l1Fee: L1Fee
  /** Wei charged before execution: the L1 fee, and the operator fee for the whole gas limit. */
  readonly upfront: bigint
  readonly parameters: L1BlockFees
  readonly rules: Layer2Rules
}

/** Undefined where transactions pay for their gas only. */
export function dataFeesOf({ env, state }: ExecutionContext, transaction: PoolTransaction): DataFees | undefined {
  const rules = env.layer2
  if (!rules?.hasL1Fee) return undefined
  const parameters = readL1BlockFees((slot) => state.storage(L1_BLOCK_ADDRESS, slot), rules)
  const fee = l1Fee(transaction.raw, parameters, rules)
  return { l1Fee: fee, upfront: fee.fee + operatorFee(transaction.gasLimit, parameters, rules), parameters, rules }
}

/** Pays the vaults, and returns the operator fee of the gas that was not used (OP-stack specs: Isthmus). */
export function settleDataFees(
  state: WorldState,
  from: Address,
  { l1Fee, upfront, parameters, rules }: DataFees,
  gasUsed: bigint,
): void {
  const forOperator = operatorFee(gasUsed, parameters, rules)
  credit(state, from, upfront - l1Fee.fee - forOperator)
  credit(state, L1_FEE_VAULT_ADDRESS, l1Fee.fee)
  credit(state, OPERATOR_FEE_VAULT_ADDRESS, forOperator)
}

/** Zero wei create no account (EIP-161). */
function credit(state: WorldState, address: Address, wei: bigint): void {
  if (wei > 0n) addBalance(state, address, wei)
}
