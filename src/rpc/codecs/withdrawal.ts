import type { Withdrawal } from '../../chain/block/block.ts'
import { address } from './bytes.ts'
import { type Codec, InvalidValueError } from './codec.ts'
import { objectOf } from './object.ts'
import { quantity64 } from './quantity.ts'

const members = objectOf<Partial<Withdrawal>>({
  index: quantity64,
  validatorIndex: quantity64,
  address,
  amount: quantity64,
})

/** EIP-4895; the amount is in gwei. Missing numbers are 0. */
export const withdrawal: Codec<Withdrawal> = {
  decode(json) {
    const { index = 0n, validatorIndex = 0n, amount = 0n, address: recipient } = members.decode(json)
    if (recipient === undefined) throw new InvalidValueError('missing member address')
    return { index, validatorIndex, address: recipient, amount }
  },
  encode: (value) => members.encode(value),
  schema: members.schema,
}
