import { flag } from './flag.ts'
import { REPLICA_FLAGS } from './replica-flags.ts'
import { integer } from './values.ts'

const { fromToken, snapshotFrom } = REPLICA_FLAGS

/** Flags of a node that can take over as leader. */
export const FAILOVER_FLAGS = {
  failover: flag<boolean>({
    description:
      'be one of several nodes that can lead: the holder of the lease in NATS builds the blocks, the others follow and take over; needs --nats',
    fallback: false,
    shown: 'off',
    env: 'TICKERTAPE_FAILOVER',
  }),
  leaseTtlMs: flag<number>({
    value: 'ms',
    description:
      'lifetime of the lease; the leader renews it three times as often; must be equal on all nodes of the chain',
    parse: integer(300, 60_000),
    fallback: 1_000,
  }),
  newChain: flag<boolean>({
    description:
      'begin a chain on NATS servers that have records of other chains and none of this one; theirs stay as they are',
    fallback: false,
    shown: 'off; such a start is refused',
  }),
  nodeName: flag<string | undefined>({
    value: 'name',
    description: 'name of this node in the lease and in /ready',
    fallback: undefined,
    shown: 'host name and random digits',
    env: 'TICKERTAPE_NODE_NAME',
  }),
  snapshotFrom: {
    ...snapshotFrom,
    description:
      'with --failover: a node or replica to fetch a snapshot from when the stream does not reach back far enough, as in ws://10.0.0.1:8545/replica',
  },
  fromToken: { ...fromToken, description: 'with --snapshot-from: the --replica-token of that node' },
}
