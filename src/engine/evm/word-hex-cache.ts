import { type Hash, hexWithin } from '../../primitives/hex.ts'

/** Numbers of 32 bits in a word. */
const WORD = 8
const ENTRIES = 1_024

/**
 * The hex of words that were read lately: topics of logs, hashes of code. The same text for the same word, so that it is written
 * and hashed (as the key of a map) once. By content alone; the next word with the same place takes it.
 */
export class WordHexCache {
  readonly #words = new Uint32Array(ENTRIES * WORD)
  readonly #texts: (Hash | undefined)[] = new Array(ENTRIES).fill(undefined)

  /**
   * @param numbers a memory, and `bytes` the same
   * @param at where the word is, a multiple of four
   */
  hex(numbers: Uint32Array, bytes: Uint8Array, at: number): Hash {
    const from = at >>> 2
    // Addresses differ at the end, hashes everywhere.
    const position =
      (numbers[from]! ^ numbers[from + 6]! ^ (Math.imul(numbers[from + 7]!, 0x9e3779b1) >>> 15)) % ENTRIES
    const entry = (position < 0 ? position + ENTRIES : position) * WORD
    const known = this.#texts[entry / WORD]
    if (known !== undefined && this.#isAt(entry, numbers, from)) return known
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
