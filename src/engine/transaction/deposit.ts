import { type GasCharges, gasCharges } from '../../chain/fees/intrinsic-gas.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { DepositTransaction } from '../../chain/transaction/transaction.ts'
import { initcodeSizeLimit } from '../../chain/transaction/transaction-limits.ts'
import { EMPTY_BYTES } from '../../primitives/hex.ts'
import { credited } from '../../state/account.ts'
import { accountOf } from '../accounts.ts'
import type { HaltReason } from '../halt-reason.ts'
import type { Execution } from '../interpreter.ts'
import type { Executed, Result } from '../types.ts'
import { type ExecutionContext, removeAccounts, runMessage } from './run-message.ts'

/**
 * Executes a deposit (OP-stack specs: deposits): it mints first and unconditionally, pays no fees and has no nonce of
 * its own. A deposit that is invalid or fails is included all the same, keeps the mint and increments the sender's
 * nonce. Exempt from the transaction gas cap.
 */
export function* executeDeposit(
  context: ExecutionContext,
  deposit: DepositTransaction,
  remainingGas: bigint,
): Execution<Result> {
  const { config, env, state } = context
  const { from, to, gasLimit, value, data } = deposit
  // System transactions ended with Regolith.
  if (config.layer2 === undefined || deposit.isSystemTransaction) {
    return { kind: 'invalid', error: { code: 'TYPE_NOT_SUPPORTED', type: deposit.type } }
  }
  if (gasLimit > remainingGas) {
    return { kind: 'invalid', error: { code: 'BLOCK_GAS_EXCEEDED', gasLimit, remaining: remainingGas } }
  }
  const sender = accountOf(state, from)
  const { nonce } = sender
  const balance = credited(sender.balance, deposit.mint)
  state.setAccount(from, { ...sender, balance, nonce: nonce + 1n })

  const charges = gasCharges({ to, data }, env.fork)
  const fault = faultOf(deposit, charges, balance, context)
  if (fault !== undefined) return failed(deposit, nonce, fault)
  const { outcome, executed } = yield* runMessage(context, {
    from,
    to,
    gasLimit,
    value,
    data,
    charges,
    nonce,
    gasPrice: 0n,
    authorizationRefund: 0n,
    warmAddresses: [],
  })
  removeAccounts(context, outcome, [from])
  return { ...executed, depositNonce: nonce }
}

/** A fault that would make a signed transaction invalid. */
function faultOf(
  deposit: DepositTransaction,
  charges: GasCharges,
  balance: bigint,
  { env, config }: Pick<ExecutionContext, 'env' | 'config'>,
): HaltReason | undefined {
  const { gasLimit, data, to, value } = deposit
  if (gasLimit < charges.intrinsic || gasLimit < charges.floor) return 'out of gas'
  if (balance < value) return 'insufficient balance for transfer'
  if (to === null && rulesOf(env.fork).hasInitcodeLimit && data.length > initcodeSizeLimit(config))
    return 'max initcode size exceeded'
  return undefined
}

/** All its gas is used (Regolith). */
function failed({ from, to, gasLimit }: DepositTransaction, nonce: bigint, halt: HaltReason): Executed {
  return {
    kind: 'executed',
    status: 'halt',
    halt,
    gasUsed: Number(gasLimit),
    maxUsedGas: Number(gasLimit),
    output: EMPTY_BYTES,
    logs: [],
    contractAddress: to === null ? createAddress(from, nonce) : null,
    effectiveGasPrice: 0n,
    depositNonce: nonce,
  }
}
