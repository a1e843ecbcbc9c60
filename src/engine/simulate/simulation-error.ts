import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { type RequestsFault, requestsFaultMessage } from '../block/requests.ts'
import { type CallRequestError, callRequestErrorMessage } from '../call/call-message.ts'
import type { StateOverrideError } from '../call/state-overrides.ts'

/** Why a simulation fails as a whole; a call that reverts or halts is a result. */
export type SimulationError =
  | { readonly code: 'EMPTY_INPUT' }
  | { readonly code: 'TOO_MANY_BLOCKS'; readonly limit: number }
  | { readonly code: 'TOO_MANY_CALLS'; readonly limit: number; readonly within: 'block' | 'request' }
  | { readonly code: 'BLOCK_NUMBER_ORDER'; readonly number: number; readonly previous: number }
  | { readonly code: 'BLOCK_TIME_ORDER'; readonly time: bigint; readonly previous: bigint }
  | { readonly code: 'BLOCK_GAS_EXCEEDED'; readonly remaining: bigint; readonly required: bigint }
  | { readonly code: 'INVALID_OVERRIDE'; readonly error: StateOverrideError }
  | { readonly code: 'INVALID_REQUEST'; readonly error: CallRequestError }
  | { readonly code: 'INVALID_TRANSACTION'; readonly error: InvalidTransaction; readonly gasLimit: bigint }
  /** Layer 1: the block would be invalid. */
  | { readonly code: 'INVALID_BLOCK'; readonly fault: RequestsFault }
  | { readonly code: 'TIMEOUT' }

/**
 * The message for the client, in go-ethereum's words.
 *
 * @example simulationErrorMessage({ code: 'EMPTY_INPUT' }) // 'empty input'
 */
export function simulationErrorMessage(error: SimulationError): string {
  switch (error.code) {
    case 'EMPTY_INPUT':
      return 'empty input'
    case 'TOO_MANY_BLOCKS':
      return 'too many blocks'
    case 'TOO_MANY_CALLS':
      return error.within === 'block' ? 'too many calls in block' : 'too many calls'
    case 'BLOCK_NUMBER_ORDER':
      return `block numbers must be in order: ${error.number} <= ${error.previous}`
    case 'BLOCK_TIME_ORDER':
      return `block timestamps must be in order: ${error.time} <= ${error.previous}`
    case 'BLOCK_GAS_EXCEEDED':
      return `block gas limit reached: remaining: ${error.remaining}, required: ${error.required}`
    case 'INVALID_OVERRIDE':
      return stateOverrideErrorMessage(error.error)
    case 'INVALID_REQUEST':
      return callRequestErrorMessage(error.error)
    case 'INVALID_TRANSACTION':
      return `err: ${invalidTransactionMessage(error.error)} (supplied gas ${error.gasLimit})`
    case 'INVALID_BLOCK':
      return requestsFaultMessage(error.fault)
    case 'TIMEOUT':
      return 'execution aborted (timeout)'
  }
}

/** go-ethereum's words for invalid overrides, of simulations and of calls. */
export function stateOverrideErrorMessage(error: StateOverrideError): string {
  const address = checksumAddress(error.address)
  switch (error.code) {
    case 'STATE_AND_STATE_DIFF':
      return `account ${address} has both 'state' and 'stateDiff'`
    case 'NOT_A_PRECOMPILE':
      return `account ${address} is not a precompile`
    case 'MOVE_TARGET_OVERRIDDEN':
      return `account ${address} is already overridden`
  }
}
