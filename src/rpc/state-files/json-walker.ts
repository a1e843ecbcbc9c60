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

const SPACE = /\s/
const SCALAR_END = /[\s,\]}]/

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

  /** @throws InvalidJsonError */
  *push(chunk: string): Generator<WalkedValue> {
    for (let index = 0; index < chunk.length; index++) {
      const character = chunk[index]!
      if (this.#mode === 'structure') {
        this.#structure(character)
        continue
      }
      const start = index
      const end = this.#endOfToken(chunk, index)
      const isComplete = end >= 0
      const stop = isComplete ? end : chunk.length
      if (this.#mode === 'key' || this.#isTaken) this.#take(chunk.slice(start, stop))
      if (!isComplete) return
      // The character after a number or a word belongs to the structure.
      index = stop - 1
      if (this.#mode === 'key') this.#endKey()
      else yield* this.#endValue()
    }
  }

  /** @throws InvalidJsonError unless the text is complete */
  end(): void {
    if (!this.#isDone) throw new InvalidJsonError('the text ends before its last value')
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

  #structure(character: string): void {
    if (SPACE.test(character)) return
    const top = this.#open.at(-1)
    if (top === undefined) {
      if (this.#isDone) throw unexpected(character)
      this.#beginValue(character)
      return
    }
    const isClosing = character === (top.isArray ? ']' : '}')
    if (isClosing && (top.awaits === 'separator' || (top.isEmpty && top.awaits === (top.isArray ? 'value' : 'key')))) {
      this.#open.pop()
      this.#afterValue()
      return
    }
    switch (top.awaits) {
      case 'key':
        if (character !== '"') throw unexpected(character)
        this.#mode = 'key'
        this.#text = '"'
        this.#inString = true
        break
      case 'colon':
        if (character !== ':') throw unexpected(character)
        top.awaits = 'value'
        break
      case 'value':
        top.isEmpty = false
        this.#beginValue(character)
        break
      case 'separator':
        if (character !== ',') throw unexpected(character)
        top.awaits = top.isArray ? 'value' : 'key'
        if (typeof top.key === 'number') top.key += 1
    }
  }

  #beginValue(first: string): void {
    if (/[,:\]}]/.test(first)) throw unexpected(first)
    const isContainer = first === '{' || first === '['
    const visit = this.#open.length === 0 ? 'enter' : this.#visit(this.#path())
    if (visit === 'enter' && isContainer) {
      const isArray = first === '['
      this.#open.push({ isArray, key: isArray ? 0 : '', awaits: isArray ? 'value' : 'key', isEmpty: true })
      return
    }
    this.#mode = 'value'
    // There is nothing to enter: the reader judges it.
    this.#isTaken = visit !== 'skip'
    this.#text = this.#isTaken ? first : ''
    this.#depth = isContainer ? 1 : 0
    this.#inString = first === '"'
    this.#isScalar = !isContainer && first !== '"'
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

  *#endValue(): Generator<WalkedValue> {
    this.#mode = 'structure'
    if (this.#isTaken) yield { path: this.#path(), value: parsed(this.#text) }
    this.#text = ''
    this.#afterValue()
  }

  /** @returns the index after the key or value, -1 if it goes on in the next chunk */
  #endOfToken(chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const character = chunk[index]!
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (character === '\\') this.#isEscaped = true
        else if (character === '"') {
          this.#inString = false
          if (this.#depth === 0) return index + 1
        }
      } else if (this.#isScalar) {
        if (SCALAR_END.test(character)) return index
      } else if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') this.#depth += 1
      else if ((character === '}' || character === ']') && --this.#depth === 0) return index + 1
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

function unexpected(character: string): InvalidJsonError {
  return new InvalidJsonError(`unexpected ${JSON.stringify(character)}`)
}
