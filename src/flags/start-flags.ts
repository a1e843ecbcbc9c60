import { GENESIS_FLAGS, SCHEDULE_FLAGS } from './chain-flags.ts'
import { DEVELOPMENT_FLAGS, DEVELOPMENT_START_FLAGS } from './development-flags.ts'
import { EXPOSURE_FLAGS } from './exposure-flags.ts'
import { FAILOVER_FLAGS } from './failover-flags.ts'
import type { FlagGroup, ValuesOf } from './flag.ts'
import { FORK_FLAGS, type ForkFlags } from './fork-flags.ts'
import { LAYER1_FLAGS } from './layer1-flags.ts'
import { CONNECTION_FLAGS, POOL_FLAGS, REQUEST_FLAGS } from './limit-flags.ts'
import { LOG_FLAGS, TRACE_FLAGS } from './log-flags.ts'
import { MINING_FLAGS } from './mining-flags.ts'
import { NATS_FLAGS } from './nats-flags.ts'
import { CONFIGURATION_FLAGS, NETWORK_FLAGS } from './network-flags.ts'
import { PRECONFIRMATION_FLAGS } from './preconfirmation-flags.ts'
import { REPLICA_FLAGS, REPLICA_NETWORK_FLAGS, STREAM_FLAGS } from './replica-flags.ts'
import { REGISTRY_FLAGS } from './stocks-flags.ts'

/** Every flag of `tickertape start`: options, `--help` and `docs/cli.md` derive from this table. */
export const START_FLAGS = {
  ...NETWORK_FLAGS,
  ...SCHEDULE_FLAGS,
  ...MINING_FLAGS,
  ...GENESIS_FLAGS,
  ...LAYER1_FLAGS,
  ...POOL_FLAGS,
  ...REQUEST_FLAGS,
  ...CONNECTION_FLAGS,
  ...EXPOSURE_FLAGS,
  ...PRECONFIRMATION_FLAGS,
  ...DEVELOPMENT_START_FLAGS,
  ...FORK_FLAGS,
  ...REGISTRY_FLAGS,
  ...STREAM_FLAGS,
  ...NATS_FLAGS,
  ...FAILOVER_FLAGS,
  ...LOG_FLAGS,
  ...TRACE_FLAGS,
  ...CONFIGURATION_FLAGS,
}

/** Parsed and validated flags of `tickertape start`. */
export type StartOptions = ValuesOf<typeof START_FLAGS>

/** Flag groups in the order of the documentation. */
export const START_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Network', flags: NETWORK_FLAGS },
  { title: 'Schedule', flags: SCHEDULE_FLAGS },
  { title: 'Mining', flags: MINING_FLAGS },
  { title: 'Genesis (constant for a chain)', flags: GENESIS_FLAGS },
  { title: 'Layer 1 (profiles op and denim)', flags: LAYER1_FLAGS },
  { title: 'Access', flags: EXPOSURE_FLAGS },
  { title: 'Pre-confirmations', flags: PRECONFIRMATION_FLAGS },
  { title: 'Development', flags: DEVELOPMENT_START_FLAGS },
  { title: 'Fork', flags: FORK_FLAGS },
  { title: 'Tokenized stocks', flags: REGISTRY_FLAGS },
  { title: 'Limits of the pool', flags: POOL_FLAGS },
  { title: 'Limits of a request', flags: REQUEST_FLAGS },
  { title: 'Limits of connections', flags: CONNECTION_FLAGS },
  { title: 'Replicas', flags: STREAM_FLAGS },
  { title: 'NATS', flags: NATS_FLAGS },
  { title: 'Failover', flags: FAILOVER_FLAGS },
  { title: 'Logs', flags: LOG_FLAGS },
  { title: 'Traces', flags: TRACE_FLAGS },
  { title: 'Configuration', flags: CONFIGURATION_FLAGS },
]

/** Flags shared by `tickertape replica` and `start`. */
const SHARED_FLAGS = {
  ...REPLICA_NETWORK_FLAGS,
  ...GENESIS_FLAGS,
  ...REQUEST_FLAGS,
  ...CONNECTION_FLAGS,
  ...EXPOSURE_FLAGS,
  ...PRECONFIRMATION_FLAGS,
  ...DEVELOPMENT_FLAGS,
  ...REGISTRY_FLAGS,
  ...STREAM_FLAGS,
  ...LOG_FLAGS,
  ...TRACE_FLAGS,
  ...CONFIGURATION_FLAGS,
}

/** Flags that configure serving, for leaders and followers. */
export type ServeOptions = ValuesOf<typeof SHARED_FLAGS> &
  Partial<Pick<StartOptions, 'mining' | 'l1Url' | 'l1Portal' | 'maxClockJumpMs'>> &
  Partial<ForkFlags>

/** Every flag of `tickertape replica`. */
const REPLICA_COMMAND_FLAGS = { ...REPLICA_FLAGS, ...SHARED_FLAGS }

/** Parsed and validated flags of `tickertape replica`. */
export type ReplicaOptions = ValuesOf<typeof REPLICA_COMMAND_FLAGS>

/** Flag groups in the order of the documentation. */
export const REPLICA_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Source', flags: REPLICA_FLAGS },
  { title: 'Network', flags: REPLICA_NETWORK_FLAGS },
  { title: 'Genesis (equal to that of the followed node)', flags: GENESIS_FLAGS },
  { title: 'Access', flags: EXPOSURE_FLAGS },
  { title: 'Pre-confirmations', flags: PRECONFIRMATION_FLAGS },
  { title: 'Development', flags: DEVELOPMENT_FLAGS },
  { title: 'Tokenized stocks', flags: REGISTRY_FLAGS },
  { title: 'Limits of a request', flags: REQUEST_FLAGS },
  { title: 'Limits of connections', flags: CONNECTION_FLAGS },
  { title: 'Further replicas', flags: STREAM_FLAGS },
  { title: 'Logs', flags: LOG_FLAGS },
  { title: 'Traces', flags: TRACE_FLAGS },
  { title: 'Configuration', flags: CONFIGURATION_FLAGS },
]
