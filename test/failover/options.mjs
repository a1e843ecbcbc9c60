import { PROFILES } from '../support/chain-profile.mjs'
import { programOptions } from '../support/program-options.mjs'

export const KINDS = ['kill-leader', 'freeze-leader', 'kill-nats', 'freeze-nats', 'kill-both', 'freeze-both']

export const values = programOptions({
  command: 'test:failover',
  purpose:
    'Runs two failover nodes, clients that send through both, and a cluster of NATS servers. Each round kills or\n' +
    'freezes the leader, a NATS server or both. Afterwards both nodes must have one chain that contains everything\n' +
    'clients received. Does nothing without a nats-server on the path.',
  options: {
    rounds: { value: 'N', default: 20, text: 'Number of disturbances' },
    seed: { value: 'N', default: 1, text: 'Seed of the random decisions' },
    servers: { value: 'N', default: 3, text: 'NATS servers' },
    profile: { value: 'NAME', default: 'flashblocks', choices: PROFILES, text: `Chain: ${PROFILES.join(', ')}` },
    kinds: { value: 'LIST', default: KINDS.join(','), choices: KINDS, text: 'Disturbances, separated by commas' },
    verbose: { text: 'Report each step' },
    logs: { value: 'DIRECTORY', text: 'Keep the logs of the NATS servers' },
  },
  examples: ['--rounds 5 --verbose', '--kinds kill-leader,kill-nats --servers 5'],
})
