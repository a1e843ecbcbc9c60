import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { Named, Sent, StockChain } from './stock-chain.ts'

/** A call whose parts are put right one after the other. */
export interface Attempt {
  from: Hex
  readonly functionName: string
  readonly args: unknown[]
}

/** What refuses the call now, and what takes that reason away. */
export type Step = readonly [Named, (attempt: Attempt) => unknown]

/**
 * Makes a call that everything is wrong with, and takes the reasons away in the order given: each time the next one
 * has to be the answer, which proves that it is checked before all that follow.
 */
export async function expectCheckOrder(chain: StockChain, attempt: Attempt, steps: readonly Step[]): Promise<Sent> {
  for (const [error, lift] of steps) {
    expect(await chain.refusal(attempt.from, attempt.functionName, attempt.args)).toEqual(error)
    await lift(attempt)
  }
  return chain.send(attempt.from, attempt.functionName, attempt.args)
}
