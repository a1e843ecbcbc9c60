import { createHash } from 'node:crypto'

/** Digest of a text for entity tags: 16 hex digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
