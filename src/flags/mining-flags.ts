import { AUTO, FLASHBLOCKS, MANUAL, MAX_INTERVAL_MS, type MiningMode } from '../node/development/mining-mode.ts'
import type { PoolOrder } from '../pool/candidates.ts'
import { FlagValueError, flag } from './flag.ts'

/** Flags that say when blocks are built. */
export const MINING_FLAGS = {
  mining: flag<MiningMode>({
    value: 'mode',
    description:
      'when blocks are built: flashblocks (on schedule), auto (one for each transaction before it is answered), interval=SECONDS, auto,interval=SECONDS, or manual (on request)',
    parse: miningMode,
    fallback: FLASHBLOCKS,
    shown: 'flashblocks',
  }),
  noMining: flag<boolean>({
    description: 'as --mining manual (Anvil)',
    fallback: false,
  }),
  order: flag<PoolOrder>({
    value: 'order',
    description: 'order of transactions of different senders: by tip (fees), or as they arrived (fifo)',
    choices: ['fees', 'fifo'],
    fallback: 'fees',
  }),
}

/** @example miningMode('interval=2.5') // { kind: 'on-demand', auto: false, interval: { minMs: 2500, maxMs: 2500 } } */
export function miningMode(text: string): MiningMode {
  if (text === 'flashblocks') return FLASHBLOCKS
  if (text === 'auto') return AUTO
  if (text === 'manual') return MANUAL
  const [, auto, seconds] = /^(auto,)?interval=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  const ms = Math.round(Number(seconds) * 1_000)
  if (!(ms > 0 && ms <= MAX_INTERVAL_MS)) {
    throw new FlagValueError('flashblocks, auto, interval=SECONDS, auto,interval=SECONDS or manual is required.')
  }
  return { kind: 'on-demand', auto: auto !== undefined, interval: { minMs: ms, maxMs: ms } }
}

/** The mode by both flags. Commander stores `--no-mining` as `false` of the other option. */
export function miningModeOf({ mining }: { readonly mining: MiningMode | false }): MiningMode {
  return mining === false ? MANUAL : mining
}
