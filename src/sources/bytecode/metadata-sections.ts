import type { Bytes } from '../../primitives/hex.ts'
import type { CodeRange } from './code-template.ts'

/** Metadata that the compiler appends to code, also to that of contracts which the code creates. */
export interface MetadataSection extends CodeRange {
  /** Whether it has a hash of the compiler's metadata, and so of sources and settings. */
  readonly hasHash: boolean
}

/** First keys of the map (docs.soliditylang.org, "Encoding of the Metadata Hash in the Bytecode"). */
const HASH_KEYS: readonly string[] = ['ipfs', 'bzzr0', 'bzzr1']
const KEYS: readonly string[] = [...HASH_KEYS, 'solc', 'experimental']
/** Header of a CBOR map with up to `KEYS.length` entries (RFC 8949, section 3.1). */
const MAP = 0xa0
const BYTES = 2
const TEXT = 3
const SIMPLE = 7
const ONE_BYTE_LENGTH = 24

/**
 * The metadata sections of code, in order. One is a CBOR map with keys of the compiler, followed by its length in two
 * bytes; nothing else in code looks like this.
 */
export function metadataSections(code: Bytes): readonly MetadataSection[] {
  const sections: MetadataSection[] = []
  for (let at = 0; at < code.length; at++) {
    const section = sectionAt(code, at)
    if (section === undefined) continue
    sections.push(section)
    at += section.length - 1
  }
  return sections
}

function sectionAt(code: Bytes, start: number): MetadataSection | undefined {
  const entries = code[start]! - MAP
  if (entries < 1 || entries > KEYS.length) return undefined
  let hasHash = false
  let at = start + 1
  for (let entry = 0; entry < entries; entry++) {
    const key = itemAt(code, at)
    if (key?.kind !== TEXT) return undefined
    const name = Buffer.from(code.subarray(key.end - key.length, key.end)).toString('latin1')
    if (!KEYS.includes(name)) return undefined
    hasHash ||= HASH_KEYS.includes(name)
    const value = itemAt(code, key.end)
    if (value === undefined) return undefined
    at = value.end
  }
  const length = at - start
  const isComplete = at + 2 <= code.length && code[at]! * 256 + code[at + 1]! === length
  return isComplete ? { start, length: length + 2, hasHash } : undefined
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
