import type { Hash, Hex } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'
import { type JsonRpc, JsonRpcError } from './json-rpc.ts'
import { type WireObject, wireObject } from './wire.ts'

export interface InclusionOptions {
  /** Milliseconds to wait for a receipt after sending. */
  readonly inclusionTimeoutMs: number
}

export interface InclusionParts {
  /** Milliseconds. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
}

interface SignedBytes {
  readonly raw: Hex
  readonly hash: Hash
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 2_000
/** EIP-7966: the transaction is in the pool, but was not executed in time or is behind a nonce gap. */
const ACCEPTED_CODES = [4, 5]

/**
 * Sends a signed transaction and waits for its receipt: in one request if the node supports it (EIP-7966), otherwise by
 * polling with growing intervals.
 *
 * @throws JsonRpcError when the node rejects it; StockError `OUTCOME_UNKNOWN` when no receipt arrived in time
 */
export async function sendAndAwait(
  rpc: JsonRpc,
  { raw, hash }: SignedBytes,
  { inclusionTimeoutMs, now, sleep }: InclusionOptions & InclusionParts,
): Promise<WireObject> {
  const deadline = now() + inclusionTimeoutMs
  try {
    const receipt = await rpc.request(['eth_sendRawTransactionSync', raw], inclusionTimeoutMs)
    return wireObject(receipt, 'receipt')
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    if (error.isMethodMissing) await rpc.request(['eth_sendRawTransaction', raw])
    else if (!ACCEPTED_CODES.includes(error.rpcCode)) throw error
  }
  return receiptOf(rpc, hash, deadline, { now, sleep })
}

/** The receipt of a transaction that was sent. @throws StockError `OUTCOME_UNKNOWN` after the deadline */
export async function receiptOf(
  rpc: JsonRpc,
  hash: Hash,
  deadline: number,
  { now, sleep }: InclusionParts,
): Promise<WireObject> {
  let wait = FIRST_WAIT_MS
  for (;;) {
    const receipt = await receiptNow(rpc, hash)
    if (receipt !== undefined) return receipt
    const left = deadline - now()
    if (left <= 0) {
      throw new StockError(
        'OUTCOME_UNKNOWN',
        `transaction ${hash} was sent, but no block had it in time: look for its receipt, or wait longer with --inclusion-timeout-ms`,
        { hash },
      )
    }
    await sleep(Math.min(wait, left))
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

/** `undefined`: there is no receipt, or the request failed; a later one may succeed. */
export async function receiptNow(rpc: JsonRpc, hash: Hash): Promise<WireObject | undefined> {
  try {
    const receipt = await rpc.request(['eth_getTransactionReceipt', hash])
    return receipt === null ? undefined : wireObject(receipt, 'receipt')
  } catch (error) {
    if (error instanceof StockError) return undefined
    throw error
  }
}
