import { programOptions } from '../support/program-options.mjs'

/** Flags of the nodes. */
export const NODES = {
  default: [],
  op: ['--profile', 'op'],
  denim: ['--profile', 'denim'],
  auto: ['--mining', 'auto'],
}
/** Versions of the entry point that each bundler supports. */
export const BUNDLERS = { alto: ['0.6', '0.7', '0.8'], reference: ['0.6'] }
const VERSIONS = BUNDLERS.alto

const shown = Object.entries(NODES).map(([name, flags]) => `\`${name}\`: ${flags.join(' ') || 'no flags'}`)
export const options = programOptions({
  command: 'test:bundlers',
  purpose:
    'Runs bundlers of ERC-4337 in safe mode, which it installs in examples/bundler and test/bundlers, against fresh ' +
    'nodes: Alto, and the reference bundler of the authors. An account is deployed and sponsored, its operations must ' +
    'be pre-confirmed, and one that breaks a rule of validation must be refused. ' +
    `Nodes are named by their flags: ${shown.join(', ')}.`,
  options: {
    nodes: { value: 'NODE', default: 'all', choices: ['all', ...Object.keys(NODES)], text: 'Which nodes, with commas' },
    bundlers: {
      value: 'NAME',
      default: 'all',
      choices: ['all', ...Object.keys(BUNDLERS)],
      text: 'Which bundlers, with commas',
    },
    'entry-points': {
      value: 'VERSION',
      default: 'all',
      choices: ['all', ...VERSIONS],
      text: 'Which versions of the entry point, with commas',
    },
    operations: { value: 'N', default: 3, text: 'How many operations' },
  },
  examples: ['--nodes op', '--bundlers alto --entry-points 0.7,0.8 --operations 10'],
})

const chosen = (value, all) => (value.split(',').includes('all') ? all : value.split(','))

export const chosenNodes = chosen(options.nodes, Object.keys(NODES))
export const chosenBundlers = chosen(options.bundlers, Object.keys(BUNDLERS))
export const chosenVersions = chosen(options['entry-points'], VERSIONS)
