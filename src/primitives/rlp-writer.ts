import type { Bytes, Hex } from './hex.ts'
import {
  encoded,
  encodedLength,
  endList,
  keepEncoding,
  pushBigint,
  pushBytes,
  pushEncoded,
  pushHex,
  pushNumber,
  pushType,
  startReused,
  startTransient,
} from './rlp-parts.ts'

/** Anything that encodes to RLP: bytes or their hex, non-negative integers, a list, or what is encoded already. */
export type RlpSource = Bytes | Hex | bigint | number | readonly RlpSource[] | EncodedRlp

/** An item that is encoded already. */
export class EncodedRlp {
  readonly bytes: Bytes

  constructor(bytes: Bytes) {
    this.bytes = bytes
  }
}

/**
 * The RLP of an item (Yellow Paper, appendix B).
 *
 * @param type envelope type byte in front of it (EIP-2718); `undefined`: none
 * @throws InvalidHexError
 */
export function writtenRlp(item: RlpSource, type: number | undefined): Bytes {
  startReused()
  pushItem(item)
  if (type !== undefined) pushType(type)
  return keepEncoding()
}

/**
 * As `writtenRlp`, in memory that the next encoding overwrites: for bytes that are hashed or copied at once.
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
 * Pushes an item in front of what was pushed before.
 *
 * @throws InvalidHexError
 */
export function pushItem(item: RlpSource): void {
  if (typeof item === 'string') pushHex(item)
  else if (typeof item === 'bigint') pushBigint(item)
  else if (typeof item === 'number') pushNumber(item)
  else if (item instanceof Uint8Array) pushBytes(item)
  else if (item instanceof EncodedRlp) pushEncoded(item.bytes)
  else pushList(item)
}

function pushList(items: readonly RlpSource[]): void {
  const before = encodedLength()
  for (let index = items.length - 1; index >= 0; index--) pushItem(items[index]!)
  endList(before)
}
