import type { Bytes } from '../../primitives/hex.ts'
import { numberOfBytes } from '../bytecode/portable-bytes.ts'
import type { SolidityType, TypedName } from '../syntax/solidity-type.ts'
import {
  MAX_SHOWN_ITEMS,
  MAX_VALUE_DEPTH,
  plainValue,
  type ValueBudget,
  type VariableValue,
  valueBudget,
} from './variable-value.ts'
import { bytesText, wordText } from './words.ts'

const WORD = 32
const OUTSIDE = 'not in the data'

/** A way in which values lie in bytes: that of the ABI, or that of memory. */
interface Encoding {
  readonly bytes: Bytes
  readonly budget: ValueBudget
  /** Whether a value of the type is elsewhere, and a word says where. */
  isReference(type: SolidityType): boolean
  /** Where a reference leads, from the beginning of the values that have it. */
  target(reference: number, base: number): number
  /** Bytes of a value in its place. */
  size(type: SolidityType): number
}

/**
 * Decodes values in the encoding of the ABI, as arguments of a call.
 *
 * @param budget shared with other values of the same view
 */
export function abiValues(
  values: readonly TypedName[],
  bytes: Bytes,
  budget: ValueBudget = valueBudget(),
): readonly VariableValue[] {
  return sequence(values, abiEncoding(bytes, budget), 0, 0)
}

/** A value in the memory of a frame. @param at its place, or for a reference type where it points */
export function memoryValue({ name, type }: TypedName, bytes: Bytes, at: number): VariableValue {
  return decoded({ name, type }, memoryEncoding(bytes), at, 0)
}

/** An array, `bytes` or `string` in call data, whose place and length are on the stack. */
export function callDataItems({ name, type }: TypedName, bytes: Bytes, at: number, length: number): VariableValue {
  if (type.kind === 'bytes') {
    const content = at + length <= bytes.length ? bytesText(bytes.subarray(at, at + length), type.isText) : OUTSIDE
    return plainValue(name, type.text, content)
  }
  if (type.kind !== 'array') return plainValue(name, type.text, 'not available')
  return items(name, type, abiEncoding(bytes), at, length, 0)
}

/** A struct or array of fixed size in call data. */
export function callDataValue({ name, type }: TypedName, bytes: Bytes, at: number): VariableValue {
  return decoded({ name, type }, abiEncoding(bytes), at, 0)
}

function abiEncoding(bytes: Bytes, budget = valueBudget()): Encoding {
  const isDynamic = (type: SolidityType, depth = 0): boolean => {
    if (depth > MAX_VALUE_DEPTH || type.kind === 'bytes') return true
    if (type.kind === 'array') return type.length === undefined || isDynamic(type.item, depth + 1)
    return type.kind === 'struct' && type.members().some((member) => isDynamic(member.type, depth + 1))
  }
  const size = (type: SolidityType): number => {
    if (isDynamic(type)) return WORD
    if (type.kind === 'array') return type.length! * size(type.item)
    if (type.kind === 'struct') return type.members().reduce((sum, member) => sum + size(member.type), 0)
    return WORD
  }
  return { bytes, budget, isReference: isDynamic, target: (reference, base) => base + reference, size }
}

function memoryEncoding(bytes: Bytes): Encoding {
  const isReference = ({ kind }: SolidityType) => kind === 'bytes' || kind === 'array' || kind === 'struct'
  return { bytes, budget: valueBudget(), isReference, target: (reference) => reference, size: () => WORD }
}

function sequence(
  values: readonly TypedName[],
  encoding: Encoding,
  base: number,
  depth: number,
): readonly VariableValue[] {
  let at = base
  return values.slice(0, MAX_SHOWN_ITEMS).map((value) => {
    const place = at
    at += encoding.size(value.type)
    if (!encoding.isReference(value.type)) return decoded(value, encoding, place, depth)
    const reference = wordAt(encoding.bytes, place)
    if (reference === undefined || reference > BigInt(encoding.bytes.length)) {
      return plainValue(value.name, value.type.text, OUTSIDE)
    }
    return decoded(value, encoding, encoding.target(Number(reference), base), depth)
  })
}

/** A value where it begins. */
function decoded({ name, type }: TypedName, encoding: Encoding, at: number, depth: number): VariableValue {
  const { bytes } = encoding
  if (depth > MAX_VALUE_DEPTH) return plainValue(name, type.text, 'nested too deeply')
  if (encoding.budget.left-- <= 0) return plainValue(name, type.text, 'not shown: there are too many values')
  switch (type.kind) {
    case 'value': {
      const word = wordAt(bytes, at)
      return plainValue(name, type.text, word === undefined ? OUTSIDE : wordText(type, word))
    }
    case 'bytes': {
      const length = lengthAt(bytes, at)
      const end = at + WORD + (length ?? 0)
      if (length === undefined || end > bytes.length) return plainValue(name, type.text, OUTSIDE)
      return plainValue(name, type.text, bytesText(bytes.subarray(at + WORD, end), type.isText))
    }
    case 'array': {
      if (type.length !== undefined) return items(name, type, encoding, at, type.length, depth)
      const length = lengthAt(bytes, at)
      if (length === undefined) return plainValue(name, type.text, OUTSIDE)
      return items(name, type, encoding, at + WORD, length, depth)
    }
    case 'struct':
      return { name, type: type.text, text: '', parts: sequence(type.members(), encoding, at, depth + 1) }
    default:
      return plainValue(name, type.text, 'not available')
  }
}

function items(
  name: string,
  type: Extract<SolidityType, { kind: 'array' }>,
  encoding: Encoding,
  at: number,
  length: number,
  depth: number,
): VariableValue {
  const count = Math.min(length, MAX_SHOWN_ITEMS, Math.max(encoding.budget.left, 0))
  const shown = Array.from({ length: count }, (_, index) => ({
    name: `[${index}]`,
    type: type.item,
  }))
  const rest = length - shown.length
  const text = rest > 0 ? `and ${rest} more` : length === 0 ? 'none' : ''
  return { name, type: type.text, text, parts: sequence(shown, encoding, at, depth + 1) }
}

function wordAt(bytes: Bytes, at: number): bigint | undefined {
  return at >= 0 && at + WORD <= bytes.length ? numberOfBytes(bytes, at, at + WORD) : undefined
}

/** `undefined`: there is none, or more is announced than the data may have. */
function lengthAt(bytes: Bytes, at: number): number | undefined {
  const length = wordAt(bytes, at)
  return length === undefined || length > BigInt(bytes.length) ? undefined : Number(length)
}
