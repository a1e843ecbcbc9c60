import type { Bytes, Hash } from '../../primitives/hex.ts'
import { bigintToHash, bytesToBigint } from '../../primitives/quantity.ts'
import { decodeRlp } from '../../primitives/rlp.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Slots of one response, which a thread lists in a few milliseconds. */
export const MAX_STORAGE_RANGE = 1_024

/**
 * go-ethereum's `StorageRangeResult`.
 *
 * @param slots hashes of slots in hex without prefix, with the RLP of their values, in order
 * @param maxResult number of slots in the result, at most `MAX_STORAGE_RANGE`
 */
export function storageRange(
  slots: Iterable<{ readonly key: string; readonly value: Bytes }>,
  maxResult: number,
): JsonRecord {
  const end = Math.min(maxResult, MAX_STORAGE_RANGE)
  const storage: Record<Hash, JsonRecord> = {}
  let taken = 0
  for (const { key, value } of slots) {
    const hash = `0x${key}` as Hash
    if (taken === end) return { storage, nextKey: hash }
    storage[hash] = { key: null, value: bigintToHash(bytesToBigint(decodeRlp(value) as Bytes)) }
    taken += 1
  }
  return { storage, nextKey: null }
}
