import { oneLine } from '../../../primitives/text/foreign-text.ts'
import type { WireObject } from '../chain/wire.ts'
import { featureName } from '../terms/features.ts'

/**
 * An event of the stock service as a line.
 *
 * @example changeLine(change) // 'block 105.2  supply 1000025 (25)'
 */
export function changeLine(change: WireObject): string {
  const { block_number: block, flashblock, removed } = change
  const undone = removed === true ? 'removed: ' : ''
  return oneLine(`block ${block}.${flashblock}  ${undone}${contentOf(change)}`)
}

function contentOf(change: WireObject): string {
  const { kind, paused_features: paused } = change
  switch (kind) {
    case 'supply':
      return `supply ${change.total_supply_exact} (${change.difference_exact})`
    case 'multiplier':
      return `multiplier ${change.multiplier_exact}`
    case 'pause':
      return `paused ${(Array.isArray(paused) && paused.map(featureName).join(', ')) || 'none'}`
    case 'price':
      return `price ${change.nav_price_exact}`
    default:
      return actionOf(change)
  }
}

function actionOf({ action, multiplier_exact, effective_at, announcement, description }: WireObject): string {
  const text = typeof description === 'string' && description !== '' ? `: ${description}` : ''
  switch (action) {
    case 'multiplier_scheduled':
      return `multiplier ${multiplier_exact} scheduled for ${effective_at}`
    case 'multiplier_cancelled':
      return `multiplier ${multiplier_exact} of ${effective_at} cancelled`
    case 'announced':
      return `announced ${JSON.stringify(announcement)}${text}`
    default:
      return `end of announcement ${JSON.stringify(announcement)}`
  }
}
