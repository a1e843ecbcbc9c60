import type { RequestText } from '../../rpc/protocol/rpc-client.ts'
import { MAPPED_FROM, MappedBytes } from '../transport/mapped-bytes.ts'

/** Parts that are smaller are copied together: an object for a part of a few bytes takes a hundred. */
const SMALL_PART = 4 * 1024
const BLOCK = 16 * 1024

/** The body of a request as it arrives. */
export class RequestBody {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  /** Block of small parts at the end of `#parts`. */
  #block: Buffer | undefined
  /** Bytes used of the block. */
  #used = 0
  #bytes = 0
  /** The bytes of a large body. */
  #large: MappedBytes | undefined

  /** @param options.expectedBytes 0 if unknown */
  constructor(options: { readonly expectedBytes: number; readonly maxBytes: number }) {
    this.#maxBytes = options.maxBytes
    if (options.expectedBytes >= MAPPED_FROM) this.#large = new MappedBytes(options.maxBytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#large === undefined && this.#bytes >= MAPPED_FROM) this.#move()
    if (this.#large !== undefined) this.#large.add(part)
    else if (part.length >= SMALL_PART) {
      this.#parts.push(part)
      this.#block = undefined
    } else this.#addSmall(part)
  }

  /**
   * The whole body as text, which may be read once: its bytes are then discarded.
   *
   * @param last the part that completes it
   */
  text(last: Buffer): RequestText {
    if (this.#large === undefined) {
      return (this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last])).toString('utf8')
    }
    const large = this.#large
    large.add(last)
    return () => {
      const text = large.text()
      large.release()
      return text
    }
  }

  /**
   * The whole body, which may be read once.
   *
   * @param last the part that completes it
   */
  whole(last: Buffer): Buffer {
    if (this.#large === undefined) return Buffer.concat([...this.#parts, last])
    this.#large.add(last)
    const copy = this.#large.copy()
    this.#large.release()
    return copy
  }

  discard(): void {
    this.#large?.release()
  }

  #addSmall(part: Buffer): void {
    if (this.#block === undefined || this.#used + part.length > this.#block.length) this.#begin()
    const block = this.#block!
    part.copy(block, this.#used)
    this.#used += part.length
    this.#parts[this.#parts.length - 1] = block.subarray(0, this.#used)
  }

  #begin(): void {
    this.#block = Buffer.allocUnsafeSlow(BLOCK)
    this.#used = 0
    this.#parts.push(this.#block)
  }

  #move(): void {
    this.#large = new MappedBytes(this.#maxBytes)
    for (const part of this.#parts) this.#large.add(part)
    this.#parts = []
    this.#block = undefined
  }
}
