import { jsonIn } from '../../live/amount.ts'

export type ParameterList =
  | { readonly kind: 'parameters'; readonly list: readonly unknown[] }
  /** The message says what to write. */
  | { readonly kind: 'invalid'; readonly message: string }

/** Strings, which may contain digits, and numbers of JSON. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The parameters of a request from a JSON array; an empty text has none. */
export function parametersFrom(text: string): ParameterList {
  const json = jsonIn(text.trim() === '' ? '[]' : text)
  if (!Array.isArray(json)) {
    return { kind: 'invalid', message: 'Write the parameters as a JSON array, as in ["latest", false].' }
  }
  const lossy = text.match(TOKENS)?.find((token) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)))
  if (lossy === undefined) return { kind: 'parameters', list: json }
  return { kind: 'invalid', message: `${lossy} would lose digits as a JSON number: write it in hex, in quotes.` }
}

/** Longer parameters stay out of the address of the page. */
const MAX_SHARED = 2_000
/** Methods whose parameters are keys, passwords or mnemonics. */
const SECRET = /^(?:personal|account|clef)_|private|rawkey|secret|mnemonic|passw|passphrase|unlock/i

/**
 * Whether the parameters of a request may be in the address of the page, which people share and browsers keep.
 * Parameters that contain a URL may not: URLs of nodes often contain keys.
 */
export function isSharable(method: string, params: string): boolean {
  return params.length <= MAX_SHARED && !SECRET.test(method) && !params.includes('://')
}
