import { isUtf8 } from 'node:buffer'
import type { InvalidTransaction, SubmitRefusal, TransactionRefusal } from '../../chain/transaction/refusal.ts'
import { decodeSolidityRevert } from '../../engine/call/revert-reason.ts'
import type { HaltReason } from '../../engine/halt-reason.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import type { CallFailure, SendRefusal } from '../protocol/error-reason.ts'
import { RPC_CODES, type RpcError } from '../protocol/errors.ts'
import type { ErrorParts, FailedRequest } from './node-conventions.ts'

/** Anvil's code for a transaction that is not accepted. */
const TRANSACTION_REJECTED = -32003
const { methodNotFound, invalidParams, internal, server, reverted } = RPC_CODES

const PANIC_TEXTS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic/unspecified error'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'failed to convert value into enum type'],
  [0x22n, 'storage byte array incorrectly encoded'],
  [0x31n, 'called `.pop()` on an empty array'],
  [0x32n, 'array out-of-bounds access'],
  [0x41n, 'memory allocation error'],
  [0x51n, 'called an invalid internal function'],
])

/** Anvil's code and message for an error. */
export function anvilError(error: RpcError, request: FailedRequest): ErrorParts {
  const { code, message, data, reason } = error
  switch (reason?.kind) {
    case 'unknownMethod':
      return { code: methodNotFound, message: 'Method not found' }
    case 'unknownBlock':
      return typeof reason.requested !== 'number'
        ? { code: RPC_CODES.notFound, message: 'Resource not found' }
        : {
            code: invalidParams,
            message: `BlockOutOfRangeError: block height is ${reason.latest} but requested was ${reason.requested}`,
          }
    case 'call':
      return callParts(reason.failure) ?? { code, message, data }
    case 'submit':
      return submitParts(reason.refusal, request) ?? { code: TRANSACTION_REJECTED, message }
    case 'send':
      return sendParts(reason.refusal) ?? { code, message }
    default:
      return { code, message, data }
  }
}

function sendParts({ code }: SendRefusal): ErrorParts | undefined {
  return code === 'UNKNOWN_ACCOUNT' ? { code: invalidParams, message: 'No Signer available' } : undefined
}

function callParts(failure: CallFailure): ErrorParts | undefined {
  switch (failure.kind) {
    case 'reverted':
      return { code: reverted, message: revertText(failure.output), data: bytesToHex(failure.output) }
    case 'halted':
      return { code: internal, message: `EVM error ${haltName(failure.reason)}` }
    case 'allowance':
      return {
        code: TRANSACTION_REJECTED,
        message: `Out of gas: gas required exceeds allowance: ${failure.gas}`,
      }
    case 'overrides':
      return undefined
    case 'invalid':
      return failure.error.code === 'BOTH_FEE_STYLES' ? undefined : invalidParts(failure.error)
  }
}

/** Anvil's text for revert data, such as `execution reverted: panic: assertion failed (0x01)`. */
function revertText(output: Bytes): string {
  if (output.length === 0) return 'execution reverted'
  return `execution reverted: ${revertReason(output)}`
}

function revertReason(output: Bytes): string {
  const decoded = decodeSolidityRevert(output)
  if (decoded?.kind === 'error') return decoded.reason
  if (decoded?.kind === 'panic') {
    const code = decoded.code.toString(16).padStart(2, '0')
    const text = PANIC_TEXTS.get(decoded.code)
    return text === undefined ? `panic: unknown code (0x${code})` : `panic: ${text} (0x${code})`
  }
  // Anvil prints any valid UTF-8 as text, even the bytes of a custom error.
  if (isUtf8(output)) return Buffer.from(output).toString('utf8')
  if (output.length < 4) return `custom error bytes ${bytesToHex(output)}`
  const hex = bytesToHex(output).slice(2)
  const rest = hex.slice(8)
  return `custom error 0x${hex.slice(0, 8)}${rest === '' ? '' : `: ${rest}`}`
}

/** revm's name of a halt. */
function haltName(reason: HaltReason): string {
  if (reason === 'out of gas' || reason === 'contract creation code storage out of gas') return 'OutOfGas'
  if (reason === 'invalid jump destination') return 'InvalidJump'
  if (reason === 'stack underflow') return 'StackUnderflow'
  if (reason === 'stack limit reached') return 'StackOverflow'
  if (reason === 'invalid opcode: INVALID' || reason === 'invalid opcode: 0xfe') return 'InvalidFEOpcode'
  if (reason.startsWith('invalid opcode')) return 'OpcodeNotFound'
  if (reason === 'overflow payment') return 'OverflowPayment'
  if (reason === 'contract address collision') return 'CreateCollision'
  if (reason === 'invalid code: must not begin with 0xef') return 'CreateContractStartingWithEF'
  if (reason === 'max code size exceeded') return 'CreateContractSizeLimit'
  if (reason === 'return data out of bounds') return 'OutOfOffset'
  if (reason === 'write protection') return 'StateChangeDuringStaticCall'
  return reason
}

