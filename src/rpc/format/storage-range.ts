import type { Bytes, Hash } from '../../primitives/hex.ts'
import { bigintToHash, bytesToBigint } from '../../primitives/quantity.ts'
import { decodeRlp } from '../../primitives/rlp.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Characters of one slot in JSON. */
const SLOT_LENGTH = 220

/**
 * go-ethereum's `StorageRangeResult`.
 *
 * @param slots hashes of slots in hex without prefix, with the RLP of their values, in order
 * @param maxResult number of slots in the result
 * @param size bounds the response
 * @throws RpcError when the response is too large
 */
export function storageRange(
  slots: Iterable<{ readonly key: string; readonly value: Bytes }>,
  maxResult: number,
  size: { add(characters: number): void },
): JsonRecord {
  const storage: Record<Hash, JsonRecord> = {}
  let taken = 0
  for (const { key, value } of slots) {
    const hash = `0x${key}` as Hash
    if (taken === maxResult) return { storage, nextKey: hash }
    storage[hash] = { key: null, value: wordOf(value) }
    taken += 1
    size.add(SLOT_LENGTH)
  }
  return { storage, nextKey: null }
}

function wordOf(rlp: Bytes): Hash {
  return bigintToHash(bytesToBigint(decodeRlp(rlp) as Bytes))
}
