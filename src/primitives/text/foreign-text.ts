/** Control characters, line separators, and characters that change the direction of what follows. */
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** Enough for any message that an operator would read. */
const MAX_CHARACTERS = 500

/**
 * Text from the chain or from another program, made safe for one line of a terminal. Anyone may choose the name of a
 * stock, or what a contract prints or reverts with: characters that would move the cursor or change colours or the
 * writing direction are shown as U+FFFD.
 */
export function oneLine(text: string): string {
  return text.replace(CONTROL, '\ufffd')
}

/**
 * What another program says about a failure, for an error, the log and a terminal: one line of bounded length.
 *
 * @param maxCharacters default: 500
 */
export function foreignText(text: string, maxCharacters = MAX_CHARACTERS): string {
  const line = oneLine(text.slice(0, maxCharacters))
  return text.length <= maxCharacters ? line : `${line}…`
}
