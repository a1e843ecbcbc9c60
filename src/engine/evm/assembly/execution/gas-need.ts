import { CODE_STORE_OUT_OF_GAS, OUT_OF_GAS } from '../../abi/status.ts'
import { depth, gasLeft } from '../memory/frames.ts'

/**
 * Tracks whether code can have observed its gas. If not, the message takes the same path with any gas from its minimum
 * on, and runs out of gas with less.
 */

/** No storage write with this gas or less: a call stipend must not suffice for it (EIP-2200). */
export const SENTRY_GAS: i64 = 2300

let isObserved = false
/** Minimum gas at a write with that check. */
let leastAtWrite: i64 = i64.MAX_VALUE

/** Frames within the message that ran out of gas. */
export let framesOutOfGas: u32 = 0

export function clearGasNeed(): void {
  isObserved = false
  leastAtWrite = i64.MAX_VALUE
  framesOutOfGas = 0
}

/** Call when the current frame halts. */
export function countHalt(status: u32): void {
  if (depth > 0 && (status === OUT_OF_GAS || status === CODE_STORE_OUT_OF_GAS)) framesOutOfGas++
}

/** Gas was read, shared with another frame, or can be derived from the sender's remaining balance. */
export function markGasObserved(): void {
  isObserved = true
}

/** False: not enough gas for a storage write. */
export function passesSentry(): bool {
  leastAtWrite = min(leastAtWrite, gasLeft)
  return gasLeft > SENTRY_GAS
}

/** For a message that succeeded; -1: unknown. */
export function gasNeed(startGas: i64): i64 {
  if (isObserved) return -1
  const used = startGas - gasLeft
  return leastAtWrite === i64.MAX_VALUE ? used : max(used, startGas - leastAtWrite + SENTRY_GAS + 1)
}
