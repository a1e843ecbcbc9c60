import { bytesToHex } from '../../primitives/hex.ts'
import type { Json } from './json.ts'

/** A result that is encoded already. */
export class EncodedJson {
  /** JSON. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The result of a method. */
export type MethodResult = Json | EncodedJson

/** The JSON text of a result. */
export function resultJson(response: MethodResult): string {
  return response instanceof EncodedJson ? response.text : JSON.stringify(response)
}

/** Bytes in hex. Skips `JSON.stringify`, which scans for characters to escape and copies the text. */
export function encodedBytes(bytes: Uint8Array): EncodedJson {
  return new EncodedJson(`"${bytesToHex(bytes)}"`)
}

/** An array of encoded values. */
export function encodedArray(texts: readonly string[]): EncodedJson {
  return new EncodedJson(`[${texts.join(',')}]`)
}
