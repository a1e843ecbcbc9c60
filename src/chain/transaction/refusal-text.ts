import { checksumAddress } from '../../primitives/checksum-address.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { InvalidTransaction, SubmitRefusal, TransactionRefusal } from './refusal.ts'

/** The messages of a refusal, in the words of go-ethereum. */
interface RefusalText {
  /** The error alone, by which clients recognise it. */
  readonly message: string
  /** With the details that the pool adds (core/txpool). */
  readonly pool: string
  /** With the details that execution adds (core/state_transition.go). */
  execution(): string
}

/** The message of a refused submission; `message` has no details. */
export function submitText(refusal: SubmitRefusal): Pick<RefusalText, 'message' | 'pool'> {
  return textOf(refusal)
}

/**
 * Why a message is invalid.
 *
 * @example invalidTransactionMessage({ code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 0n, needed: 21_000n })
 */
export function invalidTransactionMessage(error: InvalidTransaction): string {
  return textOf(error).execution()
}

function textOf<Code extends TransactionRefusal['code']>(
  refusal: Extract<TransactionRefusal, { code: Code }>,
): RefusalText {
  return TEXTS[refusal.code as Code](refusal)
}

const TEXTS: {
  readonly [Code in TransactionRefusal['code']]: (refusal: Extract<TransactionRefusal, { code: Code }>) => RefusalText
} = {
  ALREADY_KNOWN: () => text('already known'),
  NONCE_TOO_LOW: ({ address, expected, actual }) =>
    text('nonce too low', `next nonce ${expected}, tx nonce ${actual}`, () => nonces(address, actual, expected)),
  NONCE_TOO_HIGH: ({ address, expected, actual }) =>
    text('nonce too high', undefined, () => nonces(address, actual, expected)),
  NONCE_MAX: ({ address, actual }) =>
    text('nonce has max value', undefined, () => `${sender(address)}, nonce: ${actual}`),
  INSUFFICIENT_FUNDS: ({ address, balance, cost, queuedCost }) => {
    const queued = queuedCost === 0n ? '' : `queued cost ${queuedCost}, `
    return text(
      'insufficient funds for gas * price + value',
      `balance ${balance}, ${queued}tx cost ${cost}, overshot ${cost + queuedCost - balance}`,
      () => `${sender(address)} have ${balance} want ${cost}`,
    )
  },
  REPLACEMENT_UNDERPRICED: () => text('replacement transaction underpriced'),
  UNDERPRICED: () => text('transaction underpriced', 'the pool is full of transactions that pay more'),
  NONCE_GAP: ({ expected, actual }) =>
    text(
      'the transaction was rejected due to a nonce gap',
      `expected nonce ${expected}, tx nonce ${actual}; send the transactions before it first`,
    ),
  BASE_FEE_BLOCKED: ({ maxFeePerGas, baseFee, ...place }) =>
    text(FEE_CAP_TOO_LOW, `maxFeePerGas ${maxFeePerGas}, baseFee ${baseFee}${blockingText(place)}`),
  BLOB_FEE_BLOCKED: ({ maxFeePerBlobGas, blobBaseFee, ...place }) => {
    const fees = `maxFeePerBlobGas ${maxFeePerBlobGas}, blobBaseFee ${blobBaseFee}`
    return text(BLOB_FEE_CAP_TOO_LOW, `${fees}${blockingText(place)}`)
  },
  TIP_BELOW_MINIMUM: ({ tip, minimum }) =>
    text('transaction gas price below minimum', `gas tip cap ${tip}, minimum needed ${minimum}`),
  ACCOUNT_LIMIT: ({ pooled }) => text('account limit exceeded', `pooled ${pooled} txs`),
  DELEGATED_IN_FLIGHT_LIMIT: () => text('in-flight transaction limit reached for delegated accounts'),
  DELEGATED_NONCE_GAP: () => text('gapped-nonce tx from delegated accounts'),
  AUTHORITY_RESERVED: ({ authority, nonce }) =>
    text('authority already reserved', `${sender(authority)}, nonce ${nonce}`),
  OVERSIZED_DATA: ({ size, limit }) => text('oversized data', `transaction size ${size}, limit ${limit}`),
  TYPE_NOT_SUPPORTED: () => text('transaction type not supported'),
  WRONG_CHAIN_ID: ({ expected, actual }) => {
    const message = `invalid chain id for signer: have ${actual} want ${expected}`
    return { message, pool: `invalid sender: ${message}`, execution: () => message }
  },
  NOT_REPLAY_PROTECTED: () => text('only replay-protected (EIP-155) transactions allowed over RPC'),
  EXCEEDS_BLOCK_GAS_LIMIT: () => text('exceeds block gas limit'),
  BLOCK_GAS_EXCEEDED: () => text('gas limit reached'),
  GAS_ABOVE_CAP: ({ cap, gasLimit }) => text(`transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`),
  INTRINSIC_GAS_TOO_LOW: (refusal) => text('intrinsic gas too low', ...gasNeeded(refusal)),
  FLOOR_DATA_GAS_TOO_LOW: (refusal) => text('insufficient gas for floor data gas cost', ...gasNeeded(refusal)),
  INITCODE_TOO_LARGE: ({ size, limit }) =>
    text('max initcode size exceeded', `code size ${size}, limit ${limit}`, () => `code size ${size} limit ${limit}`),
  TIP_ABOVE_FEE_CAP: ({ address, maxPriorityFeePerGas, maxFeePerGas }) => {
    const fees = `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`
    return text('max priority fee per gas higher than max fee per gas', fees, () => `${sender(address)}, ${fees}`)
  },
  FEE_CAP_TOO_LOW: ({ address, maxFeePerGas, baseFee }) =>
    text(FEE_CAP_TOO_LOW, undefined, () => `${sender(address)}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`),
  FEE_CAP_BELOW_FLOOR: ({ maxFeePerGas, floor }) =>
    text(FEE_CAP_TOO_LOW, `maxFeePerGas ${maxFeePerGas}, the base fee is never below ${floor}`),
  SENDER_NOT_EOA: ({ address, codeHash }) =>
    text('sender not an eoa', `address ${address}`, () => `${sender(address)}, codehash: ${codeHash}`),
  EMPTY_AUTHORIZATION_LIST: () => text('EIP-7702 transaction with empty auth list'),
  SET_CODE_CREATES: () => text('EIP-7702 transaction cannot be used to create contract'),
  BLOB_FEE_CAP_TOO_LOW: ({ maxFeePerBlobGas, blobBaseFee }) =>
    text(BLOB_FEE_CAP_TOO_LOW, undefined, () => `maxFeePerBlobGas: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`),
  INVALID_BLOBS: ({ reason }) => text(reason),
  FEE_ABOVE_CAP: ({ fee, cap }) =>
    text(`tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(cap)} ether)`),
  UNDECODABLE: ({ reason }) => text('failed to decode signed transaction', reason),
  INVALID_SIGNATURE: ({ reason }) => text(reason),
  TOO_MANY_BLOBS: ({ limit }) =>
    text('too many blobs wait for their proofs to be checked', `${limit} at once, send it again later`),
}

