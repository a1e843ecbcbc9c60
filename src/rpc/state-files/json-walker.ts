/** What happens with a value: it is taken whole, walked into (unless it has no members: then taken), or passed over. */
export type Visit = 'take' | 'enter' | 'skip'

/** Decides about the value at a path. Elements of an array have their index as key. */
export type Visitor = (path: readonly (string | number)[]) => Visit

export interface WalkedValue {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** The text is no JSON. */
export class InvalidJsonError extends Error {
  override readonly name = 'InvalidJsonError'
  readonly code = 'INVALID_JSON'
}

interface Container {
  readonly isArray: boolean
  key: string | number
  /** A member has to have its key before its value. */
  awaits: 'key' | 'colon' | 'value' | 'separator'
  isEmpty: boolean
}

const QUOTE = codeOf('"')
const BACKSLASH = codeOf('\\')
const COLON = codeOf(':')
const COMMA = codeOf(',')
const BRACE = codeOf('{')
const BRACE_END = codeOf('}')
const BRACKET = codeOf('[')
const BRACKET_END = codeOf(']')

/** Characters of a key or a taken value: the code of a contract of 16 MB, far beyond what a block can deploy. */
export const MAX_WALKED_CHARACTERS = 32 * 2 ** 20

/**
 * Reads a JSON text in chunks without holding it: values that the visitor takes are parsed whole, the rest is not kept.
 * A file of a gigabyte needs the memory of its largest taken value, which is limited.
 */
export class JsonWalker {
  readonly #visit: Visitor
  readonly #maxCharacters: number
  readonly #open: Container[] = []
  #isDone = false
  /** Text of the key, or of the value that is taken. */
  #text = ''
  #mode: 'structure' | 'key' | 'value' = 'structure'
  #isTaken = false
  /** In a value: open containers, and whether it is within a string. */
  #depth = 0
  #inString = false
  #isEscaped = false
  #isScalar = false

  constructor(visit: Visitor, maxCharacters = MAX_WALKED_CHARACTERS) {
    this.#visit = visit
    this.#maxCharacters = maxCharacters
  }

  /**
   * @returns the taken values that end in this chunk
   * @throws InvalidJsonError
   */
  push(chunk: string): WalkedValue[] {
    const found: WalkedValue[] = []
    for (let index = 0; index < chunk.length; index++) {
      if (this.#mode === 'structure') {
        this.#structure(chunk.charCodeAt(index))
        continue
      }
      const start = index
      const end = this.#endOfToken(chunk, index)
      const isComplete = end >= 0
      const stop = isComplete ? end : chunk.length
      if (this.#mode === 'key' || this.#isTaken) this.#take(chunk.slice(start, stop))
      if (!isComplete) break
      // The character after a number or a word belongs to the structure.
      index = stop - 1
      if (this.#mode === 'key') this.#endKey()
      else this.#endValue(found)
    }
    return found
  }

  /**
   * @returns the value of a text that is a number or a word: no character ends it
   * @throws InvalidJsonError unless the text is complete
   */
  end(): WalkedValue[] {
    const found: WalkedValue[] = []
    if (this.#mode === 'value' && this.#isScalar && this.#open.length === 0) this.#endValue(found)
    if (!this.#isDone) throw new InvalidJsonError('the text ends before its last value')
    return found
  }

  #take(text: string): void {
    this.#text += text
    if (this.#text.length > this.#maxCharacters) {
      throw new InvalidJsonError(`a value has more than ${this.#maxCharacters} characters`)
    }
  }

  #path(): (string | number)[] {
    return this.#open.map(({ key }) => key)
  }

  #structure(code: number): void {
    if (isSpace(code)) return
    const top = this.#open.at(-1)
    if (top === undefined) {
      if (this.#isDone) throw unexpected(code)
      this.#beginValue(code)
      return
    }
    const isClosing = code === (top.isArray ? BRACKET_END : BRACE_END)
    if (isClosing && (top.awaits === 'separator' || (top.isEmpty && top.awaits === (top.isArray ? 'value' : 'key')))) {
      this.#open.pop()
      this.#afterValue()
      return
    }
    switch (top.awaits) {
      case 'key':
        if (code !== QUOTE) throw unexpected(code)
        this.#mode = 'key'
        this.#text = '"'
        this.#inString = true
        break
      case 'colon':
        if (code !== COLON) throw unexpected(code)
        top.awaits = 'value'
        break
      case 'value':
        top.isEmpty = false
        this.#beginValue(code)
        break
      case 'separator':
        if (code !== COMMA) throw unexpected(code)
        top.awaits = top.isArray ? 'value' : 'key'
        if (typeof top.key === 'number') top.key += 1
    }
  }

  #beginValue(first: number): void {
    if (!beginsValue(first)) throw unexpected(first)
    const isContainer = first === BRACE || first === BRACKET
    const visit = this.#open.length === 0 ? 'enter' : this.#visit(this.#path())
    if (visit === 'enter' && isContainer) {
      const isArray = first === BRACKET
      this.#open.push({ isArray, key: isArray ? 0 : '', awaits: isArray ? 'value' : 'key', isEmpty: true })
      return
    }
    this.#mode = 'value'
    // There is nothing to enter: the reader judges it.
    this.#isTaken = visit !== 'skip'
    this.#text = this.#isTaken ? String.fromCharCode(first) : ''
    this.#depth = isContainer ? 1 : 0
    this.#inString = first === QUOTE
    this.#isScalar = !isContainer && first !== QUOTE
  }

  #afterValue(): void {
    const top = this.#open.at(-1)
    if (top === undefined) this.#isDone = true
    else top.awaits = 'separator'
  }

  #endKey(): void {
    const top = this.#open.at(-1)!
    top.key = parsed(this.#text) as string
    top.awaits = 'colon'
    top.isEmpty = false
    this.#mode = 'structure'
  }

  #endValue(found: WalkedValue[]): void {
    this.#mode = 'structure'
    if (this.#isTaken) found.push({ path: this.#path(), value: parsed(this.#text) })
    this.#text = ''
    this.#afterValue()
  }

  /** @returns the index after the key or value, -1 if it goes on in the next chunk */
  #endOfToken(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (code === BACKSLASH) this.#isEscaped = true
        else if (code === QUOTE) {
          this.#inString = false
          if (this.#depth === 0) return index + 1
        }
      } else if (this.#isScalar) {
        if (isSpace(code) || isSeparator(code)) return index
      } else if (code === QUOTE) this.#inString = true
      else if (code === BRACE || code === BRACKET) this.#depth += 1
      else if ((code === BRACE_END || code === BRACKET_END) && --this.#depth === 0) return index + 1
    }
    return -1
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidJsonError((error as Error).message)
  }
}

function codeOf(character: string): number {
  return character.charCodeAt(0)
}

/** The white space of JSON (RFC 8259, section 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Whether a value may begin so: an object, a list, a string, a number, or one of the words true, false and null. */
function beginsValue(code: number): boolean {
  return '{["-0123456789tfn'.includes(String.fromCharCode(code))
}

/** Whether a value ends before this character. */
function isSeparator(code: number): boolean {
  return code === COMMA || code === BRACKET_END || code === BRACE_END
}

function unexpected(code: number): InvalidJsonError {
  return new InvalidJsonError(`unexpected ${JSON.stringify(String.fromCharCode(code))}`)
}
