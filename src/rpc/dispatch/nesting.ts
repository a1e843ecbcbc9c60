/**
 * Whether arrays and objects in a JSON text are nested deeper than `limit`. Runs before parsing, so that a text of
 * brackets costs nothing else.
 *
 * @example nestsDeeperThan('[[1]]', 1) // true
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index + 1)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limit) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return false
}

/** Position of the closing quote of a string whose text begins at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start)
  while (quote !== -1 && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote
}

/** An odd number of backslashes before it. */
function isEscaped(text: string, position: number, start: number): boolean {
  let backslashes = 0
  while (position - 1 - backslashes >= start && text[position - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
