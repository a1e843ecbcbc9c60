import type { SubmitRefusal, TransactionRefusal } from '../../chain/transaction/refusal.ts'
import { decodeSolidityRevert } from '../../engine/call/revert-reason.ts'
import type { HaltReason } from '../../engine/halt-reason.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import type { CallFailure, EntryFailure, SendRefusal } from '../protocol/error-reason.ts'
import { RPC_CODES, type RpcError } from '../protocol/errors.ts'
import { isJsonObject, type Json, type JsonRecord } from '../protocol/json.ts'
import type { ErrorParts, FailedRequest } from './node-conventions.ts'

/** Hardhat's code of an unsupported method (EIP-1474). */
const METHOD_NOT_SUPPORTED = -32004
const { invalidParams, internal, reverted, server } = RPC_CODES

const PANIC_TEXTS: ReadonlyMap<bigint, string> = new Map([
  [0x1n, 'Assertion error'],
  [0x11n, 'Arithmetic operation overflowed outside of an unchecked block'],
  [0x12n, 'Division or modulo division by zero'],
  [0x21n, 'Tried to convert a value into an enum, but the value was too big or negative'],
  [0x22n, 'Incorrectly encoded storage byte array'],
  [0x31n, '.pop() was called on an empty array'],
  [0x32n, 'Array accessed at an out-of-bounds or negative index'],
  [0x41n, 'Too much memory was allocated, or an array was created that is too large'],
  [0x51n, 'Called a zero-initialized variable of internal function type'],
])

const REVERTED_WITHOUT_REASON = 'Transaction reverted without a reason string'

/** Halts that Hardhat reports as running out of gas. */
const OUT_OF_GAS: ReadonlySet<HaltReason> = new Set([
  'out of gas',
  'gas uint64 overflow',
  'contract creation code storage out of gas',
])

/**
 * Hardhat 3's code, message and data for an error. A failed execution has the code of go-ethereum's reverts, with the
 * revert data as `data`; other errors have the message again and nothing of the request.
 */
export function hardhat3Error(error: RpcError, request: FailedRequest): ErrorParts {
  const { code, message, data } = hardhatError(error, request)
  const details: JsonRecord = isJsonObject(data) ? data : {}
  if (code === internal && error.reason?.kind === 'call') {
    return { code: reverted, message: message.replace(/^Error: /, ''), data: details.data ?? '0x' }
  }
  const { txHash } = details
  const isOutOfGas = error.reason?.kind === 'call' && details.data === '0x'
  const hasHash = typeof txHash === 'string'
  return { code, message, data: { message, ...(hasHash && { txHash }), ...(isOutOfGas && { data: '0x' }) } }
}

/** Hardhat 2's code, message and data for an error: `data` has the message again. */
export function hardhatError(error: RpcError, request: FailedRequest): ErrorParts {
  const { code, message, data, reason } = error
  switch (reason?.kind) {
    case 'unknownMethod':
      return withData(METHOD_NOT_SUPPORTED, `Method ${request.method.slice(0, 100)} is not supported`, json(request))
    case 'invalidParams':
      // Out of range, which Hardhat finds after decoding.
      return request.method === 'eth_feeHistory' ? withData(server, message) : withData(code, message, json(request))
    case 'unknownBlock':
      return withData(server, blockText(reason.requested, reason.latest))
    case 'call':
      return callParts(reason.failure, reason.transaction) ?? withData(code, message, data)
    case 'submit':
      return withData(...(submitParts(reason.refusal) ?? [server, message]))
    case 'send':
      return withData(server, sendText(reason.refusal))
    default:
      return withData(code, message, data)
  }
}

type Parts = readonly [code: number, message: string]

function withData(code: number, message: string, data: Json = null): ErrorParts {
  return { code, message, data: { message, data } }
}

function json({ method, params }: FailedRequest): Json {
  return { method, params: params as Json }
}

function blockText(requested: number | Hash, latest: number): string {
  return `Received invalid block tag ${requested}. Latest block number is ${latest}`
}