const FEE_CAP_TOO_LOW = 'max fee per gas less than block base fee'
const BLOB_FEE_CAP_TOO_LOW = 'max fee per blob gas less than block blob gas fee'

/** Which transaction of the sender has the fee cap that is too low, unless it is the refused one. */
function blockingText({ hash, blocking }: { readonly hash: Hash; readonly blocking: Hash }): string {
  return hash === blocking ? '' : `, of the earlier transaction ${blocking} of the sender`
}

function text(message: string, poolDetails?: string, executionDetails?: () => string): RefusalText {
  const withDetails = (details?: string) => (details === undefined ? message : `${message}: ${details}`)
  return { message, pool: withDetails(poolDetails), execution: () => withDetails(executionDetails?.()) }
}

function sender(address: Address): string {
  return `address ${checksumAddress(address)}`
}

function nonces(address: Address, actual: bigint, expected: bigint): string {
  return `${sender(address)}, tx: ${actual} state: ${expected}`
}

function gasNeeded({
  gasLimit,
  needed,
}: {
  readonly gasLimit: bigint
  readonly needed: bigint
}): [string, () => string] {
  return [`gas ${gasLimit}, minimum needed ${needed}`, () => `have ${gasLimit}, want ${needed}`]
}

/** Two decimals, rounded to nearest, as in go-ethereum. */
function ether(wei: bigint): string {
  const hundredths = (wei + 5n * 10n ** 15n) / 10n ** 16n
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, '0')}`
}
