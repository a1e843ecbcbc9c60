import type { Address, Hash } from '../../primitives/hex.ts'

// Why a transaction is refused, from its arrival to its execution. `address` is its sender, amounts are wei, sizes
// bytes. The messages are in `refusal-text.ts`.

/** Found by the pool or by execution. */
interface CommonRefusals {
  NONCE_TOO_LOW: { readonly address: Address; readonly expected: bigint; readonly actual: bigint }
  NONCE_MAX: { readonly address: Address; readonly actual: bigint }
  /** `queuedCost`: of the sender's other pending transactions; 0 when it is executed. */
  INSUFFICIENT_FUNDS: {
    readonly address: Address
    readonly balance: bigint
    readonly cost: bigint
    readonly queuedCost: bigint
  }
  TIP_ABOVE_FEE_CAP: {
    readonly address: Address
    readonly maxPriorityFeePerGas: bigint
    readonly maxFeePerGas: bigint
  }
  INTRINSIC_GAS_TOO_LOW: { readonly gasLimit: bigint; readonly needed: bigint }
  FLOOR_DATA_GAS_TOO_LOW: { readonly gasLimit: bigint; readonly needed: bigint }
  INITCODE_TOO_LARGE: { readonly size: number; readonly limit: number }
  /** `codeHash` is known to execution only. */
  SENDER_NOT_EOA: { readonly address: Address; readonly codeHash?: Hash }
  TYPE_NOT_SUPPORTED: { readonly type: number }
  GAS_ABOVE_CAP: { readonly gasLimit: bigint; readonly cap: bigint }
  EMPTY_AUTHORIZATION_LIST: object
  /** `type` of a signed transaction. */
  WRONG_CHAIN_ID: { readonly expected: bigint; readonly actual: bigint; readonly type?: number }
  /** The blobs; in the pool also their sidecar or its proofs. */
  INVALID_BLOBS: { readonly reason: string }
}

interface PoolRefusals extends CommonRefusals {
  ALREADY_KNOWN: object
  REPLACEMENT_UNDERPRICED: {
    readonly replaced: Hash
    readonly nonce: bigint
    readonly requiredMaxFeePerGas: bigint
    readonly requiredMaxPriorityFeePerGas: bigint
  }
  /** The pool is full, and its tip is not above the lowest one. */
  UNDERPRICED: object
  /** It had to be executable, but is behind a nonce gap (EIP-7966). */
  NONCE_GAP: { readonly address: Address; readonly expected: bigint; readonly actual: bigint }
  /** It had to be executable, but `blocking`, itself or an earlier one, pays less than the base fee (EIP-7966). */
  BASE_FEE_BLOCKED: {
    readonly hash: Hash
    readonly blocking: Hash
    readonly maxFeePerGas: bigint
    readonly baseFee: bigint
  }
  /** As BASE_FEE_BLOCKED, where `blocking` pays less for blob gas than the blob base fee. */
  BLOB_FEE_BLOCKED: {
    readonly hash: Hash
    readonly blocking: Hash
    readonly maxFeePerBlobGas: bigint
    readonly blobBaseFee: bigint
  }
  TIP_BELOW_MINIMUM: { readonly tip: bigint; readonly minimum: bigint }
  ACCOUNT_LIMIT: { readonly pooled: number }
  DELEGATED_IN_FLIGHT_LIMIT: object
  /** The first pooled transaction of a delegated account is behind a nonce gap. */
  DELEGATED_NONCE_GAP: object
  /** A pooled transaction and a pooled authorization of its sender would use the same nonce (EIP-7702). */
  AUTHORITY_RESERVED: { readonly authority: Address; readonly nonce: bigint }
  OVERSIZED_DATA: { readonly size: number; readonly limit: number }
  NOT_REPLAY_PROTECTED: object
  EXCEEDS_BLOCK_GAS_LIMIT: { readonly gasLimit: bigint; readonly blockGasLimit: bigint }
  /** No block can include it: the base fee never falls below `floor`. `field`: the member that has the fee cap. */
  FEE_CAP_BELOW_FLOOR: {
    readonly maxFeePerGas: bigint
    readonly floor: bigint
    readonly field: 'gasPrice' | 'maxFeePerGas'
  }
  FEE_ABOVE_CAP: { readonly fee: bigint; readonly cap: bigint }
}

interface SubmitRefusals extends PoolRefusals {
  UNDECODABLE: { readonly reason: string }
  INVALID_SIGNATURE: { readonly reason: string }
  /** Too many blob transactions wait for proof verification; this one was not checked. */
  TOO_MANY_BLOBS: { readonly limit: number }
}

interface ExecutionRefusals extends CommonRefusals {
  NONCE_TOO_HIGH: { readonly address: Address; readonly expected: bigint; readonly actual: bigint }
  FEE_CAP_TOO_LOW: { readonly address: Address; readonly maxFeePerGas: bigint; readonly baseFee: bigint }
  BLOCK_GAS_EXCEEDED: { readonly gasLimit: bigint; readonly remaining: bigint }
  SET_CODE_CREATES: object
  BLOB_FEE_CAP_TOO_LOW: { readonly maxFeePerBlobGas: bigint; readonly blobBaseFee: bigint }
}

type RefusalOf<Members> = { [Code in keyof Members]: { readonly code: Code } & Members[Code] }[keyof Members]

/** Why the pool rejected a transaction; the pool is unchanged. */
export type PoolRefusal = RefusalOf<PoolRefusals>

/** Why a submitted transaction was rejected. */
export type SubmitRefusal = RefusalOf<SubmitRefusals>

/** Why a message is invalid on the state of a block; the state is unchanged. */
export type InvalidTransaction = RefusalOf<ExecutionRefusals>

export type TransactionRefusal = SubmitRefusal | InvalidTransaction
