import type { Fork } from '../../chain/forks.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { Precompile } from '../precompiles/precompile.ts'

export type PrecompileResult =
  | { readonly kind: 'success'; readonly output: Bytes; readonly gasUsed: bigint }
  /** All gas is gone in either case. */
  | { readonly kind: 'out of gas' }
  | { readonly kind: 'failed' }

/** A precompile under the rules of one fork, with the gas that the caller gives it. */
export type BoundPrecompile = (input: Bytes, gas: bigint) => PrecompileResult

export function bindPrecompile(precompile: Precompile, fork: Fork): BoundPrecompile {
  return (input, gas) => {
    const gasUsed = precompile.gas(input, fork)
    if (gasUsed > gas) return { kind: 'out of gas' }
    const output = precompile.run(input, fork)
    return output === undefined ? { kind: 'failed' } : { kind: 'success', output, gasUsed }
  }
}
