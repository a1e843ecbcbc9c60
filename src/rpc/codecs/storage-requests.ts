import type { Address, Slot } from '../../primitives/hex.ts'
import { address } from './bytes.ts'
import { type Codec, jsonObject, listOf, within } from './codec.ts'
import { storageKey } from './storage-key.ts'

/** Bounds parsing only; the methods report their own limits. */
const MAX_KEYS = 100_000

const keys = listOf(storageKey, MAX_KEYS)

/** Slots by account: `{ "0x…": ["0x0", …] }`. */
export const storageRequests: Codec<ReadonlyMap<Address, readonly Slot[]>> = {
  decode(json) {
    const entries = Object.entries(jsonObject(json))
    return new Map(
      entries.map(([key, list]) =>
        within(`[${key.slice(0, 66)}]`, (): [Address, readonly Slot[]] => [address.decode(key), keys.decode(list)]),
      ),
    )
  },
  encode: (requests) => Object.fromEntries(Array.from(requests, ([account, slots]) => [account, keys.encode(slots)])),
  schema: { type: 'object', additionalProperties: keys.schema },
}
