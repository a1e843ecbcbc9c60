import type { InvalidTransaction, SubmitRefusal } from '../../chain/transaction/refusal.ts'
import { invalidTransactionMessage, submitText } from '../../chain/transaction/refusal-text.ts'
import { type CallRequestError, callRequestErrorMessage } from '../../engine/call/call-message.ts'
import { decodeRevertReason } from '../../engine/call/revert-reason.ts'
import {
  type SimulationError,
  simulationErrorMessage,
  stateOverrideErrorMessage,
} from '../../engine/simulate/simulation-error.ts'
import type { SetHeadRefusal } from '../../node/core/results.ts'
import { type Address, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Dialect } from './dialect.ts'
import type { CallFailure, ErrorReason } from './error-reason.ts'
import type { Json, JsonRecord } from './json.ts'

/** JSON-RPC error codes. Clients retry after -32603 and -32005, so neither is used for permanent failures. */
export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Execution or state error of a method. */
  server: -32000,
  /** EIP-1474: the requested resource does not exist. */
  notFound: -32001,
  /** go-ethereum's code for a timeout. */
  timedOut: -32002,
  responseTooLarge: -32003,
  /** EIP-1474, ERC-7796: a condition of the transaction does not hold. */
  conditionFailed: -32003,
  /** A limit is reached: the same request may succeed later. */
  limitExceeded: -32005,
  tooManySubscriptions: -32006,
  /** Part of the database is damaged; other reads succeed. */
  damaged: -32007,
  /** The node failed while it recorded the request: it may take effect after the next start. */
  outcomeUnknown: -32008,
  /** A block that is not kept (EIP-4444). */
  blockPruned: 4444,
  reverted: 3,
  /** EIP-7966: sent, but not included in time. */
  timeout: 4,
  /** EIP-7966: not sent, since the next block cannot include it. */
  notExecutable: 5,
  /** EIP-7966: not sent, since it is behind a nonce gap. */
  nonceGap: 6,
} as const

/** A JSON-RPC error, thrown by methods. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Json | undefined
  /** For the texts of other nodes (`--compat`). */
  readonly reason: ErrorReason | undefined

  constructor(code: number, message: string, data?: Json, reason?: ErrorReason) {
    super(message)
    this.code = code
    this.data = data
    this.reason = reason
  }

  toJson(): JsonRecord {
    return { code: this.code, message: this.message, data: this.data }
  }
}

/**
 * The block is unknown.
 *
 * @param requested height or hash of the block
 * @param sealed the block that has `requested` as a partial hash and was sealed since
 */
export function headerNotFound(
  requested: number | Hash,
  latest: number,
  sealed?: { readonly number: number; readonly hash: Hash },
): RpcError {
  const reason = { kind: 'unknownBlock', requested, latest } as const
  if (sealed === undefined) return new RpcError(RPC_CODES.server, 'header not found', undefined, reason)
  const { number, hash } = sealed
  const message = `header not found: ${requested} is a partial hash of block ${number}, which is sealed with hash ${hash}`
  return new RpcError(RPC_CODES.server, message, { blockNumber: toQuantity(number), blockHash: hash }, reason)
}

/** A write failed after its bytes may have reached the disk or the replicated log. */
export function outcomeUnknown(): RpcError {
  return new RpcError(
    RPC_CODES.outcomeUnknown,
    'the outcome is unknown: the node failed while it recorded the request, which may take effect when it runs again. ' +
      'Look for the transaction then (eth_getTransactionByHash, tickertape_transactionStatus) before you send another ' +
      'one with the same nonce; the same transaction may be sent again',
  )
}

/**
 * A call timed out (go-ethereum, `--rpc.evmtimeout`).
 *
 * @param limit milliseconds
 */
export function executionTimeout(limit: number): RpcError {
  return new RpcError(RPC_CODES.server, `execution aborted (timeout = ${limit / 1000}s)`)
}

/**
 * The state of a block is pruned. Routers and indexers find an archive node by the words of go-ethereum (`historical
 * state … is not available`) or reth (`state at block #1 is pruned`), so the text has both.
 */
export function statePruned({ number, oldest }: { readonly number: number; readonly oldest: number }): RpcError {
  const reason = `historical state is not available: state at block #${number} is pruned`
  return new RpcError(RPC_CODES.server, `${reason}; ask for block ${oldest} or later (--history)`)
}

/** Failures of an upstream that may pass. */
const PASSING_FORK_ERRORS: ReadonlySet<string> = new Set(['FORK_UNREACHABLE', 'FORK_TIMEOUT', 'FORK_RATE_LIMITED'])

