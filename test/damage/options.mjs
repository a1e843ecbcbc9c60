import { programOptions } from '../support/program-options.mjs'

export const values = programOptions({
  command: 'test:damage',
  purpose:
    'Damages copies of a data directory and starts a node on each: it must have everything, refuse to start with a\n' +
    'clear error, or refuse damaged reads only.',
  options: {
    directories: { value: 'N', default: 500, text: 'Number of damaged copies' },
    seed: { value: 'N', default: 1, text: 'Seed of the random decisions' },
    blocks: { value: 'N', default: 60, text: 'Blocks of the chain that is damaged' },
    verify: {
      value: 'N',
      default: 10,
      text: '`verify` runs on every directory on which the node starts, and on each of this many others',
    },
  },
  examples: ['--directories 20', '--directories 230 --seed 3'],
})
