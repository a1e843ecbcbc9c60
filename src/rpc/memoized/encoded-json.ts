import type { Json } from '../json.ts'

/** A result that is written already. */
export class ReadyJson {
  /** JSON. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a method answers. */
export type Answer = Json | ReadyJson

/** Its JSON text. */
export function answerText(answer: Answer): string {
  return answer instanceof ReadyJson ? answer.text : JSON.stringify(answer)
}

/** An array of values that are written already. */
export function readyArray(texts: readonly string[]): ReadyJson {
  return new ReadyJson(`[${texts.join(',')}]`)
}
