import {
  BEACON_ROOTS_ADDRESS,
  CONSOLIDATION_REQUESTS_ADDRESS,
  HISTORY_STORAGE_ADDRESS,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../../chain/constants.ts'
import { type ChainConfig, hasBlobs } from '../../chain/forks/chain-config.ts'
import { activationTimes, forkHash } from '../../chain/forks/fork-id.ts'
import { blobScheduleAt, forkAt } from '../../chain/forks/fork-schedule.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { precompileName } from '../../engine/precompiles/registry.ts'
import type { Engine } from '../../engine/types.ts'
import type { Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'

/** A chain and its newest block. */
export interface ConfigurationSite {
  readonly config: ChainConfig
  readonly genesis: { readonly hash: Hash; readonly timestamp: bigint }
  /** Of the newest block. */
  readonly head: { readonly number: number; readonly timestamp: bigint }
  readonly precompiles: Engine['precompiles']
}

/** The current, the next and the last fork configuration (EIP-7910). */
export function formatConfiguration(site: ConfigurationSite): JsonRecord {
  const { config, head } = site
  const times = activationTimes(config)
  const current = times.findLast((time) => time <= head.timestamp)
  const next = times.find((time) => time > head.timestamp)
  const last = next === undefined ? undefined : times.at(-1)
  return { current: encodeFork(site, current), next: encodeFork(site, next), last: encodeFork(site, last) }
}

/** @param time of activation; `undefined`: no such fork */
function encodeFork(site: ConfigurationSite, time: bigint | undefined): Json {
  if (time === undefined) return null
  const { config, genesis, head } = site
  const fork = forkAt(config, head.number, time)
  const layer2 = layer2RulesAt(config, time)
  return {
    activationTime: Number(time),
    blobSchedule: hasBlobs(config) ? blobSchedule(config, fork) : NO_BLOBS,
    chainId: toQuantity(config.chainId),
    forkId: forkHash(config, genesis.hash, genesis.timestamp, time),
    precompiles: Object.fromEntries(
      [...site.precompiles({ fork, ...(layer2 && { layer2 }) })].map((address) => [
        precompileName(address) ?? address,
        address,
      ]),
    ),
    systemContracts: systemContracts(config, fork),
  }
}

/** Layer 2 has no blob transactions (base/base, crates/execution/rpc/handlers/src/config.rs). */
const NO_BLOBS = { target: 0, max: 0, baseFeeUpdateFraction: 0 }

function blobSchedule(config: ChainConfig, fork: Fork): Json {
  const schedule = blobScheduleAt(config, fork)
  if (schedule === undefined) return null
  const { target, max, baseFeeUpdateFraction } = schedule
  return { target, max, baseFeeUpdateFraction: Number(baseFeeUpdateFraction) }
}

/** Layer 2 has no consensus layer contracts. */
function systemContracts({ layer2, depositContractAddress }: ChainConfig, fork: Fork): JsonRecord {
  return {
    ...(rulesOf(fork).hasBeaconRoot && { BEACON_ROOTS_ADDRESS }),
    ...(rulesOf(fork).hasHistoryContract && { HISTORY_STORAGE_ADDRESS }),
    ...(rulesOf(fork).hasRequests &&
      !layer2 && {
        CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: CONSOLIDATION_REQUESTS_ADDRESS,
        WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: WITHDRAWAL_REQUESTS_ADDRESS,
        DEPOSIT_CONTRACT_ADDRESS: depositContractAddress,
      }),
  }
}
