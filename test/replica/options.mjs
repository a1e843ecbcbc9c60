import { PROFILES } from '../support/chain-profile.mjs'
import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'test:replica',
  purpose:
    'Runs a node under load, and replicas that follow it through a proxy that corrupts the stream. After each\n' +
    'disturbance every replica must recover the state of the node by itself. One replica uses NATS if a server is installed.',
  options: {
    rounds: { value: 'N', default: 20, text: 'Number of disturbances' },
    seed: { value: 'N', default: 1, text: 'Seed of the random decisions' },
    limit: { value: 'MS', default: 1_000, text: 'Longest median time until a replica has recovered' },
    profile: { value: 'NAME', default: 'flashblocks', choices: PROFILES, text: `Chain: ${PROFILES.join(', ')}` },
  },
  examples: ['--rounds 5', '--rounds 50 --seed 7 --limit 2000'],
})
