import { randomMnemonic } from '../chain/genesis/hd-accounts.ts'
import type { StartOptions } from '../flags/start-flags.ts'

/**
 * Flags whose defaults differ with each start. A data directory can be opened only with its own block 0, so only a
 * temporary one begins at the time of the start, as the reproduced nodes do.
 */
export async function withStartDefaults(options: StartOptions, nowMs: number): Promise<StartOptions> {
  const { mnemonicRandom: words, mnemonic, compat, ephemeral, silent, quiet } = options
  const startTime = compat !== undefined && ephemeral ? BigInt(Math.floor(nowMs / 1000)) : undefined
  return {
    ...options,
    mnemonic: words === undefined ? mnemonic : await randomMnemonic(words),
    timestamp: options.timestamp ?? startTime,
    quiet: quiet || silent,
  }
}
