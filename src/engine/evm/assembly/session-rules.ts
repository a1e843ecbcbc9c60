import { CANCUN } from '../../../chain/forks/ordinals.ts'

/** Ordinal of the fork whose rules the session runs (`chain/forks/ordinals.ts`). */
export let fork: u32 = CANCUN
/** Maximum size of code; initcode may be twice as large (EIP-170, EIP-3860). */
export let codeSizeLimit: usize = 0

export function setRules(ordinal: u32, maxCodeSize: usize): void {
  fork = ordinal
  codeSizeLimit = maxCodeSize
}
