import { gasCharges } from '../../chain/fees/intrinsic-gas.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { impersonatedSender } from '../../chain/transaction/impersonation.ts'
import { maxFeePerGas, maxPriorityFeePerGas, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import { transactionGasCap } from '../../chain/transaction/transaction-limits.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { accountOf, addBalance } from '../accounts.ts'
import type { Execution } from '../interpreter.ts'
import type { Call, CallChecks, Result } from '../types.ts'
import { applyAuthorizations } from './authorizations.ts'
import { type DataFees, dataFeesOf, payDataFees } from './data-fees.ts'
import { gasPrice, shareOfPrice, upfrontCost } from './fees.ts'
import { type ExecutionContext, removeAccounts, runMessage } from './run-message.ts'
import { type TransactionLimits, validateEnvelope, validateMessage } from './validate-transaction.ts'

const NO_HASHES: readonly Hash[] = Object.freeze([])
const ALL_CHECKS: CallChecks = Object.freeze({ nonce: true, baseFee: true, senderWithoutCode: true, gasFunds: true })
/** A development node also sends for contracts. */
const IMPERSONATED_CHECKS: CallChecks = Object.freeze({ ...ALL_CHECKS, senderWithoutCode: false })

/** Executes a signed transaction with all checks. */
export function* executeTransaction(
  context: ExecutionContext,
  transaction: PoolTransaction & { readonly from: Address },
  remainingGas: bigint,
): Execution<Result> {
  const error = validateEnvelope(transaction, context)
  if (error !== undefined) return { kind: 'invalid', error }
  const gasCap = transactionGasCap(context.config, context.env.fork)
  const limits = gasCap === undefined ? { remainingGas } : { remainingGas, gasCap }
  const checks = impersonatedSender(transaction) === undefined ? ALL_CHECKS : IMPERSONATED_CHECKS
  return yield* executeCall(context, callOf(transaction), checks, limits, dataFeesOf(context, transaction))
}

/**
 * Executes a message. If funds for gas are not checked, a sender who cannot afford the gas gets nothing of it back, and
 * the fee recipient gets nothing; unless they are lent, the sender does not pay for it either.
 *
 * @param dataFees of a signed transaction, besides its gas
 */
export function* executeCall(
  context: ExecutionContext,
  call: Call,
  checks: CallChecks,
  limits?: TransactionLimits,
  dataFees?: DataFees,
): Execution<Result> {
  const { env, config, state } = context
  const sender = accountOf(state, call.from)
  const charges = gasCharges(call, env.fork)
  const dataCost = dataFees?.upfront ?? 0n
  const error = validateMessage(call, checks, { env, config, state, sender, charges, dataCost }, limits)
  if (error !== undefined) return { kind: 'invalid', error }

  const nonce = call.nonce ?? sender.nonce
  const price = gasPrice(call, env.baseFee)
  const upfront = upfrontCost(call, price, env) + dataCost
  const pays = sender.balance >= upfront + call.value
  const nextNonce = BigInt.asUintN(64, nonce + 1n)
  const balance = pays ? sender.balance - upfront : unpaidBalance(sender.balance, upfront, call.value, checks)
  state.setAccount(call.from, { nonce: nextNonce, balance, codeHash: sender.codeHash })

  const { refund, warmAddresses } = applyAuthorizations(state, call.authorizationList, config.chainId)
  const { outcome, executed, use } = yield* runMessage(context, {
    from: call.from,
    to: call.to,
    gasLimit: call.gasLimit,
    value: call.value,
    data: call.data,
    accessList: call.accessList,
    blobVersionedHashes: call.blobVersionedHashes ?? NO_HASHES,
    charges,
    nonce,
    gasPrice: price,
    authorizationRefund: refund,
    warmAddresses,
  })
  // From EIP-161 on, a fee of zero touches no account.
  if (pays && (price > 0n || !rulesOf(env.fork).removesEmptyAccounts)) payFees(context, call, price, use.gasUsed)
  if (dataFees !== undefined) {
    payDataFees(state, call.from, dataFees, use.gasUsed)
    executed.l1Fee = dataFees.l1Fee
  }
  removeAccounts(context, outcome, [call.from, env.coinbase])
  return executed
}

/** Balance with which a message of a sender runs that cannot pay for it. */
function unpaidBalance(balance: bigint, upfront: bigint, value: bigint, { gasFunds }: CallChecks): bigint {
  if (gasFunds !== 'lent') return balance
  const left = balance - upfront
  return left > value ? left : value
}

/**
 * Returns unused gas to the sender and pays the tip to the coinbase; the base fee is burnt, or collected on layer 2.
 */
function payFees({ env, config, state }: ExecutionContext, call: Call, price: bigint, gasUsed: bigint): void {
  const { base, tip } = shareOfPrice(price, env.baseFee)
  addBalance(state, call.from, (call.gasLimit - gasUsed) * price)
  addBalance(state, env.coinbase, gasUsed * tip)
  const recipient = config.layer2?.baseFeeRecipient
  if (recipient !== undefined && base > 0n) addBalance(state, recipient, gasUsed * base)
}

function callOf(transaction: PoolTransaction & { readonly from: Address }): Call {
  const { from, to, gasLimit, value, data, nonce } = transaction
  return {
    from,
    to,
    gasLimit,
    value,
    data,
    nonce,
    maxFeePerGas: maxFeePerGas(transaction),
    maxPriorityFeePerGas: maxPriorityFeePerGas(transaction),
    accessList: transaction.type === 0 ? [] : transaction.accessList,
    ...(transaction.type === 4 && { authorizationList: transaction.authorizationList }),
    ...(transaction.type === 3 && {
      blobVersionedHashes: transaction.blobVersionedHashes,
      maxFeePerBlobGas: transaction.maxFeePerBlobGas,
    }),
  }
}
