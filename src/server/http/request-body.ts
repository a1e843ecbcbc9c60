/** Parts that are smaller are copied together: an object for a part of a few bytes takes a hundred. */
const SMALL_PART = 4 * 1024
const BLOCK = 16 * 1024

/** The body of a request as it arrives. */
export class RequestBody {
  readonly #parts: Buffer[] = []
  /** Block of small parts at the end of `#parts`. */
  #block: Buffer | undefined
  /** Bytes used of the block. */
  #used = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(part: Buffer): void {
    this.#bytes += part.length
    if (part.length >= SMALL_PART) {
      this.#parts.push(part)
      this.#block = undefined
      return
    }
    if (this.#block === undefined || this.#used + part.length > this.#block.length) this.#begin()
    const block = this.#block!
    part.copy(block, this.#used)
    this.#used += part.length
    this.#parts[this.#parts.length - 1] = block.subarray(0, this.#used)
  }

  /**
   * The whole body as text.
   *
   * @param last the part that completes it; it is not copied
   */
  text(last: Buffer): string {
    return (this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last])).toString('utf8')
  }

  #begin(): void {
    this.#block = Buffer.allocUnsafeSlow(BLOCK)
    this.#used = 0
    this.#parts.push(this.#block)
  }
}
