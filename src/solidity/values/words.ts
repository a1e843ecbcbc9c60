import type { Bytes } from '../../primitives/hex.ts'
import { hexOfBytes } from '../bytecode/portable-bytes.ts'
import type { SolidityType } from '../syntax/solidity-type.ts'
import { MAX_SHOWN_BYTES } from './variable-value.ts'

type ValueType = Extract<SolidityType, { kind: 'value' }>

/** Text of a value that fits into a word, from its number in the low bytes. */
export function valueText({ form, bytes, members }: ValueType, word: bigint): string {
  switch (form) {
    case 'signed':
      return `${BigInt.asIntN(8 * bytes, word)}`
    case 'bool':
      return word === 0n ? 'false' : 'true'
    case 'address':
      return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
    case 'fixedBytes':
      return `0x${BigInt.asUintN(8 * bytes, word)
        .toString(16)
        .padStart(2 * bytes, '0')}`
    case 'enum':
      return members?.[Number(word)] ?? `${word}`
    default:
      return `${BigInt.asUintN(8 * bytes, word)}`
  }
}

/** As `valueText`, of a word on the stack, in memory or in call data: `bytes4` and the like are in its high bytes. */
export function wordText(type: ValueType, word: bigint): string {
  return valueText(type, type.form === 'fixedBytes' ? word >> BigInt(8 * (32 - type.bytes)) : word)
}

/** Text in quotes, or bytes in hex if they are no text, and as far as they are shown. */
export function bytesText(bytes: Bytes, isText: boolean): string {
  const shown = bytes.subarray(0, MAX_SHOWN_BYTES)
  const rest = bytes.length > shown.length ? `… (${bytes.length} bytes)` : ''
  if (!isText) return `${hexOfBytes(shown)}${rest}`
  try {
    const text = new TextDecoder('utf-8', { fatal: rest === '' }).decode(shown)
    return `${JSON.stringify(text)}${rest}`
  } catch {
    return `${hexOfBytes(shown)}${rest}`
  }
}
