/** What ends a notification after its result. */
const END = '}}'

/** The result of a notification and what comes after it: written and encoded once, however many subscribe. */
export class NotificationText {
  readonly text: string
  #bytes: Uint8Array | undefined

  /** @param result as JSON text */
  constructor(result: string) {
    this.text = `${result}${END}`
  }

  /** Characters. */
  get size(): number {
    return this.text.length
  }

  /** The same in UTF-8; nobody may change them. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}
