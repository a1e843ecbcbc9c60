import { StockError } from './stock-error.ts'

/** Features that can be paused separately, by ordinal. */
const FEATURES = ['transfer', 'mint', 'burn', 'seize'] as const

/** @example featureName(1n) // 'mint' */
export function featureName(ordinal: number | bigint): string {
  return FEATURES[Number(ordinal)] ?? String(ordinal)
}

/**
 * Parses a comma-separated list of distinct feature names, or `all`, to ordinals.
 *
 * @throws StockError `INVALID_INPUT`
 */
export function parseFeatures(text: string): readonly number[] {
  if (text === 'all') return FEATURES.map((_, ordinal) => ordinal)
  const ordinals = text.split(',').map((name) => {
    const ordinal = (FEATURES as readonly string[]).indexOf(name.trim().toLowerCase())
    if (ordinal < 0) {
      throw new StockError('INVALID_INPUT', `there is no feature ${name}: choose from ${FEATURES.join(', ')}, or all`)
    }
    return ordinal
  })
  return [...new Set(ordinals)]
}
