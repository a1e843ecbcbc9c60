import type { Json } from '../json.ts'

/** A result that is written already. */
export class EncodedJson {
  /** JSON. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a method answers. */
export type MethodResult = Json | EncodedJson

/** Its JSON text. */
export function resultJson(answer: MethodResult): string {
  return answer instanceof EncodedJson ? answer.text : JSON.stringify(answer)
}

/** An array of values that are written already. */
export function encodedArray(texts: readonly string[]): EncodedJson {
  return new EncodedJson(`[${texts.join(',')}]`)
}
