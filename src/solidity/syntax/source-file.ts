/** A place in the text of a file, as editors show it. */
export interface TextPosition {
  /** The first line is 1. */
  readonly line: number
  /** In UTF-16 units; the first column is 1. */
  readonly column: number
}

/** The text of a source. Compilers count its bytes in UTF-8. */
export class SourceFile {
  /** As in source maps and syntax trees. */
  readonly id: number
  readonly path: string
  readonly content: string
  #lines: readonly string[] | undefined
  #starts: Int32Array | undefined

  constructor(id: number, path: string, content: string) {
    this.id = id
    this.path = path
    this.content = content
  }

  /** Without their ends. */
  get lines(): readonly string[] {
    this.#lines ??= this.content.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    return this.#lines
  }

  /** Line of a byte; the first one is 1. */
  lineAt(byte: number): number {
    const starts = this.#lineStarts()
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= byte) low = middle
      else high = middle
    }
    return low + 1
  }

  positionAt(byte: number): TextPosition {
    const line = this.lineAt(byte)
    const text = this.lines[line - 1] ?? ''
    let left = byte - this.#lineStarts()[line - 1]!
    let column = 1
    for (const character of text) {
      if (left <= 0) break
      left -= utf8Bytes(character.codePointAt(0)!)
      column += character.length
    }
    return { line, column }
  }

  /** Text of a range of bytes. */
  textOf(start: number, length: number): string {
    const from = this.positionAt(start)
    const to = this.positionAt(start + length)
    if (from.line === to.line) return (this.lines[from.line - 1] ?? '').slice(from.column - 1, to.column - 1)
    const first = (this.lines[from.line - 1] ?? '').slice(from.column - 1)
    const last = (this.lines[to.line - 1] ?? '').slice(0, to.column - 1)
    return [first, ...this.lines.slice(from.line, to.line - 1), last].join('\n')
  }

  /** The first byte of each line. */
  #lineStarts(): Int32Array {
    if (this.#starts !== undefined) return this.#starts
    const starts: number[] = [0]
    let byte = 0
    for (const character of this.content) {
      const code = character.codePointAt(0)!
      byte += utf8Bytes(code)
      if (code === LINE_FEED) starts.push(byte)
    }
    this.#starts = Int32Array.from(starts)
    return this.#starts
  }
}

const LINE_FEED = 10

function utf8Bytes(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x1_0000 ? 3 : 4
}
