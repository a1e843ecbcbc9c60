import { FUZZED_CHAIN } from './chain-targets.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { FUZZED_STREAMS } from './stream-targets.ts'
import { FUZZED_TEXTS } from './text-targets.ts'

/** Every decoder of bytes that come from clients, other nodes, files or contracts, by name. */
export const FUZZ_TARGETS: ReadonlyMap<string, FuzzTarget> = new Map(
  Object.entries({ ...FUZZED_CHAIN, ...FUZZED_STREAMS, ...FUZZED_TEXTS }),
)
