import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { Named, Sent, StockChain } from './stock-chain.ts'

/** A call whose parts are corrected one after the other. */
export interface Attempt {
  from: Hex
  readonly functionName: string
  readonly args: unknown[]
}

/** The expected error, and the correction that removes its cause. */
export type Step = readonly [Named, (attempt: Attempt) => unknown]

/**
 * Makes a call in which everything is wrong and applies the corrections in order. Each step must return the next error,
 * which proves the order of the checks.
 */
export async function expectCheckOrder(chain: StockChain, attempt: Attempt, steps: readonly Step[]): Promise<Sent> {
  for (const [error, lift] of steps) {
    expect(await chain.refusal(attempt.from, attempt.functionName, attempt.args)).toEqual(error)
    await lift(attempt)
  }
  return chain.send(attempt.from, attempt.functionName, attempt.args)
}
