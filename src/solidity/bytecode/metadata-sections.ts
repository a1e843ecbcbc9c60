import type { Bytes } from '../../primitives/hex.ts'
import type { CodeRange } from './code-template.ts'
import { areSameBytes } from './portable-bytes.ts'

/** Keys of the map (docs.soliditylang.org, "Encoding of the Metadata Hash in the Bytecode"). */
const KEYS: readonly string[] = ['ipfs', 'bzzr0', 'bzzr1', 'solc', 'experimental']
/** Header of a CBOR map with up to `KEYS.length` entries (RFC 8949, section 3.1). */
const MAP = 0xa0
const BYTES = 2
const TEXT = 3
const SIMPLE = 7
const ONE_BYTE_LENGTH = 24

/**
 * Metadata with hashes that the compiler appends to code and to the code of contracts which it creates, in order. Such
 * a section is a CBOR map with keys of the compiler, followed by its length in two bytes. A constant may look like one
 * as well, but only a hash changes with the text of the sources.
 *
 * @param altered the code of the same sources with other metadata
 */
export function metadataSections(code: Bytes, altered: Bytes): readonly CodeRange[] {
  const sections: CodeRange[] = []
  if (altered.length !== code.length) return sections
  for (let at = 0; at < code.length; at++) {
    const section = sectionAt(code, at)
    if (section === undefined || sectionAt(altered, at)?.length !== section.length) continue
    const end = at + section.length
    if (!areSameBytes(code.subarray(at, end), altered.subarray(at, end))) sections.push(section)
    at = end - 1
  }
  return sections
}

/** The metadata that begins at a byte of code, by its form. */
export function sectionAt(code: Bytes, start: number): CodeRange | undefined {
  const entries = code[start]! - MAP
  if (entries < 1 || entries > KEYS.length) return undefined
  let at = start + 1
  for (let entry = 0; entry < entries; entry++) {
    const key = itemAt(code, at)
    if (key?.kind !== TEXT) return undefined
    const name = String.fromCharCode(...code.subarray(key.end - key.length, key.end))
    if (!KEYS.includes(name)) return undefined
    const value = itemAt(code, key.end)
    if (value === undefined) return undefined
    at = value.end
  }
  const length = at - start
  const isComplete = at + 2 <= code.length && code[at]! * 256 + code[at + 1]! === length
  return isComplete ? { start, length: length + 2 } : undefined
}

/** A string, or a simple value without content. */
function itemAt(code: Bytes, at: number) {
  const kind = code[at]! >> 5
  const short = code[at]! & 31
  if (kind === SIMPLE) return { kind, length: 0, end: at + 1 }
  // A string of 24 bytes or more has its length in the next byte.
  if ((kind !== BYTES && kind !== TEXT) || short > ONE_BYTE_LENGTH) return undefined
  const isLong = short === ONE_BYTE_LENGTH
  const length = isLong ? code[at + 1]! : short
  const end = at + (isLong ? 2 : 1) + length
  return end > code.length ? undefined : { kind, length, end }
}
