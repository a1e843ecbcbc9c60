import type { GasCharges } from '../../chain/fees/intrinsic-gas.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { AccessList } from '../../chain/transaction/transaction.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { isEmptyAccount } from '../accounts.ts'
import type { Execution, MessageResult } from '../interpreter.ts'
import type { BlockEnv, Executed, Writable } from '../types.ts'
import type { WorldState } from '../world-state.ts'
import type { GasUse } from './fees.ts'
import { gasUse } from './fees.ts'

const NOTHING: readonly never[] = Object.freeze([])

/** Context shared by the messages of a session. */
export interface ExecutionContext {
  readonly env: BlockEnv
  readonly config: ChainConfig
  readonly state: WorldState
}

/** A valid message: the sender's nonce is incremented and its gas is paid. */
export interface PreparedMessage {
  readonly from: Address
  readonly to: Address | null
  readonly gasLimit: bigint
  readonly value: bigint
  readonly data: Bytes
  readonly accessList?: AccessList
  readonly blobVersionedHashes?: readonly Hash[]
  readonly charges: GasCharges
  /** Wei per gas. */
  readonly gasPrice: bigint
  /** Nonce of the sender before. */
  readonly nonce: bigint
  readonly authorizationRefund: bigint
  readonly warmAddresses: readonly Address[]
}

export interface RunMessage {
  readonly use: GasUse
  readonly outcome: MessageResult
  readonly executed: Writable<Executed>
}

/** Charges the intrinsic gas, runs the code and computes the gas used; payments are up to the caller. */
export function* runMessage(context: ExecutionContext, message: PreparedMessage): Execution<RunMessage> {
  const { env } = context
  const { from, to, gasLimit, gasPrice, charges } = message
  const outcome = yield {
    from,
    to,
    gasLimit: gasLimit - charges.intrinsic,
    value: message.value,
    data: message.data,
    gasPrice,
    blobVersionedHashes: message.blobVersionedHashes ?? NOTHING,
    accessList: message.accessList ?? NOTHING,
    warmAddresses: warmAddresses(message, env),
  }
  const use = gasUse(
    {
      limit: gasLimit,
      left: outcome.gasLeft,
      refund: outcome.refund + message.authorizationRefund,
      floor: charges.floor,
    },
    env.fork,
  )
  return { use, outcome, executed: executedOf(message, outcome, use) }
}

/**
 * Ends a transaction: removes destroyed accounts and, from Spurious Dragon on (EIP-161), touched empty ones.
 *
 * @param touched by payments, besides those that the code touched
 */
export function removeAccounts(
  { env, state }: ExecutionContext,
  outcome: MessageResult,
  touched: Iterable<Address>,
): void {
  for (const address of outcome.destroyed) state.setAccount(address, undefined)
  if (!rulesOf(env.fork).removesEmptyAccounts) return
  for (const address of outcome.touched) removeIfEmpty(state, address)
  for (const address of touched) removeIfEmpty(state, address)
}

function removeIfEmpty(state: WorldState, address: Address): void {
  const account = state.account(address)
  if (account !== undefined && isEmptyAccount(account)) state.setAccount(address, undefined)
}

/** Sender and recipient (EIP-2929), authorities (EIP-7702), coinbase (EIP-3651). */
function warmAddresses({ from, to, warmAddresses }: PreparedMessage, env: BlockEnv): readonly Address[] {
  const hasCoinbase = rulesOf(env.fork).hasWarmCoinbase
  // Fast path: one array literal.
  if (to !== null && hasCoinbase && warmAddresses.length === 0) return [from, to, env.coinbase]
  const addresses = [from, ...warmAddresses]
  if (to !== null) addresses.push(to)
  if (hasCoinbase) addresses.push(env.coinbase)
  return addresses
}

function executedOf(
  { from, to, nonce, gasPrice, charges }: PreparedMessage,
  outcome: MessageResult,
  use: GasUse,
): Writable<Executed> {
  const executed: Writable<Executed> = {
    kind: 'executed',
    status: outcome.status,
    gasUsed: Number(use.gasUsed),
    maxUsedGas: Number(use.maxUsedGas),
    output: outcome.output,
    logs: outcome.logs,
    contractAddress: to === null ? createAddress(from, nonce) : null,
    effectiveGasPrice: gasPrice,
  }
  if (outcome.neededGas !== undefined) {
    const needed = charges.intrinsic + outcome.neededGas
    executed.neededGasLimit = needed < charges.floor ? charges.floor : needed
  }
  if (outcome.framesOutOfGas !== undefined) executed.framesOutOfGas = outcome.framesOutOfGas
  if (outcome.halt !== undefined) executed.halt = outcome.halt
  if (outcome.emission !== undefined) executed.emission = outcome.emission
  return executed
}
