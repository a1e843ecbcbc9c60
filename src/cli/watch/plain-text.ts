import { oneLine } from '../../primitives/text/foreign-text.ts'

/**
 * A text of a node for a place of known width: one column per character. Control characters could move the cursor, and
 * wide or combining ones would shift what follows.
 */
export function plainText(text: string, maxLength: number): string {
  const safe = oneLine(text.slice(0, 4 * maxLength)).replace(/[^\x20-\x7e]/gu, '\ufffd')
  return safe.length <= maxLength ? safe : `${safe.slice(0, Math.max(0, maxLength - 1))}…`
}
