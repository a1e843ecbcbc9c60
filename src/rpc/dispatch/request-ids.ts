import { endOfString } from './text-shape.ts'

const NUMBER = /[-+.\w]+/y

/**
 * The numeric ids of a request, or of the items of a batch, as they are written: a double would round ids above 2^53
 * (JSON-RPC 2.0: the response has the same value).
 *
 * @param text valid JSON
 * @returns by position of the item; 0 for a single request
 * @example numericIds('{"id":9007199254740993}').get(0) // '9007199254740993'
 */
export function numericIds(text: string): ReadonlyMap<number, string> {
  const ids = new Map<number, string>()
  const isBatch = /^\s*\[/.test(text)
  const level = isBatch ? 2 : 1
  let depth = 0
  let item = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        // "
        const end = endOfString(text, index + 1)
        const value = depth === level ? valueAfter(text, end + 1) : undefined
        if (value !== undefined && JSON.parse(text.slice(index, end + 1)) === 'id') {
          const id = numberAt(text, value)
          // As in JSON.parse, the last of several wins.
          if (id === undefined) ids.delete(item)
          else ids.set(item, id)
        }
        index = end
        break
      }
      case 0x2c: // ,
        if (isBatch && depth === 1) item++
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return ids
}

/** Position of the value of a member; `undefined`: the string before was not a member name. */
function valueAfter(text: string, position: number): number | undefined {
  const colon = skipSpace(text, position)
  return text[colon] === ':' ? skipSpace(text, colon + 1) : undefined
}

function numberAt(text: string, position: number): string | undefined {
  if (!/[-\d]/.test(text[position] ?? '')) return undefined
  NUMBER.lastIndex = position
  return NUMBER.exec(text)?.[0]
}

function skipSpace(text: string, position: number): number {
  let index = position
  while (' \t\n\r'.includes(text[index] ?? 'x')) index++
  return index
}
