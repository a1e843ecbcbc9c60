/** End of a notification after its result. */
const END = '}}'

/** The result of a notification and its end, encoded once for all subscribers. */
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

  /** The text in UTF-8. Must not be modified. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}