/** State of the forked node could not be read; the message names the node and what to do. */
export function forkError({ code, message }: { readonly code: string; readonly message: string }): RpcError {
  const rpcCode = PASSING_FORK_ERRORS.has(code) ? RPC_CODES.limitExceeded : RPC_CODES.server
  return new RpcError(rpcCode, message, { code })
}

/** The node has no key of the account (go-ethereum's message). */
export function unknownAccount(address?: Address): RpcError {
  const refusal = { code: 'UNKNOWN_ACCOUNT', address } as const
  return new RpcError(RPC_CODES.server, 'unknown account', undefined, { kind: 'send', refusal })
}

/** The rate limit is exceeded. @param wait milliseconds until the next request */
export function rateLimited(wait: number): RpcError {
  const retryAfter = Math.ceil(wait)
  return new RpcError(RPC_CODES.limitExceeded, `rate limit exceeded: retry in ${retryAfter} ms`, { retryAfter })
}

/** @param table in which the read met damaged data */
export function damagedData(table: string): RpcError {
  const message = 'the database of this node is damaged here: ask another node'
  return new RpcError(RPC_CODES.damaged, message, { table })
}

/** @param bytes size of the response, unless it was aborted before it was complete */
export function responseTooLarge(maxBytes: number, bytes?: number): RpcError {
  const size = bytes === undefined ? `more than ${maxBytes} bytes` : `${bytes} bytes, at most ${maxBytes}`
  return new RpcError(RPC_CODES.responseTooLarge, `response too large: ${size}; ask for less at once`)
}

/** Responses under construction continue, so that there is room soon. */
export function outOfResponseMemory(): RpcError {
  const message = 'too many large answers are being made: try again later, or ask for less at once'
  return new RpcError(RPC_CODES.limitExceeded, message)
}

/** Messages that clients of dialect `base` match exactly. */
const PROMISED = new Set<SubmitRefusal['code']>([
  'NONCE_TOO_LOW',
  'INSUFFICIENT_FUNDS',
  'ALREADY_KNOWN',
  'REPLACEMENT_UNDERPRICED',
])

/**
 * The error for a refused transaction: -32000, except for transactions that may be sent again unchanged, and for those
 * that had to be executable (EIP-7966). In dialect
 * `base` four messages stand alone, with details in `data`; all others are `prefix: details`.
 *
 * @example submitError({ code: 'ALREADY_KNOWN' }, 'base').message // 'already known'
 */
export function submitError(refusal: SubmitRefusal, dialect: Dialect): RpcError {
  const { message, pool } = submitText(refusal)
  const reason = { kind: 'submit', refusal } as const
  if (dialect === 'base' && PROMISED.has(refusal.code)) {
    return new RpcError(RPC_CODES.server, message, refusalData(refusal), reason)
  }
  if (refusal.code === 'NONCE_GAP') {
    return new RpcError(RPC_CODES.nonceGap, pool, toQuantity(refusal.expected), reason)
  }
  if (refusal.code === 'BASE_FEE_BLOCKED' || refusal.code === 'BLOB_FEE_BLOCKED') {
    return new RpcError(RPC_CODES.notExecutable, pool, refusal.hash, reason)
  }
  const code = refusal.code === 'TOO_MANY_BLOBS' ? RPC_CODES.limitExceeded : RPC_CODES.server
  return new RpcError(code, pool, undefined, reason)
}

/** The details of the messages that stand alone. */
function refusalData(refusal: SubmitRefusal): JsonRecord | undefined {
  switch (refusal.code) {
    case 'NONCE_TOO_LOW':
      return { nextNonce: toQuantity(refusal.expected), transactionNonce: toQuantity(refusal.actual) }
    case 'INSUFFICIENT_FUNDS': {
      const { balance, cost, queuedCost } = refusal
      return {
        balance: toQuantity(balance),
        cost: toQuantity(cost),
        queuedCost: toQuantity(queuedCost),
        overshot: toQuantity(cost + queuedCost - balance),
      }
    }
    case 'REPLACEMENT_UNDERPRICED':
      return {
        replaced: refusal.replaced,
        requiredMaxFeePerGas: toQuantity(refusal.requiredMaxFeePerGas),
        requiredMaxPriorityFeePerGas: toQuantity(refusal.requiredMaxPriorityFeePerGas),
      }
    default:
      return undefined
  }
}

