import { programOptions } from '../support/program-options.mjs'

/** Flags of the nodes, and the query of their URL for clients. */
export const NODES = {
  preconfirmed: { flags: ['--latest-state', 'preconfirmed'] },
  url: { flags: [], query: '/?latest=preconfirmed' },
  op: { flags: ['--profile', 'op', '--latest-state', 'preconfirmed'] },
  hardhat: { flags: ['--mining', 'auto', '--compat', 'hardhat'] },
  anvil: { flags: ['--mining', 'auto', '--compat', 'anvil'] },
}
const TOOLS = ['hardhat-deploy', 'upgrades', 'ignition', 'verify', 'verify3', 'safe', 'alto']

const shown = Object.entries(NODES).map(
  ([name, { flags, query }]) => `\`${name}\`: ${[...flags, query ?? ''].join(' ').trim()}`,
)
const values = programOptions({
  command: 'test:tools',
  purpose:
    'Runs developer tools, which it installs in test/tools, unmodified against fresh nodes. hardhat-deploy, ' +
    'OpenZeppelin upgrades and Ignition deploy contracts that depend on each other, and run again; Safe and Alto ' +
    'execute transactions in a row; hardhat-verify of Hardhat 2 and 3 verifies sources. Nodes are named by their flags or the query of their URL: ' +
    `${shown.join(', ')}.`,
  options: {
    nodes: { value: 'NODE', default: 'all', choices: ['all', ...Object.keys(NODES)], text: 'Which nodes, with commas' },
    tools: { value: 'TOOL', default: 'all', choices: ['all', ...TOOLS], text: 'Which tools, with commas' },
  },
  examples: ['--nodes preconfirmed', '--tools safe,alto --nodes op,hardhat'],
})

const chosen = (value, all) => (value.split(',').includes('all') ? all : value.split(','))

export const chosenNodes = chosen(values.nodes, Object.keys(NODES))
export const chosenTools = chosen(values.tools, TOOLS)
