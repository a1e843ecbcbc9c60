import { blobGasOf } from '../../chain/fees/blob-fee.ts'
import { gasCharges } from '../../chain/fees/intrinsic-gas.ts'
import { operatorFee, operatorGasPrice } from '../../chain/fees/operator-fee.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { transactionGasCap } from '../../chain/transaction/transaction-limits.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { HaltReason } from '../halt-reason.ts'
import { callDataFees, type DataFees } from '../transaction/data-fees.ts'
import {
  type BlockEnv,
  type Call,
  type CallChecks,
  type Engine,
  type Executed,
  ExecutionStoppedError,
  type MayContinue,
  type Session,
} from '../types.ts'
import {
  CALL_CHECKS,
  type CallRequest,
  type CallRequestError,
  callMessage,
  DEFAULT_GAS_CAP,
  smaller,
} from './call-message.ts'

export interface EstimateGasOptions {
  /** Gas cap. Default: 50,000,000. */
  readonly gasCap?: bigint
  /** Relative precision at which the search ends, always from above. Default: 0.015; 0 for the exact value. */
  readonly errorRatio?: number
  /** Checks of each run. Default: go-ethereum's. With lent funds, the balance of the sender does not limit the gas. */
  readonly checks?: CallChecks
  /**
   * Whether a limit is too low when an inner call runs out of gas at it, but not at the maximum: `strict` says yes;
   * `go-ethereum`, the default, says no if the code continues without the call.
   */
  readonly innerGas?: InnerGas
  /** Whether the estimate is above the intrinsic gas (Hardhat). */
  readonly exceedsIntrinsicGas?: boolean
  /** Whether a bare transfer to an account without code needs 21,000 gas, without a run and without funds (Anvil). */
  readonly skipsBareTransfers?: boolean
  /** See `SessionOptions`. */
  readonly mayContinue?: MayContinue
  /** Precompiles moved by state overrides. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null>
  /** Called after the run with the maximum: the one run of every estimate. */
  readonly onRun?: ((session: Session) => void) | undefined
}

/** How an estimate treats inner calls that run out of gas. */
export type InnerGas = 'strict' | 'go-ethereum'

export type GasEstimate =
  | { readonly kind: 'estimated'; readonly gas: bigint }
  | { readonly kind: 'reverted'; readonly output: Bytes }
  | { readonly kind: 'halted'; readonly reason: HaltReason }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction | CallRequestError }
  /** The call needs more than `gas`, the maximum allowed by block, cap or balance. */
  | { readonly kind: 'allowance'; readonly gas: bigint }

const TRANSFER_GAS = 21_000n
const CALL_STIPEND = 2_300n
const DEFAULT_ERROR_RATIO = 0.015

/**
 * The smallest gas limit with which a call succeeds on `state`, by go-ethereum's method: one run with the maximum, an
 * optimistic guess, then bisection. Code that cannot have observed its gas is not run again: its need is known after
 * the first run. Deterministic.
 *
 * @example await estimateGas(engine, blockEnv(header, engine.config), state, { from, to, value: 1n })
 */
export async function estimateGas(
  engine: Engine,
  env: BlockEnv,
  state: StateReader,
  request: CallRequest,
  options: EstimateGasOptions = {},
): Promise<GasEstimate> {
  const gasCap = options.gasCap ?? DEFAULT_GAS_CAP
  const message = callMessage(request, env, engine.config.chainId, gasCap)
  if (message.kind === 'invalid') return message
  const { call } = message
  if (options.skipsBareTransfers && isBareTransfer(call, state)) return { kind: 'estimated', gas: TRANSFER_GAS }
  const checks = options.checks ?? CALL_CHECKS
  const bounds = [
    request.gas !== undefined && request.gas >= TRANSFER_GAS ? request.gas : env.gasLimit,
    gasCap,
    transactionGasCap(engine.config, env.fork) ?? gasCap,
  ]
  const fees = callDataFees({ env: message.env, config: engine.config, state }, call, checks)
  const allowance = gasAllowance({ call, env, state, fees, checks }, bounds)
  if (typeof allowance !== 'bigint') return { kind: 'invalid', error: allowance }
  const { movedPrecompiles, mayContinue, onRun } = options
  const session = engine.open(message.env, state, {
    withoutLogs: true,
    ...(movedPrecompiles && { movedPrecompiles }),
    ...(mayContinue && { mayContinue }),
  })
  try {
    const attempts = { session, call, checks, mayContinue, onRun, isStrict: options.innerGas === 'strict' }
    const estimate = await search(attempts, allowance, options.errorRatio ?? DEFAULT_ERROR_RATIO)
    if (!options.exceedsIntrinsicGas || estimate.kind !== 'estimated') return estimate
    const least = gasCharges(call, env.fork).intrinsic + 1n
    return estimate.gas < least ? { ...estimate, gas: least } : estimate
  } finally {
    session.close()
  }
}

/** A call with what determines how much gas its sender can pay for. */
interface PaidCall {
  readonly call: Call
  readonly env: BlockEnv
  readonly state: StateReader
  readonly fees: DataFees | undefined
  readonly checks: CallChecks
}

