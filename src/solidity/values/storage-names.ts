import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Bytes } from '../../primitives/hex.ts'
import { bytesOfDigits, hexOfBytes, numberOfBytes } from '../bytecode/portable-bytes.ts'
import type { LayoutVariable, StorageLayout, StorageType } from '../compiled/solidity-contract.ts'
import { elementaryType, type SolidityType } from '../syntax/solidity-type.ts'
import { MAX_VALUE_DEPTH, plainValue, type VariableValue } from './variable-value.ts'
import { bytesText, valueText } from './words.ts'

const WORD = 32
const WORD_BITS = 8n * 32n
/** Slots of an array behind its hash that still belong to it. */
const MAX_DISTANCE = 2n ** 64n

/** A variable, or a part of one, in a slot. */
export interface StoragePlace {
  /** As in `positions[0xab…].liquidity`. */
  readonly path: string
  /** Its type in the layout. */
  readonly type: StorageType
  /** Bytes from the low end of the slot. */
  readonly offset: number
  /** Number of this slot among those of the variable; more than 0 for the continuation of a long text. */
  readonly slotIndex: bigint
  /** Items or bytes of the dynamic array or text to which it belongs: the slot that has their number. */
  readonly lengthSlot?: bigint
  /** Number of this item in a dynamic array. */
  readonly itemIndex?: bigint
}

/** A slot whose number is a hash. */
interface HashedSlot {
  readonly hash: bigint
  readonly preimage: Bytes
}

/** Names of slots by a storage layout, with the keys of mappings that a trace hashed. */
export class StorageNames {
  readonly #layout: StorageLayout
  /** In the order of their hashes. */
  readonly #hashed: readonly HashedSlot[]
  readonly #known = new Map<bigint, readonly StoragePlace[]>()

  /** @param preimages what the code hashed */
  constructor(layout: StorageLayout, preimages: readonly Bytes[]) {
    this.#layout = layout
    // The optimizer precomputes hashes of constant slots, so they never appear as KECCAK256 inputs.
    const slots = layout.storage.map(({ slot }) => wordBytes(BigInt(slot)))
    const hashed = [...preimages, ...slots].map((preimage) => ({
      hash: numberOfBytes(keccak_256(preimage)),
      preimage,
    }))
    this.#hashed = hashed.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  }

  /** The variables in a slot, which may share it; none: the layout has no name for it. */
  placesIn(slot: bigint): readonly StoragePlace[] {
    let places = this.#known.get(slot)
    if (places === undefined) {
      places = this.#found(slot, 0)
      this.#known.set(slot, places)
    }
    return places
  }

  #found(slot: bigint, depth: number): readonly StoragePlace[] {
    if (depth > MAX_VALUE_DEPTH) return []
    const direct = this.#layout.storage.flatMap((variable) => this.#within(variable, '', 0n, slot, depth))
    return direct.length > 0 ? direct : this.#behindHash(slot, depth)
  }

  /** The parts of a variable that lie in a slot. */
  #within(
    variable: LayoutVariable,
    prefix: string,
    base: bigint,
    slot: bigint,
    depth: number,
  ): readonly StoragePlace[] {
    const begin = base + BigInt(variable.slot)
    const type = this.#type(variable.type)
    const slots = type === undefined ? 0n : slotsOf(type)
    if (type === undefined || slot < begin || slot >= begin + slots) return []
    const path = prefix === '' ? variable.label : `${prefix}.${variable.label}`
    return this.#parts(type, path, variable.offset, begin, slot, depth)
  }

  /** The parts of a value of a type that begins at a slot. */
  #parts(
    type: StorageType,
    path: string,
    offset: number,
    begin: bigint,
    slot: bigint,
    depth: number,
  ): readonly StoragePlace[] {
    if (depth > MAX_VALUE_DEPTH) return []
    if (type.members !== undefined) {
      return type.members.flatMap((member) => this.#within(member, path, begin, slot, depth + 1))
    }
    const item = type.encoding === 'inplace' && type.base !== undefined ? this.#type(type.base) : undefined
    if (item !== undefined) return this.#items(item, path, slot - begin, begin, depth, { length: lengthOf(type) })
    return [{ path, type, offset, slotIndex: slot - begin }]
  }

  /** The items of an array in its slot of this number. */
  #items(
    item: StorageType,
    path: string,
    index: bigint,
    begin: bigint,
    depth: number,
    { length, lengthSlot }: { readonly length?: bigint; readonly lengthSlot?: bigint },
  ): readonly StoragePlace[] {
    const bytes = Number(item.numberOfBytes)
    const perSlot = BigInt(Math.floor(WORD / bytes))
    if (perSlot > 1n) {
      const first = index * perSlot
      const left = length === undefined || length - first > perSlot ? perSlot : length - first
      return Array.from({ length: Number(left) }, (_, at) => ({
        path: `${path}[${first + BigInt(at)}]`,
        type: item,
        offset: at * bytes,
        slotIndex: 0n,
        ...(lengthSlot !== undefined && { lengthSlot, itemIndex: first + BigInt(at) }),
      }))
    }
    const slots = slotsOf(item)
    const first = index / slots
    return this.#parts(item, `${path}[${first}]`, 0, begin + first * slots, begin + index, depth + 1)
  }

  #behindHash(slot: bigint, depth: number): readonly StoragePlace[] {
    const found = this.#nearestHash(slot)
    if (found === undefined) return []
    const { hash, preimage } = found
    const key = preimage.subarray(0, preimage.length - WORD)
    const lengthSlot = numberOfBytes(preimage, preimage.length - WORD)
    const parents = this.#found(lengthSlot, depth + 1)
    return parents.flatMap(({ path, type }) => {
      if (type.encoding === 'mapping' && key.length > 0 && type.value !== undefined) {
        const value = this.#type(type.value)
        if (value === undefined || slot - hash >= slotsOf(value)) return []
        return this.#parts(value, `${path}[${this.#keyText(type.key, key)}]`, 0, hash, slot, depth + 1)
      }
      if (key.length > 0) return []
      if (type.encoding === 'bytes') return [{ path, type, offset: 0, slotIndex: slot - hash + 1n, lengthSlot }]
      const item = type.encoding === 'dynamic_array' && type.base !== undefined ? this.#type(type.base) : undefined
      return item === undefined ? [] : this.#items(item, path, slot - hash, hash, depth + 1, { lengthSlot })
    })
  }

  /** The hash at or before a slot, if it is near. */
  #nearestHash(slot: bigint): HashedSlot | undefined {
    let low = 0
    let high = this.#hashed.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#hashed[middle]!.hash <= slot) low = middle + 1
      else high = middle
    }
    const found = this.#hashed[low - 1]
    return found !== undefined && slot - found.hash < MAX_DISTANCE ? found : undefined
  }

  #type(id: string): StorageType | undefined {
    return this.#layout.types?.[id]
  }

  #keyText(id: string | undefined, key: Bytes): string {
    const type = id === undefined ? undefined : this.#type(id)
    if (type?.encoding === 'bytes') return bytesText(key, type.label === 'string')
    const form = layoutType(id ?? '', type)
    if (form?.kind !== 'value' || key.length !== WORD) return hexOfBytes(key)
    const word = numberOfBytes(key)
    return valueText(form, form.form === 'fixedBytes' ? word >> BigInt(8 * (WORD - form.bytes)) : word)
  }
}

