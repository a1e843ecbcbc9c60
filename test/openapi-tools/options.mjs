import { programOptions } from '../support/program-options.mjs'

const TOOLS = ['spectral', 'redocly', 'openapi-typescript', 'orval', 'kubb', 'prism']

export const values = programOptions({
  command: 'test:openapi',
  purpose:
    'Reads /v1/openapi.json of a node with linters, client generators and a validating proxy, which it installs in ' +
    'test/openapi-tools. A lint warning, generated code that does not compile, or a response that the proxy refuses fails.',
  options: {
    only: { value: 'TOOL', default: 'all', choices: ['all', ...TOOLS], text: 'Which tools to run, with commas' },
  },
  examples: ['--only redocly,prism'],
})

/** Names of the tools to run. */
export const chosenTools = values.only.split(',').includes('all') ? TOOLS : values.only.split(',')
