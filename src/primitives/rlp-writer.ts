import type { Bytes, Hex } from './hex.ts'
import {
  encoded,
  encodedLength,
  endList,
  keepEncoding,
  pushBigint,
  pushBytes,
  pushHex,
  pushNumber,
  pushType,
  startKept,
  startTransient,
} from './rlp-parts.ts'

/** What RLP is made from: bytes or their hex, integers from 0 on, or a list. */
export type RlpSource = Bytes | Hex | bigint | number | readonly RlpSource[]

/**
 * The RLP of an item (yellow paper, appendix B).
 *
 * @param type of the envelope that it stands in (EIP-2718), a byte in front of it; `undefined`: none
 * @throws InvalidHexError
 */
export function writtenRlp(item: RlpSource, type: number | undefined): Bytes {
  startKept()
  pushItem(item)
  if (type !== undefined) pushType(type)
  return keepEncoding()
}

/**
 * The same in memory that the next encoding writes to: for bytes that are hashed or copied at once, as most are that no
 * piece has to be kept for.
 *
 * @throws InvalidHexError
 */
export function transientRlp(item: RlpSource, type: number | undefined): Bytes {
  startTransient()
  pushItem(item)
  if (type !== undefined) pushType(type)
  return encoded()
}

/**
 * Puts an item before what was pushed.
 *
 * @throws InvalidHexError
 */
export function pushItem(item: RlpSource): void {
  if (typeof item === 'string') pushHex(item)
  else if (typeof item === 'bigint') pushBigint(item)
  else if (typeof item === 'number') pushNumber(item)
  else if (item instanceof Uint8Array) pushBytes(item)
  else pushList(item)
}

function pushList(items: readonly RlpSource[]): void {
  const before = encodedLength()
  for (let index = items.length - 1; index >= 0; index--) pushItem(items[index]!)
  endList(before)
}
