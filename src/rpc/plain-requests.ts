import type { Envelope } from './envelope.ts'
import { endOfString } from './nesting.ts'

/** Requests of a text, as they are written. */
export interface PlainRequests {
  readonly isBatch: boolean
  readonly envelopes: readonly Envelope[]
}

/** Digits of an id that a double holds exactly. */
const MOST_DIGITS = 15
const ZERO = 0x30
const NINE = 0x39
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const LAST_ASCII = 0x7e

const JSONRPC = '"jsonrpc":"2.0"'
const ID = '"id":'
const METHOD = '"method":"'
const PARAMS = '"params":['

/**
 * Reads requests whose meaning is beyond doubt, as nearly all clients write them: no spaces, each member once, whole numbers or
 * plain text as ids, and an array of params. A batch of a hundred takes half of the time so that `JSON.parse` takes. The params are parsed
 * by that, each array on its own, so that what is read here is JSON wherever they are.
 *
 * @param maxNesting levels of arrays and objects, the text's own included
 * @returns `undefined`: whatever it is, it has to be read as any JSON
 * @example readPlainRequests('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}', 100)
 */
export function readPlainRequests(text: string, maxNesting: number): PlainRequests | undefined {
  const reader = new PlainReader(text, maxNesting)
  try {
    return reader.read()
  } catch {
    // Params that are no JSON: whoever reads all of it says so.
    return undefined
  }
}

class PlainReader {
  readonly #text: string
  readonly #maxNesting: number
  #at = 0
  #lastMethod = ''

  constructor(text: string, maxNesting: number) {
    this.#text = text
    this.#maxNesting = maxNesting
  }

  /** @throws SyntaxError */
  read(): PlainRequests | undefined {
    const isBatch = this.#take(OPEN_ARRAY)
    const depth = isBatch ? 1 : 0
    const envelopes: Envelope[] = []
    do {
      const envelope = this.#request(depth)
      if (envelope === undefined) return undefined
      envelopes.push(envelope)
    } while (isBatch && this.#take(COMMA))
    if (isBatch && !this.#take(CLOSE_ARRAY)) return undefined
    return this.#at === this.#text.length ? { isBatch, envelopes } : undefined
  }

  /** @param depth levels around it */
  #request(depth: number): Envelope | undefined {
    if (!this.#take(OPEN_OBJECT) || depth + 2 > this.#maxNesting) return undefined
    let id: string | undefined
    let method: string | undefined
    let params: readonly unknown[] | undefined
    let isVersioned = false
    do {
      if (!isVersioned && this.#takeText(JSONRPC)) isVersioned = true
      else if (id === undefined && this.#takeText(ID)) {
        id = this.#id()
        if (id === undefined) return undefined
      } else if (method === undefined && this.#takeText(METHOD)) {
        method = this.#method()
        if (method === undefined) return undefined
      } else if (params === undefined && this.#takeText(PARAMS)) {
        params = this.#params(depth + 2)
        if (params === undefined) return undefined
      } else return undefined
    } while (this.#take(COMMA))
    if (!this.#take(CLOSE_OBJECT) || !isVersioned || method === undefined) return undefined
    return { kind: 'request', id, method, params: params ?? [] }
  }

  #take(character: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== character) return false
    this.#at++
    return true
  }

  #takeText(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  /** A whole number as `String` would write it, or a text that needs no escapes. */
  #id(): string | undefined {
    const text = this.#text
    const start = this.#at
    if (text.charCodeAt(start) === QUOTE) {
      this.#at = start + 1
      return this.#plainText() === undefined ? undefined : text.slice(start, this.#at)
    }
    let end = start
    for (let digit = text.charCodeAt(end); digit >= ZERO && digit <= NINE; digit = text.charCodeAt(end)) end++
    const digits = end - start
    const isLeadingZero = digits > 1 && text.charCodeAt(start) === ZERO
    if (digits === 0 || digits > MOST_DIGITS || isLeadingZero) return undefined
    this.#at = end
    return text.slice(start, end)
  }

  /** The items of a batch often ask the same: one string, whose hash is known when the method is looked up. */
  #method(): string | undefined {
    const same = this.#lastMethod
    const end = this.#at + same.length
    if (same !== '' && this.#text.charCodeAt(end) === QUOTE && this.#text.startsWith(same, this.#at)) {
      this.#at = end + 1
      return same
    }
    const method = this.#plainText()
    this.#lastMethod = method ?? ''
    return method
  }

  /** What is left of a string of printable ASCII without escapes. */
  #plainText(): string | undefined {
    const text = this.#text
    const start = this.#at
    for (let end = start; end < text.length; end++) {
      const character = text.charCodeAt(end)
      if (character === QUOTE) {
        this.#at = end + 1
        return text.slice(start, end)
      }
      if (character < 0x20 || character > LAST_ASCII || character === BACKSLASH) return undefined
    }
    return undefined
  }

  /**
   * @param depth levels up to this array, itself included
   * @throws SyntaxError
   */
  #params(depth: number): readonly unknown[] | undefined {
    const text = this.#text
    const start = this.#at - 1
    if (this.#take(CLOSE_ARRAY)) return []
    let nested = depth
    for (let index = this.#at; index < text.length; index++) {
      switch (text.charCodeAt(index)) {
        case QUOTE:
          index = endOfString(text, index + 1)
          break
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          if (++nested > this.#maxNesting) return undefined
          break
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (--nested >= depth) break
          this.#at = index + 1
          return JSON.parse(text.slice(start, index + 1)) as unknown[]
      }
    }
    return undefined
  }
}
