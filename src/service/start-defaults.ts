import { randomMnemonic } from '../chain/accounts/hd-accounts.ts'
import { PROFILES } from '../chain/profiles/profiles.ts'
import { profileOf } from '../flags/genesis/profile-options.ts'
import type { StartOptions } from '../flags/start-flags.ts'
import { isHardhat } from '../rpc/compat/compat.ts'

/** The flags of a start, and what follows from them. */
export interface StartSettings extends StartOptions {
  /** See `DevelopmentSettings.renewsGenesis`. */
  readonly renewsGenesis: boolean
}

/**
 * Flags whose defaults differ with each start. A data directory can be opened only with its own block 0, so only a
 * temporary one begins at the time of the start, as the reproduced nodes do; the time of a fork continues.
 */
export async function withStartDefaults(options: StartOptions, nowMs: number): Promise<StartSettings> {
  const { mnemonicRandom: words, mnemonic, compat, ephemeral, forkUrl, silent, quiet } = options
  const isAnew = ephemeral && forkUrl === undefined
  const isTimed = compat !== undefined || PROFILES[profileOf(options)].needsTimestamp
  const hasStartTime = isTimed && isAnew && options.timestamp === undefined
  const startTime = hasStartTime ? BigInt(Math.floor(nowMs / 1000)) : undefined
  return {
    ...options,
    mnemonic: words === undefined ? mnemonic : await randomMnemonic(words),
    timestamp: options.timestamp ?? startTime,
    // RPC workers and followers of NATS have the block 0 of the start.
    renewsGenesis: hasStartTime && isHardhat(compat) && !hasFixedGenesis(options),
    quiet: quiet || silent,
  }
}

/** Whether other processes or a file know block 0. */
function hasFixedGenesis({ genesis, rpcWorkers, nats }: StartOptions): boolean {
  return genesis !== undefined || rpcWorkers > 0 || nats !== undefined
}
