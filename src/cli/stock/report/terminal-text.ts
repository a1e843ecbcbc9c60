const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/**
 * A text of the chain for a terminal. Anybody may create a stock and choose its name: what would move the cursor,
 * change colours or the direction of writing is shown as U+FFFD.
 */
export function oneLine(text: string): string {
  return text.replace(CONTROL, '\ufffd')
}

/** The same for several lines. */
export function manyLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}