/**
 * Values of the variables in a slot, without items behind the end of an array.
 *
 * @param wordAt the word of a slot that has the length of an array or text; `undefined`: it is not known
 */
export function storageValues(
  places: readonly StoragePlace[],
  word: bigint,
  wordAt: (slot: bigint) => bigint | undefined,
): readonly VariableValue[] {
  return places.flatMap((place) => {
    const { itemIndex, lengthSlot } = place
    const length = lengthSlot === undefined ? undefined : wordAt(lengthSlot)
    const isBehindEnd = itemIndex !== undefined && length !== undefined && itemIndex >= length
    return isBehindEnd ? [] : [storageValue(place, word, length)]
  })
}

/** The value of a place from the word of its slot. @param length word of its `lengthSlot` */
export function storageValue(
  { path, type, offset, slotIndex }: StoragePlace,
  word: bigint,
  length?: bigint,
): VariableValue {
  const { label, encoding, numberOfBytes: size } = type
  const bytes = Number(size)
  if (encoding === 'mapping') return plainValue(path, label, '')
  if (encoding === 'dynamic_array') return plainValue(path, label, `${word} items`)
  if (encoding === 'bytes') {
    const isText = label === 'string'
    const text = slotIndex > 0n ? partText(word, isText, slotIndex, length) : shortText(word, isText)
    return plainValue(path, label, text)
  }
  const form = layoutType('', type)
  const number = (word >> BigInt(8 * offset)) & ((1n << BigInt(8 * bytes)) - 1n)
  return plainValue(path, label, form?.kind === 'value' ? valueText(form, number) : `0x${number.toString(16)}`)
}

/** The type of a value that fits into a slot. */
function layoutType(id: string, type: StorageType | undefined): SolidityType | undefined {
  if (type === undefined) return undefined
  const { label, numberOfBytes: size } = type
  const bytes = Number(size)
  if (/^contract |^t_contract/.test(label) || /^t_contract/.test(id)) return elementaryType('address')
  if (/^enum /.test(label)) return { kind: 'value', text: label, form: 'unsigned', bytes }
  const known = elementaryType(label)
  if (known.kind === 'value') return known
  // A type that a source defines: the layout does not name the one that it stands for.
  if (bytes === 20) return elementaryType('address')
  return bytes <= WORD ? { kind: 'value', text: label, form: 'unsigned', bytes } : undefined
}

function slotsOf({ numberOfBytes: bytes }: StorageType): bigint {
  return (BigInt(bytes) + 31n) / 32n
}

function wordBytes(word: bigint): Bytes {
  return bytesOfDigits(word.toString(16).padStart(2 * WORD, '0'))!
}

/** A text of up to 31 bytes lies beside twice its length; the slot of a longer one has twice its length plus one. */
function shortText(word: bigint, isText: boolean): string {
  if (word % 2n === 1n) return `${(word - 1n) / 2n} bytes`
  const length = Number((word & 0xffn) / 2n)
  const digits = (word >> (WORD_BITS - 8n * BigInt(length))).toString(16).padStart(2 * length, '0')
  return bytesText(length === 0 ? new Uint8Array(0) : wordsOf(digits), isText)
}

function wordsOf(digits: string): Bytes {
  return bytesOfDigits(digits) ?? new Uint8Array(0)
}

/** A part of a long text: its slot of this number, from 1 on. @param length word with twice its bytes plus one */
function partText(word: bigint, isText: boolean, slotIndex: bigint, length: bigint | undefined): string {
  const bytes = wordBytes(word)
  if (length === undefined) return bytesText(isText ? withoutZeros(bytes) : bytes, isText)
  const left = (length - 1n) / 2n - BigInt(WORD) * (slotIndex - 1n)
  return bytesText(bytes.subarray(0, left < 0n ? 0 : left > WORD ? WORD : Number(left)), isText)
}

function withoutZeros(bytes: Bytes): Bytes {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1)
}

/** Items of an array of fixed size, from its label as in `uint64[5]`. */
function lengthOf({ label }: StorageType): bigint {
  return BigInt(/\[(\d+)\]$/.exec(label)?.[1] ?? 0)
}
