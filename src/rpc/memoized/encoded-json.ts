import type { Json } from '../json.ts'

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
export function resultJson(answer: MethodResult): string {
  return answer instanceof EncodedJson ? answer.text : JSON.stringify(answer)
}

/** An array of encoded values. */
export function encodedArray(texts: readonly string[]): EncodedJson {
  return new EncodedJson(`[${texts.join(',')}]`)
}
