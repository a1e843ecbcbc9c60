import type { Header } from '../../chain/block/header.ts'
import { blobBaseFee } from '../../chain/fees/blob-fee.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { blobScheduleAt, forkAt } from '../../chain/forks/fork-schedule.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import type { BlockEnv, Writable } from '../types.ts'

/** Keyed by header object: thousands of calls run on the same one. */
const cached = new WeakMap<Header, { readonly config: ChainConfig; readonly env: BlockEnv }>()

/** The environment of a block, for its transactions and for calls on it; the same object for the same header. */
export function blockEnv(header: Header, config: ChainConfig): BlockEnv {
  const made = cached.get(header)
  if (made?.config === config) return made.env
  const env = newBlockEnv(header, config)
  cached.set(header, { config, env })
  return env
}

/** As `blockEnv`, uncached, for a header outside the chain. */
export function newBlockEnv(header: Header, config: ChainConfig): BlockEnv {
  const fork = forkAt(config, header.number, header.timestamp)
  const blobSchedule = blobScheduleAt(config, fork)
  const env: Writable<BlockEnv> = {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    coinbase: header.miner,
    baseFee: header.baseFeePerGas ?? 0n,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    blobBaseFee:
      header.excessBlobGas === undefined || blobSchedule === undefined
        ? 0n
        : blobBaseFee(header.excessBlobGas, blobSchedule),
    fork,
  }
  if (blobSchedule !== undefined) env.blobSchedule = blobSchedule
  const layer2 = layer2RulesAt(config, header.timestamp)
  if (layer2 !== undefined) env.layer2 = layer2
  return env
}
