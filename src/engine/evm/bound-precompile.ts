import type { Fork } from '../../chain/forks/forks.ts'
import type { NativeContract } from '../native-contract.ts'
import type { Precompile } from '../precompiles/precompile.ts'

/** Binds a precompile to the rules of one fork. */
export function bindPrecompile(precompile: Precompile, fork: Fork): NativeContract {
  return ({ input, gas }) => {
    const gasUsed = precompile.gas(input, fork)
    if (gasUsed > gas) return { kind: 'out of gas' }
    const output = precompile.run(input, fork)
    return output === undefined ? { kind: 'failed' } : { kind: 'success', output, gasUsed }
  }
}
