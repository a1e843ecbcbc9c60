import type { Hash, Hex } from '../../../primitives/hex.ts'
import { StockError } from '../stock-error.ts'
import { type JsonRpc, JsonRpcError } from './json-rpc.ts'
import { type WireObject, wireObject } from './wire.ts'

export interface InclusionOptions {
  /** Milliseconds from sending until nobody waits for a receipt any more. */
  readonly inclusionTimeout: number
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
/** EIP-7966: it is in the pool, but was not executed in time, or waits for a nonce before it. */
const ACCEPTED_CODES = [4, 5]

/**
 * Sends a signed transaction and waits for its receipt: in one request where the node has it (EIP-7966), else by
 * asking again at growing distances.
 *
 * @throws JsonRpcError when the node does not take it; StockError `OUTCOME_UNKNOWN` when no receipt came in time
 */
export async function sendAndAwait(
  rpc: JsonRpc,
  { raw, hash }: SignedBytes,
  { inclusionTimeout, now, sleep }: InclusionOptions & InclusionParts,
): Promise<WireObject> {
  const deadline = now() + inclusionTimeout
  try {
    const receipt = await rpc.request(['eth_sendRawTransactionSync', raw], inclusionTimeout)
    return wireObject(receipt, 'receipt')
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    if (error.isMethodMissing) await rpc.request(['eth_sendRawTransaction', raw])
    else if (!ACCEPTED_CODES.includes(error.rpcCode)) throw error
  }
  return receiptOf(rpc, hash, deadline, { now, sleep })
}

async function receiptOf(
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
        `transaction ${hash} was sent, but no block had it in time: look for its receipt, or wait longer with --inclusion-timeout`,
        { hash },
      )
    }
    await sleep(Math.min(wait, left))
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

/** `undefined`: there is none, or the node does not say; it may the next time. */
export async function receiptNow(rpc: JsonRpc, hash: Hash): Promise<WireObject | undefined> {
  try {
    const receipt = await rpc.request(['eth_getTransactionReceipt', hash])
    return receipt === null ? undefined : wireObject(receipt, 'receipt')
  } catch (error) {
    if (error instanceof StockError) return undefined
    throw error
  }
}
