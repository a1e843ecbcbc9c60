import { programOptions } from '../support/program-options.mjs'

const NODES = ['preconfirmed', 'automine', 'anvil']
const PARTS = ['scripts', 'cast', 'forks', 'chisel', 'verify']

const values = programOptions({
  command: 'test:foundry',
  purpose:
    'Runs forge, cast and chisel, which it installs in test/foundry, against fresh nodes: `preconfirmed` is started with ' +
    '--latest-state preconfirmed, `automine` with --mining auto --compat anvil, and `anvil` is Anvil, the reference. ' +
    'A script of 12 transactions runs three times in a row; cast, the fork cheatcodes and chisel read its contracts. forge verifies sources of contracts with our nodes.',
  options: {
    nodes: { value: 'NODE', default: 'all', choices: ['all', ...NODES], text: 'Which nodes to use, with commas' },
    parts: {
      value: 'PART',
      default: 'all',
      choices: ['all', ...PARTS],
      text: 'What to run after the scripts, with commas',
    },
  },
  examples: ['--nodes preconfirmed', '--nodes automine,anvil --parts cast'],
})

const chosen = (value, all) => (value.split(',').includes('all') ? all : value.split(','))

export const chosenNodes = chosen(values.nodes, NODES)
export const chosenParts = chosen(values.parts, PARTS)
