import { GENESIS_FLAGS, SCHEDULE_FLAGS } from './chain-flags.ts'
import { CONNECTION_FLAGS } from './connection-flags.ts'
import { EXPOSURE_FLAGS } from './exposure-flags.ts'
import type { FlagGroup, ValuesOf } from './flag.ts'
import { LOG_FLAGS } from './log-flags.ts'
import { NETWORK_FLAGS } from './network-flags.ts'
import { POOL_FLAGS } from './pool-flags.ts'
import { REGISTRY_FLAGS } from './registry-flags.ts'
import { REQUEST_FLAGS } from './request-flags.ts'

/** Every flag of `tickertape start`: options, `--help` and `docs/cli.md` derive from this table. */
export const START_FLAGS = {
  ...NETWORK_FLAGS,
  ...SCHEDULE_FLAGS,
  ...GENESIS_FLAGS,
  ...POOL_FLAGS,
  ...REQUEST_FLAGS,
  ...CONNECTION_FLAGS,
  ...EXPOSURE_FLAGS,
  ...REGISTRY_FLAGS,
  ...LOG_FLAGS,
}

/** Flags of `tickertape start`, read and within their bounds. */
export type StartOptions = ValuesOf<typeof START_FLAGS>

/** The same in the order and under the titles in which they are shown. */
export const START_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Network', flags: NETWORK_FLAGS },
  { title: 'Schedule', flags: SCHEDULE_FLAGS },
  { title: 'Genesis (the same at every start of a chain)', flags: GENESIS_FLAGS },
  { title: 'Who may ask for what', flags: EXPOSURE_FLAGS },
  { title: 'Tokenized stocks', flags: REGISTRY_FLAGS },
  { title: 'Limits of the pool', flags: POOL_FLAGS },
  { title: 'Limits of a request', flags: REQUEST_FLAGS },
  { title: 'Limits of connections', flags: CONNECTION_FLAGS },
  { title: 'Logs', flags: LOG_FLAGS },
]