/** The highest sensible gas limit, or why there is none. @param bounds besides the balance */
function gasAllowance(paid: PaidCall, bounds: readonly bigint[]): bigint | InvalidTransaction {
  const { call, env, state, fees, checks } = paid
  const highest = bounds.reduce(smaller)
  if (call.maxFeePerGas === 0n || checks.gasFunds === 'lent') return highest
  const balance = state.account(call.from)?.balance ?? 0n
  const blobGas = BigInt(blobGasOf(call))
  const blobCost = rulesOf(env.fork).hasBlobFee ? blobGas * (call.maxFeePerBlobGas ?? 0n) : 0n
  const dataCost = fees === undefined ? 0n : fees.l1Fee.fee + operatorFee(0n, fees.parameters, fees.rules)
  const cost = call.value + blobCost + dataCost
  if (cost >= balance) return { code: 'INSUFFICIENT_FUNDS', address: call.from, balance, cost, queuedCost: 0n }
  const price = call.maxFeePerGas + (fees === undefined ? 0n : operatorGasPrice(fees.parameters, fees.rules))
  return smaller(highest, (balance - cost) / price)
}

/** The repeated run, and the callback before each. */
interface Attempts {
  readonly session: Session
  readonly call: Call
  readonly checks: CallChecks
  readonly mayContinue: MayContinue | undefined
  readonly onRun: EstimateGasOptions['onRun']
  readonly isStrict: boolean
}

async function search(attempts: Attempts, allowance: bigint, errorRatio: number): Promise<GasEstimate> {
  const { session, call, onRun } = attempts
  if (isPlainTransfer(call, session.state)) {
    // 21000 is tried, not assumed: an access list, for example, raises the cost of a transfer.
    const transfer = await run(attempts, TRANSFER_GAS)
    if (transfer.kind === 'executed' && transfer.status === 'success') return { kind: 'estimated', gas: TRANSFER_GAS }
  }
  const first = await run(attempts, allowance)
  onRun?.(session)
  const failure = failureOf(first, allowance)
  if (failure !== undefined) return failure
  const { gasUsed, maxUsedGas, neededGasLimit, framesOutOfGas } = first as Executed
  const tolerated = attempts.isStrict ? (framesOutOfGas ?? 0) : Number.POSITIVE_INFINITY
  const isEnough = (limit: bigint) =>
    neededGasLimit === undefined ? succeeds(attempts, limit, tolerated) : limit >= neededGasLimit
  // The gas used falls short by at most the refund: the lower bound of the search.
  let low = BigInt(gasUsed) - 1n
  let high = allowance
  const used = BigInt(Math.max(gasUsed, maxUsedGas))
  // Usually the gas used is enough, which saves the search for the exact value.
  if (errorRatio === 0 && used < high) {
    if (await isEnough(used)) high = used
    else low = used
  }
  const guess = ((used + CALL_STIPEND) * 64n) / 63n
  if (guess < high) {
    if (await isEnough(guess)) high = guess
    else low = guess
  }
  while (low + 1n < high && Number(high - low) / Number(high) >= errorRatio) {
    const middle = low + (high - low) / 2n
    // Few calls need much more than they use, so the search is biased towards low values.
    const limit = middle > low * 2n ? low * 2n : middle
    if (await isEnough(limit)) high = limit
    else low = limit
  }
  return { kind: 'estimated', gas: high }
}

type Run =
  | Executed
  | { readonly kind: 'tooLittleGas' }
  | { readonly kind: 'invalid'; readonly error: InvalidTransaction }

async function run({ session, call, checks }: Attempts, gasLimit: bigint): Promise<Run> {
  session.checkpoint()
  try {
    const running = session.call({ ...call, gasLimit }, checks)
    const result = running instanceof Promise ? await running : running
    if (result.kind === 'executed') return result
    const { code } = result.error
    return code === 'INTRINSIC_GAS_TOO_LOW' || code === 'FLOOR_DATA_GAS_TOO_LOW' ? { kind: 'tooLittleGas' } : result
  } finally {
    session.revert()
  }
}

/**
 * A run after the first one.
 *
 * @param tolerated inner calls that may run out of gas
 * @throws ExecutionStoppedError before it, when the time of the estimate is over
 */
async function succeeds(attempts: Attempts, gasLimit: bigint, tolerated: number): Promise<boolean> {
  const isInTime = attempts.mayContinue?.() ?? true
  if (!(isInTime instanceof Promise ? await isInTime : isInTime)) {
    throw new ExecutionStoppedError('the estimate took longer than it may: allow more time')
  }
  const result = await run(attempts, gasLimit)
  return result.kind === 'executed' && result.status === 'success' && (result.framesOutOfGas ?? 0) <= tolerated
}

/** Why the run with the maximum failed. */
function failureOf(result: Run, allowance: bigint): GasEstimate | undefined {
  if (result.kind === 'tooLittleGas') return { kind: 'allowance', gas: allowance }
  if (result.kind === 'invalid') return result
  if (result.status === 'revert') return { kind: 'reverted', output: result.output }
  if (result.status === 'success') return undefined
  return result.halt === undefined || result.halt === 'out of gas'
    ? { kind: 'allowance', gas: allowance }
    : { kind: 'halted', reason: result.halt }
}

function isPlainTransfer({ to, data }: Call, state: StateReader): boolean {
  if (to === null || data.length > 0) return false
  return (state.account(to)?.codeHash ?? EMPTY_CODE_HASH) === EMPTY_CODE_HASH
}

function isBareTransfer(call: Call, state: StateReader): boolean {
  const { accessList, authorizationList, blobVersionedHashes } = call
  const isBare = [accessList, authorizationList, blobVersionedHashes].every((list) => (list ?? []).length === 0)
  return isBare && isPlainTransfer(call, state)
}
