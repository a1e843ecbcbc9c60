/** Control characters, line separators, and characters that reorder or hide the text around them. */
const INVISIBLE =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/**
 * A text of the chain as one line that shows each of its characters in order: those that could hide or reorder others
 * become U+FFFD.
 *
 * @param max characters that are kept; an ellipsis stands for the rest
 * @example visibleText('abc\u202edef', 24) // 'abc\ufffddef'
 */
export function visibleText(text: string, max: number): string {
  // A symbol may have a megabyte: only its beginning is looked at.
  const shown = [...text.slice(0, 2 * max)].slice(0, max).join('')
  return `${shown.replaceAll(INVISIBLE, '\ufffd')}${shown.length < text.length ? '…' : ''}`
}