function invalidParts(error: InvalidTransaction): ErrorParts | undefined {
  const message = CALL_TEXTS[error.code]
  return message === undefined ? refusalParts(error) : { code: codeOf(error.code), message }
}

function submitParts(refusal: SubmitRefusal, { method }: FailedRequest): ErrorParts | undefined {
  if (refusal.code === 'WRONG_CHAIN_ID' && method.startsWith('eth_sendRaw')) {
    return { code: TRANSACTION_REJECTED, message: 'invalid chain id for signer' }
  }
  // Anvil cannot decode later types. Blob transactions (3) keep their own error: only this layer 2 refuses them.
  if (refusal.code === 'TYPE_NOT_SUPPORTED' && refusal.type > NEWEST_TYPE) {
    return { code: invalidParams, message: DECODING_FAILED }
  }
  return refusalParts(refusal)
}

function refusalParts(refusal: TransactionRefusal): ErrorParts | undefined {
  if (refusal.code === 'WRONG_CHAIN_ID') {
    const message = `transaction-provided chain ID (${refusal.actual}) does not match the signer's chain ID (${refusal.expected})`
    return { code: invalidParams, message }
  }
  const message = TEXTS[refusal.code]
  return message === undefined ? undefined : { code: codeOf(refusal.code), message }
}

/** Gas limits out of bounds have go-ethereum's code, undecodable transactions that of parameters. */
function codeOf(code: string): number {
  if (GAS_BOUNDS.has(code)) return server
  return code === 'UNDECODABLE' || code === 'INVALID_SIGNATURE' ? invalidParams : TRANSACTION_REJECTED
}

const GAS_BOUNDS = new Set([
  'INTRINSIC_GAS_TOO_LOW',
  'FLOOR_DATA_GAS_TOO_LOW',
  'EXCEEDS_BLOCK_GAS_LIMIT',
  'BLOCK_GAS_EXCEEDED',
  'GAS_ABOVE_CAP',
])

/** Texts of calls where they differ from those of transactions. */
const CALL_TEXTS: Readonly<Partial<Record<InvalidTransaction['code'], string>>> = {
  INTRINSIC_GAS_TOO_LOW: 'intrinsic gas too high -- CallGasCostMoreThanGasLimit',
  FLOOR_DATA_GAS_TOO_LOW: 'intrinsic gas too high -- GasFloorMoreThanGasLimit',
}

/** Type of transactions with an authorization list (EIP-7702). */
const NEWEST_TYPE = 4

const DECODING_FAILED = 'Failed to decode transaction'

const TEXTS: Readonly<Partial<Record<TransactionRefusal['code'], string>>> = {
  ALREADY_KNOWN: 'transaction already imported',
  REPLACEMENT_UNDERPRICED: 'replacement transaction underpriced',
  NONCE_TOO_LOW: 'nonce too low',
  NONCE_TOO_HIGH: 'Nonce too high',
  NONCE_MAX: 'nonce has max value',
  INSUFFICIENT_FUNDS: 'Insufficient funds for gas * price + value',
  INITCODE_TOO_LARGE: 'max initcode size exceeded',
  INTRINSIC_GAS_TOO_LOW: 'intrinsic gas too low',
  FLOOR_DATA_GAS_TOO_LOW: 'intrinsic gas too low',
  EXCEEDS_BLOCK_GAS_LIMIT: 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
  BLOCK_GAS_EXCEEDED: 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
  GAS_ABOVE_CAP: 'intrinsic gas too high -- tx.gas_limit > env.cfg.tx_gas_limit_cap',
  TIP_ABOVE_FEE_CAP: 'max priority fee per gas higher than max fee per gas',
  FEE_CAP_TOO_LOW: 'max fee per gas less than block base fee',
  FEE_CAP_BELOW_FLOOR: 'max fee per gas less than block base fee',
  SENDER_NOT_EOA: 'sender not an eoa',
  UNDECODABLE: DECODING_FAILED,
  INVALID_SIGNATURE: DECODING_FAILED,
}
