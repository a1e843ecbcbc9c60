import { RPC_CODES, RpcError } from '../protocol/errors.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Limits of a JSON text, checked before it is parsed. */
export interface TextLimits {
  /** Levels of arrays and objects. */
  readonly maxNesting: number
  /** Items of a batch. */
  readonly maxBatchItems: number
  /** Items of an array inside a request. */
  readonly maxItems: number
  /** Members of an object. */
  readonly maxMembers: number
  /** Arrays, objects, and their items and members, in the whole text. */
  readonly maxValues: number
}

/**
 * Finds out in one pass whether a JSON text has more structure than any method needs. Parsing and decoding take time
 * for each value, and cannot be divided into slices: five megabytes of small values would take a second.
 *
 * @returns `undefined`: the text is within the limits, but may not be JSON
 * @example textShapeError('[[1]]', { ...limits, maxNesting: 1 })
 */
export function textShapeError(text: string, limits: TextLimits): RpcError | undefined {
  const { maxNesting, maxValues } = limits
  /** For each open array or object: the number of commas that may still follow, and whether it is an object. */
  const left: number[] = []
  const areObjects: boolean[] = []
  let values = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index + 1)
        break
      case 0x2c: // ,
        if (left.length > 0 && --left[left.length - 1]! < 0) return tooManyIn(areObjects, limits)
        if (++values > maxValues) return tooMany(`more than ${maxValues} values`, '--max-values')
        break
      case 0x5b: // [
      case 0x7b: // {
        if (left.length === maxNesting) return tooMany(`nested deeper than ${maxNesting} levels`, '--max-nesting')
        if (++values > maxValues) return tooMany(`more than ${maxValues} values`, '--max-values')
        areObjects.push(text.charCodeAt(index) === 0x7b)
        left.push(mostCommas(areObjects, limits))
        break
      case 0x5d: // ]
      case 0x7d: // }
        left.pop()
        areObjects.pop()
        break
    }
  }
  return undefined
}

/** Characters of a text that cannot exceed a limit: an item takes two, with its comma. */
export function smallTextSize({ maxItems, maxMembers, maxValues }: TextLimits): number {
  return 2 * Math.min(maxItems, maxMembers, maxValues)
}

/** @returns an error whose text names a flag */
export function batchTooLarge(maxItems: number): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, `batch too large, want at most ${maxItems} items (--max-batch-items)`)
}

/** @param areObjects of the open arrays and objects, whether they are objects */
function mostCommas(areObjects: readonly boolean[], { maxMembers, maxItems, maxBatchItems }: TextLimits): number {
  if (areObjects.at(-1) === true) return maxMembers - 1
  return (areObjects.length === 1 ? maxBatchItems : maxItems) - 1
}

function tooManyIn(areObjects: readonly boolean[], { maxMembers, maxItems, maxBatchItems }: TextLimits): RpcError {
  if (areObjects.at(-1) === true) return tooMany(`an object with more than ${maxMembers} members`, '--max-members')
  if (areObjects.length === 1) return batchTooLarge(maxBatchItems)
  return tooMany(`an array with more than ${maxItems} items`, '--max-items')
}

function tooMany(what: string, flag: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, `invalid request: ${what} (${flag})`)
}

/** Position of the closing quote of a string whose text begins at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== BACKSLASH || quote === start) return quote
  // A search for each of many escaped quotes would take longer than one look at each character.
  for (let index = start; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === QUOTE) return index
    if (character === BACKSLASH) index++
  }
  return text.length
}
