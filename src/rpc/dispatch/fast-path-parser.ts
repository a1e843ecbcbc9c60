import type { Envelope } from './envelope.ts'
import { endOfString } from './text-shape.ts'

interface FastPathOptions {
  /** Levels of arrays and objects, including the text's own. */
  readonly maxNesting: number
  /** Interns the name of a known method; `undefined`: unknown. */
  readonly nameOf: (written: string) => string | undefined
}

/** Requests of a text in their order. */
export interface PlainRequests {
  readonly isBatch: boolean
  readonly envelopes: readonly Envelope[]
}

/** Characters. Longer texts take long anyway, and might be parsed twice. */
const LONGEST = 256 * 1024
/** Digits of an id that a double represents exactly. */
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
 * Parses requests in the form that viem, ethers, web3.js and go-ethereum write: no spaces, each member once, integers
 * or plain text as ids, params as an array. Without params it takes half the time of `JSON.parse`. Params are parsed by
 * `JSON.parse`, so everything that it accepts is JSON.
 *
 * The results hold no slices of the text: V8 keeps the whole text in memory for a slice, and a request may wait long.
 *
 * @returns `undefined`: the text has to be parsed as any JSON
 * @example parseFastPath('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}', { maxNesting: 100, nameOf })
 */
export function parseFastPath(text: string, options: FastPathOptions): PlainRequests | undefined {
  return text.length > LONGEST ? undefined : new FastPathParser(text, options).read()
}

class FastPathParser {
  readonly #text: string
  readonly #maxNesting: number
  readonly #nameOf: (written: string) => string | undefined
  #at = 0
  #lastMethod = ''

  constructor(text: string, { maxNesting, nameOf }: FastPathOptions) {
    this.#text = text
    this.#maxNesting = maxNesting
    this.#nameOf = nameOf
  }

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
    // go-ethereum's client and shells end the text with a newline.
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#at === this.#text.length ? { isBatch, envelopes } : undefined
  }

  /** @param depth levels around the request */
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

  /** An integer in canonical form, or a string without escapes. */
  #id(): string | undefined {
    const text = this.#text
    const start = this.#at
    if (this.#take(QUOTE)) {
      const plain = this.#plainText()
      return plain === undefined ? undefined : `"${copyOf(plain)}"`
    }
    let value = 0
    let end = start
    for (let digit = text.charCodeAt(end); digit >= ZERO && digit <= NINE; digit = text.charCodeAt(++end)) {
      value = value * 10 + (digit - ZERO)
    }
    const digits = end - start
    const isLeadingZero = digits > 1 && text.charCodeAt(start) === ZERO
    if (digits === 0 || digits > MOST_DIGITS || isLeadingZero) return undefined
    this.#at = end
    return String(value)
  }

  /** Items of a batch often call the same method: one string object, whose hash is computed once. */
  #method(): string | undefined {
    const same = this.#lastMethod
    const end = this.#at + same.length
    if (same !== '' && this.#text.charCodeAt(end) === QUOTE && this.#text.startsWith(same, this.#at)) {
      this.#at = end + 1
      return same
    }
    const written = this.#plainText()
    if (written === undefined) return undefined
    this.#lastMethod = this.#nameOf(written) ?? copyOf(written)
    return this.#lastMethod
  }

  /** The rest of a string of printable ASCII without escapes. */
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

  /** @param depth levels including this array */
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
          return parsed(text.slice(start, index + 1))
      }
    }
    return undefined
  }
}

/** `undefined`: parsing the whole text reports the error. */
function parsed(array: string): readonly unknown[] | undefined {
  try {
    return JSON.parse(array) as unknown[]
  } catch {
    return undefined
  }
}

/** A copy that is not a slice of the text. */
function copyOf(plain: string): string {
  return JSON.parse(`"${plain}"`) as string
}

function isSpace(character: number): boolean {
  return character === 0x0a || character === 0x20 || character === 0x0d || character === 0x09
}
