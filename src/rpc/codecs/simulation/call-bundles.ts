import type { BlockOverrides } from '../../../engine/call/block-overrides.ts'
import type { CallRequest } from '../../../engine/call/call-message.ts'
import type { BlockReference } from '../../../node/view/block-reference.ts'
import type { Address, Bytes } from '../../../primitives/hex.ts'
import { blockHeight, blockReference } from '../block-reference.ts'
import { address, data } from '../bytes.ts'
import { callObject } from '../call-object.ts'
import { type Codec, describe, InvalidValueError, jsonObject, listOf } from '../codec.ts'
import { closedObject, objectOf } from '../object.ts'
import { blockOverrides } from '../overrides.ts'
import { flexibleQuantity, flexibleQuantity64 } from '../quantity.ts'

export const MAX_CALL_BUNDLES = 1_000
export const MAX_BUNDLED_CALLS = 10_000

/** Calls of `eth_callMany` in the environment of one block. */
export interface BundledCalls {
  readonly transactions?: readonly CallRequest[]
  readonly blockOverride?: BlockOverrides
}

/** Where the calls of `eth_callMany` run. */
export interface StateContext {
  readonly blockNumber?: BlockReference
  /** Transactions of the block that are executed before the calls; absent: all. */
  readonly transactionIndex?: number
}

/** The parameter of `eth_callBundle`. */
export interface TransactionBundle {
  readonly txs?: readonly Bytes[]
  readonly blockNumber?: BlockReference
  readonly stateBlockNumber?: BlockReference
  readonly coinbase?: Address
  readonly timestamp?: bigint
  readonly gasLimit?: bigint
  readonly baseFee?: bigint
}

/** An index; -1 stands for the end of the block. */
const transactionIndex: Codec<number> = {
  decode(json) {
    // JSON has a minus zero.
    if (typeof json === 'number' && Number.isSafeInteger(json) && json >= -1) return json === 0 ? 0 : json
    throw new InvalidValueError(`expected a whole number from -1, got ${describe(json)}`)
  },
  encode: (index) => index,
  schema: { type: 'integer', minimum: -1 },
}

export const bundledCalls: Codec<readonly BundledCalls[]> = listOf(
  closedObject(
    objectOf<BundledCalls>({ transactions: listOf(callObject, MAX_BUNDLED_CALLS), blockOverride: blockOverrides }),
    { blockOverrides: 'blockOverride' },
  ),
  MAX_CALL_BUNDLES,
)

export const stateContext: Codec<StateContext> = objectOf<StateContext>({
  blockNumber: blockReference,
  transactionIndex,
})

const members = objectOf<TransactionBundle>({
  txs: listOf(data, MAX_BUNDLED_CALLS),
  blockNumber: blockHeight,
  stateBlockNumber: blockHeight,
  coinbase: address,
  timestamp: flexibleQuantity64,
  gasLimit: flexibleQuantity64,
  baseFee: flexibleQuantity,
})

export const transactionBundle: Codec<TransactionBundle> = {
  decode(json) {
    const bundle = members.decode(jsonObject(json))
    if ((bundle.txs ?? []).length === 0) throw new InvalidValueError('bundle missing txs')
    if (bundle.blockNumber === undefined) throw new InvalidValueError('bundle missing blockNumber')
    return bundle
  },
  encode: members.encode,
  schema: { ...members.schema, required: ['txs', 'blockNumber'] },
}
