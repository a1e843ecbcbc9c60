import type { Bytes } from '../../src/primitives/hex.ts'
import { decodeRlp, type RlpItem, rlpItemLength } from '../../src/primitives/rlp.ts'

/** The items of a concatenation in order with the bytes that encode them, as in a file of blocks. */
export function* rlpSequence(bytes: Bytes): Generator<{ readonly item: RlpItem; readonly raw: Bytes }> {
  for (let offset = 0; offset < bytes.length; ) {
    const end = offset + rlpItemLength(bytes.subarray(offset))!
    const raw = bytes.subarray(offset, end)
    yield { item: decodeRlp(raw), raw }
    offset = end
  }
}
