const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/**
 * Text from the chain, made safe for a terminal. Anyone may choose the name of a stock, or what a contract prints or
 * reverts with: characters that would move the cursor or change colours or the writing direction are shown as U+FFFD.
 */
export function oneLine(text: string): string {
  return text.replace(CONTROL, '\ufffd')
}

/** As `oneLine`, for several lines. */
export function manyLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}
