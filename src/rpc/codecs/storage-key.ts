import { type Slot, toSlot } from '../../primitives/hex.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { type Codec, describe, InvalidValueError } from './codec.ts'

/** Slots of one eth_getStorageValues, of all its accounts. */
export const MAX_STORAGE_SLOTS = 1_024

export const STORAGE_KEY_PATTERN = '^0x[0-9a-fA-F]{0,64}$'

/**
 * The key of a storage slot. Missing leading zeros are added, since clients shorten keys (`0x0`, and `0x` for zero).
 * The messages, without `invalid argument`, are those of execution-apis.
 */
export const storageKey: Codec<Slot> = {
  decode(json) {
    if (typeof json !== 'string') throw new InvalidValueError(`expected a storage key in hex, got ${describe(json)}`)
    const digits = /^0[xX]/.test(json) ? json.slice(2) : json
    if (digits.length > 64) {
      throw new RpcError(
        RPC_CODES.invalidParams,
        `storage key too long (want at most 32 bytes): ${JSON.stringify(json.slice(0, 100))}`,
      )
    }
    if (json === '' || !/^[0-9a-fA-F]*$/.test(digits)) {
      throw new RpcError(RPC_CODES.invalidParams, `invalid hex in storage key: ${JSON.stringify(json)}`)
    }
    return toSlot(`0x${digits.padStart(64, '0')}`)
  },
  encode: (slot) => slot,
  schema: { type: 'string', pattern: STORAGE_KEY_PATTERN, title: 'at most 32 bytes in hex' },
}
