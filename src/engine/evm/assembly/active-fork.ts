import { CANCUN } from '../../../chain/forks/ordinals.ts'

/** Ordinal of the fork whose rules the session runs (`chain/forks/ordinals.ts`). */
export let fork: u32 = CANCUN

export function setFork(ordinal: u32): void {
  fork = ordinal
}
