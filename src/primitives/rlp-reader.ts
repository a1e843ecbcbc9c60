import type { Bytes, Hex } from './hex.ts'
import { decodeRlp, RlpError, type RlpItem, readHead } from './rlp.ts'

/**
 * Reads items in place, for values of a known shape: `decodeRlp` allocates an object per item, which costs more than
 * the rest of reading a small value.
 *
 * @example const reader = new RlpReader(bytes); const end = reader.list(); while (reader.offset < end) reader.bytes()
 */
export class RlpReader {
  readonly #bytes: Buffer
  #offset = 0

  constructor(bytes: Bytes) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Offset of the next item. */
  get offset(): number {
    return this.#offset
  }

  /**
   * Enters a list.
   *
   * @returns the offset of its end
   * @throws RlpError, as all readers here, if the next item is of another kind
   */
  list(what: string): number {
    const { isList, start, end } = readHead(this.#bytes, this.#offset, this.#bytes.length)
    if (!isList) throw new RlpError(`${what} is a list`)
    this.#offset = start
    return end
  }

  /** @throws RlpError unless reading stopped exactly at `end` */
  leave(end: number, what: string): void {
    if (this.#offset !== end) throw new RlpError(`${what} has more or fewer members than it should`)
  }

  /** A view into the input. */
  bytes(what: string): Bytes {
    const { start, end } = this.#string(what)
    return this.#bytes.subarray(start, end)
  }

  /** @param length in bytes */
  hex(what: string, length: number): Hex {
    const { start, end } = this.#string(what)
    if (end - start !== length) throw new RlpError(`${what} is ${length} bytes, got ${end - start}`)
    return `0x${this.#bytes.toString('hex', start, end)}`
  }

  /** An integer that a `number` holds exactly. */
  number(what: string): number {
    const { start, end } = this.#string(what)
    if (end > start && this.#bytes[start] === 0) {
      throw new RlpError(`non-canonical integer: ${what} has leading zero bytes`)
    }
    let value = 0
    for (let index = start; index < end; index++) value = value * 256 + this.#bytes[index]!
    if (!Number.isSafeInteger(value)) throw new RlpError(`${what} is above 2^53`)
    return value
  }

  /** The next item, decoded as by `decodeRlp`. */
  item(): RlpItem {
    const start = this.#offset
    this.skip()
    return decodeRlp(this.#bytes.subarray(start, this.#offset))
  }

  /** Skips the next item. */
  skip(): void {
    this.#offset = readHead(this.#bytes, this.#offset, this.#bytes.length).end
  }

  #string(what: string) {
    const head = readHead(this.#bytes, this.#offset, this.#bytes.length)
    if (head.isList) throw new RlpError(`${what} is bytes, not a list`)
    this.#offset = head.end
    return head
  }
}