function sendText(refusal: SendRefusal): string {
  if (refusal.code === 'EMPTY_CREATION') return 'Contract creation without any data provided'
  const { address } = refusal
  return address === undefined ? 'There is no account to send from' : `Unknown account ${checksumAddress(address)}`
}

/** @param transaction hash of a mined transaction; absent for calls */
function callParts(failure: CallFailure, transaction: Hash | undefined): ErrorParts | undefined {
  const failed = (code: number, message: string, output: Bytes | undefined): ErrorParts => {
    const data = output === undefined ? '0x' : bytesToHex(output)
    const txHash = transaction === undefined ? {} : { txHash: transaction }
    return { code, message, data: { message, ...txHash, data } }
  }
  const outOfGas = (): ErrorParts => {
    const message = 'Transaction ran out of gas'
    return { code: server, message, data: { message, txHash: transaction ?? null, data: '0x' } }
  }
  switch (failure.kind) {
    case 'reverted':
      return failed(internal, `Error: ${revertText(failure)}`, failure.output)
    case 'halted':
      return OUT_OF_GAS.has(failure.reason) ? outOfGas() : failed(internal, `Error: ${haltText(failure)}`, undefined)
    case 'allowance':
      return outOfGas()
    case 'overrides':
      return undefined
    case 'invalid':
      if (failure.error.code === 'BOTH_FEE_STYLES') {
        return withData(server, 'Cannot send both gasPrice and maxFeePerGas params')
      }
      if (failure.error.code === 'WRONG_CHAIN_ID') {
        const { actual, expected } = failure.error
        return withData(invalidParams, `Invalid chainId ${actual} provided, expected ${expected} instead.`)
      }
      return withData(server, refusalText(failure.error) ?? failure.error.code.toLowerCase().replaceAll('_', ' '))
  }
}

function haltText({ reason }: Extract<CallFailure, { kind: 'halted' }>): string {
  if (reason.startsWith('invalid opcode')) return 'VM Exception while processing transaction: invalid opcode'
  if (reason === 'max code size exceeded') {
    return 'Transaction reverted: trying to deploy a contract whose code is too large'
  }
  return REVERTED_WITHOUT_REASON
}

function revertText({ output, entry }: Extract<CallFailure, { kind: 'reverted' }>): string {
  if (output.length === 0) return entry === undefined ? REVERTED_WITHOUT_REASON : entryText(entry)
  const prefix = 'VM Exception while processing transaction: reverted with'
  const decoded = decodeSolidityRevert(output)
  if (decoded?.kind === 'error') return `${prefix} reason string '${decoded.reason}'`
  if (decoded?.kind === 'panic') {
    const code = `0x${decoded.code.toString(16)}`
    const text = PANIC_TEXTS.get(decoded.code)
    return text === undefined ? `${prefix} unknown panic code ${code}` : `${prefix} panic code ${code} (${text})`
  }
  return `${prefix} an unrecognized custom error (return data: ${bytesToHex(output)})`
}

/** Texts that Hardhat has for contracts of the project that it runs in. */
function entryText(entry: EntryFailure): string {
  switch (entry.code) {
    case 'UNKNOWN_FUNCTION':
      return "Transaction reverted: function selector was not recognized and there's no fallback function"
    case 'NO_RECEIVE':
      return "Transaction reverted: function selector was not recognized and there's no fallback nor receive function"
    case 'FUNCTION_NOT_PAYABLE':
      return `Transaction reverted: non-payable function was called with value ${entry.value}`
    case 'FALLBACK_NOT_PAYABLE': {
      const missing = entry.wantsReceive ? "there's no receive function, " : ''
      return `Transaction reverted: ${missing}fallback function is not payable and was called with value ${entry.value}`
    }
  }
}

