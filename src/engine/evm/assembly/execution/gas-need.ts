import { gasLeft } from './frames.ts'

/**
 * Whether code can have noticed how much gas it has. Where it cannot, the message goes the same way with any gas from what
 * it needs on, and ends out of gas with less.
 */

/** With as much or less, no storage is written: the stipend of a call is not enough for it (EIP-2200). */
export const SENTRY_GAS: i64 = 2300

let isNoticed = false
/** Of the gas at writes that have a sentry. */
let leastAtWrite: i64 = i64.MAX_VALUE

export function clearGasNeed(): void {
  isNoticed = false
  leastAtWrite = i64.MAX_VALUE
}

/** It was read, shared with another frame, or can be told from what is left of the sender's balance. */
export function noticeGas(): void {
  isNoticed = true
}

/** False: the sentry does not let the write pass. */
export function passesSentry(): bool {
  leastAtWrite = min(leastAtWrite, gasLeft)
  return gasLeft > SENTRY_GAS
}

/** Of a message that succeeded; -1: not known. */
export function gasNeed(startGas: i64): i64 {
  if (isNoticed) return -1
  const used = startGas - gasLeft
  return leastAtWrite === i64.MAX_VALUE ? used : max(used, startGas - leastAtWrite + SENTRY_GAS + 1)
}
