import { flag } from './flag.ts'
import { REPLICA_FLAGS } from './replica-flags.ts'
import { integer } from './values.ts'

const { fromToken, snapshotFrom } = REPLICA_FLAGS

/** Several nodes of a chain, one of which makes the blocks. */
export const FAILOVER_FLAGS = {
  failover: flag<boolean>({
    description:
      'be one of several nodes that may make the blocks: whoever has the lease in NATS does, the others follow it and take over; needs --nats',
    fallback: false,
    shown: 'off',
    env: 'TICKERTAPE_FAILOVER',
  }),
  leaseTtl: flag<number>({
    value: 'ms',
    description:
      'how long the lease lasts when its node does not renew it, which it does three times as often; the same for all nodes of the chain',
    parse: integer(300, 60_000),
    fallback: 1_000,
  }),
  nodeName: flag<string | undefined>({
    value: 'name',
    description: 'how this node calls itself to the others and in /ready',
    fallback: undefined,
    shown: 'the host name and a few digits',
    env: 'TICKERTAPE_NODE_NAME',
  }),
  snapshotFrom: {
    ...snapshotFrom,
    description:
      'with --failover: a node or replica that gives a snapshot where the stream does not reach back, as in ws://10.0.0.1:8545/replica',
  },
  fromToken: { ...fromToken, description: 'with --snapshot-from: the --replica-token of that node' },
}
