/** Multipliers of stocks, which count shares per token, have 18 decimals (ERC-8056). */
export const MULTIPLIER_DECIMALS = 18

/** New shares per old shares: 2 for 1 doubles them, 1 for 4 merges four into one. */
export interface SplitRatio {
  readonly shares: bigint
  readonly before: bigint
}

/**
 * @returns `undefined` unless the text is two integers above 0
 * @example splitRatioOf('2:1') // { shares: 2n, before: 1n }
 */
export function splitRatioOf(text: string): SplitRatio | undefined {
  const [, shares, before] = /^([1-9]\d{0,17}):([1-9]\d{0,17})$/.exec(text) ?? []
  return shares === undefined || before === undefined ? undefined : { shares: BigInt(shares), before: BigInt(before) }
}

/** The multiplier after a split, rounded down: the old one times new by old. */
export function multiplierAfter(
  multiplier: bigint,
  { shares, before }: SplitRatio,
): { readonly multiplier: bigint; readonly isExact: boolean } {
  const product = multiplier * shares
  const after = product / before
  return { multiplier: after, isExact: after * before === product }
}
