import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { WireObject } from '../chain/wire.ts'
import { featureName } from '../terms/features.ts'

/**
 * A corporate action of the stock service as a line.
 *
 * @example actionLine(entry) // '2026-03-02T14:30:00Z  multiplier 4, scheduled (block 4711)'
 */
export function actionLine(entry: WireObject): string {
  const { effective_at: time, block_number: block } = entry
  const place = block === null ? 'without an event' : `block ${block}`
  return `${time ?? 'no time'.padEnd(20)}  ${contentOf(entry)} (${place})`
}

function contentOf({ kind, status, multiplier_exact, announcement, description, features }: WireObject): string {
  switch (kind) {
    case 'multiplier':
      return `multiplier ${multiplier_exact}, ${status}`
    case 'announced':
      return `announced ${quoted(announcement)}${description ? `: ${oneLine(String(description))}` : ''}`
    case 'announcement_ended':
      return `end of announcement ${quoted(announcement)}`
    default:
      return `${kind} ${Array.isArray(features) ? features.map(featureName).join(', ') : ''}`
  }
}

function quoted(text: unknown): string {
  return typeof text === 'string' ? oneLine(JSON.stringify(text)) : 'a text that is too long'
}
