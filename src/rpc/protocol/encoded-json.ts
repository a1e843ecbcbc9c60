import { bytesToHex } from '../../primitives/hex.ts'
import type { Json } from './json.ts'

/** Bytes from which a result stays bytes until the response is encoded. */
const LARGE_BYTES = 8 * 1024

/** Part of a JSON text; bytes stand for their digits in hex. */
export type JsonPart = string | Uint8Array

/** A result that is encoded already. It may have several parts, because joining large ones copies them. */
export class EncodedJson {
  readonly parts: readonly JsonPart[]

  constructor(...parts: JsonPart[]) {
    this.parts = parts
  }

  get text(): string {
    const [first] = this.parts
    if (this.parts.length === 1 && typeof first === 'string') return first
    return this.parts.map((part) => (typeof part === 'string' ? part : bytesToHex(part).slice(2))).join('')
  }

  /** Characters of the text. */
  get length(): number {
    let length = 0
    for (const part of this.parts) length += typeof part === 'string' ? part.length : 2 * part.length
    return length
  }
}

/** The result of a method. */
export type MethodResult = Json | EncodedJson

/** The JSON text of a result. */
export function resultJson(response: MethodResult): string {
  return response instanceof EncodedJson ? response.text : JSON.stringify(response)
}

/**
 * Bytes in hex. Skips `JSON.stringify`, which scans for characters to escape and copies the text.
 *
 * @param bytes must not change
 */
export function encodedBytes(bytes: Uint8Array): EncodedJson {
  return bytes.length < LARGE_BYTES ? new EncodedJson(`"${bytesToHex(bytes)}"`) : new EncodedJson('"0x', bytes, '"')
}

/** An array of encoded values. */
export function encodedArray(texts: readonly string[]): EncodedJson {
  return new EncodedJson('[', texts.join(','), ']')
}
