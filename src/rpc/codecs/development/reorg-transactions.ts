import type { CallRequest } from '../../../engine/call/call-message.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { data } from '../bytes.ts'
import { callObject } from '../call-object.ts'
import { type Codec, describe, InvalidValueError } from '../codec.ts'
import { wholeNumber } from '../small-numbers.ts'

/** A transaction of a reorganized chain: signed, or a request that the node signs. */
export interface ReorgTransaction {
  readonly transaction: { readonly raw: Bytes } | { readonly request: CallRequest }
  /** Block that includes it, counted from 0 upwards from the common block. */
  readonly block: number
}

export const MAX_REORG_TRANSACTIONS = 10_000

/** Pairs of a transaction, as an object or signed in hex, and the index of its block. */
export const reorgTransactions: Codec<readonly ReorgTransaction[]> = {
  decode(json) {
    if (!Array.isArray(json)) throw new InvalidValueError(`expected an array of pairs, got ${describe(json)}`)
    if (json.length > MAX_REORG_TRANSACTIONS)
      throw new InvalidValueError(`want at most ${MAX_REORG_TRANSACTIONS} pairs`)
    return json.map(decodePair)
  },
  encode: (pairs) =>
    pairs.map(({ transaction, block }) => [
      'raw' in transaction ? data.encode(transaction.raw) : callObject.encode(transaction.request),
      block,
    ]),
  schema: {
    type: 'array',
    items: { type: 'array', title: 'a transaction, as an object or signed in hex, and the index of its block' },
  },
}

function decodePair(json: unknown): ReorgTransaction {
  if (!Array.isArray(json) || json.length !== 2) {
    throw new InvalidValueError(`expected a pair of a transaction and the index of a block, got ${describe(json)}`)
  }
  const [transaction, block] = json as readonly unknown[]
  return {
    transaction:
      typeof transaction === 'string' ? { raw: data.decode(transaction) } : { request: callObject.decode(transaction) },
    block: wholeNumber.decode(block),
  }
}