/** The error of `debug_setHead` when the chain cannot be unwound so far. */
export function setHeadError(refusal: SetHeadRefusal): RpcError {
  switch (refusal.code) {
    case 'ABOVE_LATEST':
      return new RpcError(RPC_CODES.server, `block ${refusal.number} is above the head: latest is ${refusal.latest}`)
    case 'BELOW_FINALIZED':
      return new RpcError(
        RPC_CODES.server,
        `block ${refusal.number} is below the finalized block ${refusal.finalized}, which stays`,
      )
    case 'BELOW_FORK':
      return new RpcError(
        RPC_CODES.server,
        `block ${refusal.number} is below the fork block ${refusal.fork}: to begin there, use anvil_reset or ` +
          '--fork-block-number',
      )
    case 'STATE_PRUNED':
      return new RpcError(
        RPC_CODES.server,
        `the state of block ${refusal.number} is not kept any more: go back to block ${refusal.oldest} ` +
          'or a later one, or run with a longer --history',
      )
  }
}

/** Error codes of failed simulations. */
export const SIMULATION_CODES: Readonly<Record<Exclude<SimulationError['code'], 'INVALID_TRANSACTION'>, number>> = {
  EMPTY_INPUT: RPC_CODES.invalidParams,
  TOO_MANY_BLOCKS: -38026,
  TOO_MANY_CALLS: -38026,
  BLOCK_NUMBER_ORDER: -38020,
  BLOCK_TIME_ORDER: -38021,
  BLOCK_GAS_EXCEEDED: -38015,
  INVALID_OVERRIDE: RPC_CODES.server,
  INVALID_REQUEST: RPC_CODES.invalidParams,
  INVALID_BLOCK: RPC_CODES.server,
  TIMEOUT: -32016,
}

export const INVALID_TRANSACTION_CODES: Readonly<Partial<Record<InvalidTransaction['code'], number>>> = {
  NONCE_TOO_LOW: -38010,
  NONCE_TOO_HIGH: -38011,
  FEE_CAP_TOO_LOW: -38012,
  INTRINSIC_GAS_TOO_LOW: -38013,
  FLOOR_DATA_GAS_TOO_LOW: -38013,
  INSUFFICIENT_FUNDS: -38014,
  BLOCK_GAS_EXCEEDED: -38015,
  SENDER_NOT_EOA: -38024,
  INITCODE_TOO_LARGE: -38025,
  TIP_ABOVE_FEE_CAP: RPC_CODES.invalidParams,
}

/** go-ethereum's codes: -32603 for everything that its table does not name. */
const ETHEREUM_CODES = { invalidTransaction: RPC_CODES.internal, INVALID_REQUEST: RPC_CODES.server } as const

/** The error of a failed simulation. */
export function simulationError(error: SimulationError, dialect: Dialect): RpcError {
  return new RpcError(simulationCode(error, dialect), simulationErrorMessage(error))
}

function simulationCode(error: SimulationError, dialect: Dialect): number {
  if (error.code === 'INVALID_TRANSACTION') {
    const fallback = dialect === 'ethereum' ? ETHEREUM_CODES.invalidTransaction : RPC_CODES.server
    return INVALID_TRANSACTION_CODES[error.error.code] ?? fallback
  }
  if (error.code === 'INVALID_REQUEST' && dialect === 'ethereum') return ETHEREUM_CODES.INVALID_REQUEST
  return SIMULATION_CODES[error.code]
}

/**
 * The error of `eth_call` and `eth_estimateGas` for a failed call.
 *
 * @param transaction hash of the mined transaction that failed, instead of a call
 */
export function callError(failure: CallFailure, transaction?: Hash): RpcError {
  const [code, message, data] = callErrorParts(failure)
  return new RpcError(code, message, data, { kind: 'call', failure, transaction })
}

function callErrorParts(failure: CallFailure): readonly [code: number, message: string, data?: string] {
  switch (failure.kind) {
    case 'reverted':
      return [RPC_CODES.reverted, revertMessage(decodeRevertReason(failure.output)), bytesToHex(failure.output)]
    case 'halted':
      return [RPC_CODES.server, failure.reason]
    case 'allowance':
      return [RPC_CODES.server, `gas required exceeds allowance (${failure.gas})`]
    case 'overrides':
      return [RPC_CODES.server, stateOverrideErrorMessage(failure.error)]
    case 'invalid':
      return isRequestError(failure.error)
        ? [RPC_CODES.server, callRequestErrorMessage(failure.error)]
        : [RPC_CODES.server, `err: ${invalidTransactionMessage(failure.error)} (supplied gas ${failure.gasLimit})`]
  }
}

/** @example revertMessage('nope') // 'execution reverted: nope' */
export function revertMessage(reason: string | undefined): string {
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}

/** A wrong chain id is found by both checks; this message fits both. */
function isRequestError(error: InvalidTransaction | CallRequestError): error is CallRequestError {
  return error.code === 'BOTH_FEE_STYLES' || error.code === 'WRONG_CHAIN_ID'
}
