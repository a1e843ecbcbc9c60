const OPEN = new Set(Buffer.from('{['))
const CLOSE = new Set(Buffer.from('}]'))
const WHITESPACE = new Set(Buffer.from(' \t\r\n'))
const [QUOTE, BACKSLASH, NEWLINE] = Buffer.from('"\\\n') as unknown as [number, number, number]

/** Where in a text the next byte is. */
type Position =
  /** Between two texts. */
  | 'outside'
  | 'value'
  | 'string'
  /** After a backslash in a string. */
  | 'escape'
  /** In a line that does not begin as an object or an array. */
  | 'line'

/**
 * Splits a stream of JSON texts, which may be separated by white space or by nothing, as go-ethereum and Anvil read
 * them from an IPC endpoint. What does not begin as an object or an array ends with its line, so that it can be
 * answered with a parse error. Structural characters are ASCII, so that a chunk may end within a character.
 */
export class JsonSplitter {
  #chunks: Buffer[] = []
  #size = 0
  #position: Position = 'outside'
  #depth = 0

  /** Bytes of the incomplete text. */
  get size(): number {
    return this.#size
  }

  /** @returns the texts that the chunk completes */
  push(chunk: Buffer): string[] {
    const texts: string[] = []
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      if (this.#position === 'outside') start = index
      if (!this.#endsWith(chunk[index]!)) continue
      texts.push(this.#take(chunk.subarray(start, index + 1)))
      start = index + 1
    }
    if (this.#position !== 'outside') this.#keep(chunk.subarray(start))
    return texts
  }

  /** @returns whether the byte is the last one of a text */
  #endsWith(byte: number): boolean {
    switch (this.#position) {
      case 'outside':
        if (WHITESPACE.has(byte)) return false
        this.#depth = OPEN.has(byte) ? 1 : 0
        this.#position = OPEN.has(byte) ? 'value' : 'line'
        return false
      case 'value':
        if (byte === QUOTE) this.#position = 'string'
        else if (OPEN.has(byte)) this.#depth += 1
        else if (CLOSE.has(byte)) this.#depth -= 1
        return this.#depth === 0
      case 'string':
        if (byte === QUOTE) this.#position = 'value'
        else if (byte === BACKSLASH) this.#position = 'escape'
        return false
      case 'escape':
        this.#position = 'string'
        return false
      case 'line':
        return byte === NEWLINE
    }
  }

  #keep(rest: Buffer): void {
    this.#chunks.push(rest)
    this.#size += rest.length
  }

  #take(rest: Buffer): string {
    const text = this.#chunks.length === 0 ? rest.toString() : Buffer.concat([...this.#chunks, rest]).toString()
    this.#chunks = []
    this.#size = 0
    this.#position = 'outside'
    return text
  }
}
