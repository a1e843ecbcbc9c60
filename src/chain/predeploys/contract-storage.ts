import { type Address, hexToBytes, type Slot, slotOfHash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'

/** Location of a state variable, from solc's `storageLayout`. */
export interface StorageVariable {
  readonly label: string
  /** Decimal. */
  readonly slot: string
  /** Bytes from the low end of the slot. */
  readonly offset: number
}

/** A number (or an address as one), a string of at most 31 bytes, or entries of a mapping from addresses. */
export type StorageValue = bigint | string | ReadonlyMap<Address, bigint>

/**
 * The storage of a Solidity contract whose variables have these values, as its constructor would leave it. Follows
 * "Layout of State Variables in Storage" of the Solidity manual.
 *
 * @throws RangeError when the layout lacks a variable or a string exceeds one slot
 * @example contractStorage(layout, { totalSupply: 5n })
 */
export function contractStorage(
  layout: readonly StorageVariable[],
  values: Readonly<Record<string, StorageValue>>,
): ReadonlyMap<Slot, bigint> {
  const storage = new Map<Slot, bigint>()
  for (const [label, value] of Object.entries(values)) {
    const variable = layout.find((candidate) => candidate.label === label)
    if (variable === undefined) throw new RangeError(`the storage layout has no variable ${label}`)
    const slot = bigintToSlot(BigInt(variable.slot))
    if (typeof value === 'bigint') {
      // Several variables may share a slot.
      storage.set(slot, (storage.get(slot) ?? 0n) | (value << BigInt(8 * variable.offset)))
    } else if (typeof value === 'string') {
      storage.set(slot, shortText(value))
    } else {
      for (const [key, entry] of value) storage.set(mappingSlot(key, slot), entry)
    }
  }
  // Storage has no zeros: an assignment of zero to an empty slot leaves nothing.
  return new Map([...storage].filter(([, value]) => value !== 0n))
}

/**
 * The slot of an address's entry in the mapping at `slot`.
 *
 * @example mappingSlot(holder, bigintToSlot(5n))
 */
export function mappingSlot(key: Address, slot: Slot): Slot {
  const word = bigintToHash(BigInt(key))
  return slotOfHash(keccakHash(hexToBytes(word + slot.slice(2))))
}

/** A short string: left-aligned, with twice its length in the lowest byte. */
function shortText(text: string): bigint {
  const bytes = Buffer.from(text)
  if (bytes.length > 31) throw new RangeError(`a text in one storage slot has at most 31 bytes, got ${bytes.length}`)
  const word = Buffer.alloc(32)
  bytes.copy(word)
  word[31] = 2 * bytes.length
  return BigInt(`0x${word.toString('hex')}`)
}
