import type { Withdrawal } from '../../chain/block/block.ts'
import { type Address, type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import { address, hash } from './bytes.ts'
import { type Codec, InvalidValueError, listOf } from './codec.ts'
import { objectOf } from './object.ts'
import { quantity64 } from './quantity.ts'
import { withdrawal } from './withdrawal.ts'

/** `PayloadAttributesV3` of the engine API. */
export interface PayloadAttributes {
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly prevRandao: Hash
  readonly suggestedFeeRecipient: Address
  readonly withdrawals: readonly Withdrawal[]
  readonly parentBeaconBlockRoot: Hash
}

export const MAX_WITHDRAWALS = 1_000
/** Transactions of one testing_buildBlockV1 or testing_commitBlockV1. */
export const MAX_PAYLOAD_TRANSACTIONS = 100_000

const members = objectOf<Partial<PayloadAttributes>>({
  timestamp: quantity64,
  prevRandao: hash,
  suggestedFeeRecipient: address,
  withdrawals: listOf(withdrawal, MAX_WITHDRAWALS),
  parentBeaconBlockRoot: hash,
})

export const payloadAttributes: Codec<PayloadAttributes> = {
  decode(json) {
    const { timestamp, prevRandao, suggestedFeeRecipient, ...rest } = members.decode(json)
    if (timestamp === undefined) throw new InvalidValueError('missing member timestamp')
    if (prevRandao === undefined) throw new InvalidValueError('missing member prevRandao')
    if (suggestedFeeRecipient === undefined) throw new InvalidValueError('missing member suggestedFeeRecipient')
    const { withdrawals = [], parentBeaconBlockRoot = ZERO_HASH } = rest
    return { timestamp, prevRandao, suggestedFeeRecipient, withdrawals, parentBeaconBlockRoot }
  },
  encode: (value) => members.encode(value),
  schema: {
    ...members.schema,
    required: ['timestamp', 'prevRandao', 'suggestedFeeRecipient'],
  },
}