function submitParts(refusal: SubmitRefusal): Parts | undefined {
  switch (refusal.code) {
    case 'WRONG_CHAIN_ID':
      return [invalidParams, chainText(refusal)]
    case 'INITCODE_TOO_LARGE':
      return [invalidParams, initcodeText(refusal)]
    case 'INVALID_SIGNATURE':
      return [invalidParams, 'Invalid Signature']
    case 'UNDECODABLE':
      return [invalidParams, 'Invalid transaction']
    case 'TYPE_NOT_SUPPORTED':
      return [invalidParams, `Invalid transaction type ${refusal.type}.`]
    default: {
      const text = refusalText(refusal)
      return text === undefined ? undefined : [server, text]
    }
  }
}

function chainText({ type = 0, expected }: Extract<SubmitRefusal, { code: 'WRONG_CHAIN_ID' }>): string {
  return type === 0
    ? 'Trying to send an incompatible EIP-155 transaction, signed for another chain.'
    : `Trying to send a raw transaction with an invalid chainId. The expected chainId is ${expected}`
}

function initcodeText({ size, limit }: Extract<SubmitRefusal, { code: 'INITCODE_TOO_LARGE' }>): string {
  return `
Trying to send a deployment transaction whose init code length is ${size}. The max length allowed by EIP-3860 is ${limit}.

Enable the 'allowUnlimitedContractSize' option to allow init codes of any length.`
}

/** Hardhat's text for a refused submission or an invalid call; undefined if it has none of its own. */
function refusalText(refusal: TransactionRefusal): string | undefined {
  switch (refusal.code) {
    case 'ALREADY_KNOWN':
      return 'Known transaction'
    case 'NONCE_TOO_LOW':
    case 'NONCE_TOO_HIGH': {
      const which = refusal.code === 'NONCE_TOO_LOW' ? 'low' : 'high'
      return `Nonce too ${which}. Expected nonce to be ${refusal.expected} but got ${refusal.actual}. Note that transactions can't be queued when automining.`
    }
    case 'INSUFFICIENT_FUNDS':
      return `Sender doesn't have enough funds to send tx. The max upfront cost is: ${refusal.cost + refusal.queuedCost} and the sender's balance is: ${refusal.balance}.`
    case 'EMPTY_AUTHORIZATION_LIST':
      return 'Invalid EIP-7702 transaction: authorization list is empty.'
    case 'REPLACEMENT_UNDERPRICED':
      return `Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least ${refusal.requiredMaxFeePerGas} is necessary to replace the existing transaction with nonce ${refusal.nonce}.`
    case 'FEE_CAP_TOO_LOW':
      return feeText('maxFeePerGas', refusal.maxFeePerGas, refusal.baseFee)
    case 'FEE_CAP_BELOW_FLOOR':
      return feeText(refusal.field, refusal.maxFeePerGas, refusal.floor)
    case 'TIP_ABOVE_FEE_CAP':
      return `maxPriorityFeePerGas (${refusal.maxPriorityFeePerGas}) is bigger than maxFeePerGas (${refusal.maxFeePerGas})`
    case 'INTRINSIC_GAS_TOO_LOW':
      return `Transaction requires at least ${refusal.needed} gas but got ${refusal.gasLimit}`
    case 'FLOOR_DATA_GAS_TOO_LOW':
      return `Transaction requires gas floor of ${refusal.needed} but got limit of ${refusal.gasLimit}`
    case 'GAS_ABOVE_CAP':
      return `Transaction gas limit is ${refusal.gasLimit} and exceeds transaction gas cap of ${refusal.cap}`
    case 'EXCEEDS_BLOCK_GAS_LIMIT':
      return blockGasText(refusal.gasLimit, refusal.blockGasLimit)
    case 'BLOCK_GAS_EXCEEDED':
      return blockGasText(refusal.gasLimit, refusal.remaining)
    default:
      return undefined
  }
}

function feeText(field: string, fee: bigint, baseFee: bigint): string {
  return `Transaction ${field} (${fee}) is too low for the next block, which has a baseFeePerGas of ${baseFee}`
}

function blockGasText(gasLimit: bigint, blockGasLimit: bigint): string {
  return `Transaction gas limit is ${gasLimit} and exceeds block gas limit of ${blockGasLimit}`
}
