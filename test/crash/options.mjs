import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'test:crash',
  purpose:
    'Kills a node under load repeatedly. Every restarted node is checked against everything that clients have received.',
  options: {
    kills: { value: 'N', default: 200, text: 'Number of kills' },
    seed: { value: 'N', default: 1, text: 'Seed of the random decisions' },
    'recovery-limit': {
      value: 'MS',
      default: 2_000,
      text: 'Longest time from a start to the first response, without waits for a processor',
    },
    dev: { text: 'Development node: a client changes state, takes snapshots and reverts' },
  },
  examples: ['--kills 20', '--kills 50 --dev --seed 7'],
})
