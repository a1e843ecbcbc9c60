import { type Hash, hexWithin } from '../../primitives/hex.ts'

/** u32 per word. */
const WORD = 8
const ENTRIES = 1_024

/**
 * Cache of the hex of recently read words: log topics and code hashes. Returning the same string avoids formatting it
 * and computing its hash as a map key again. Direct-mapped and keyed by content.
 */
export class WordHexCache {
  readonly #words = new Uint32Array(ENTRIES * WORD)
  readonly #texts: (Hash | undefined)[] = new Array(ENTRIES).fill(undefined)

  /**
   * @param numbers a memory, of which `bytes` is another view
   * @param at 4-byte aligned address of the word
   */
  hex(numbers: Uint32Array, bytes: Uint8Array, at: number): Hash {
    const from = at >>> 2
    // Addresses differ at the end, hashes everywhere.
    const position =
      (numbers[from]! ^ numbers[from + 6]! ^ (Math.imul(numbers[from + 7]!, 0x9e3779b1) >>> 15)) % ENTRIES
    const entry = (position < 0 ? position + ENTRIES : position) * WORD
    const cached = this.#texts[entry / WORD]
    if (cached !== undefined && this.#isAt(entry, numbers, from)) return cached
    for (let index = 0; index < WORD; index++) this.#words[entry + index] = numbers[from + index]!
    const text = hexWithin(bytes, at, at + 4 * WORD) as Hash
    this.#texts[entry / WORD] = text
    return text
  }

  #isAt(entry: number, numbers: Uint32Array, from: number): boolean {
    const words = this.#words
    for (let index = 0; index < WORD; index++) if (words[entry + index] !== numbers[from + index]) return false
    return true
  }
}
