import { programOptions } from '../support/program-options.mjs'

const UPSTREAMS = ['all', 'tickertape', 'anvil']

export const values = programOptions({
  command: 'test:fork',
  purpose:
    'Forks one of our own nodes and Anvil: the same transactions give the same receipts, logs and balances as on the\n' +
    'original; reads at, below, above and across the fork block are those of the original; a second run needs no\n' +
    'upstream; and an upstream that fails changes nothing but time. Then reports the latency of the first transactions\n' +
    'and calls of a fork.',
  options: {
    accounts: { value: 'N', default: 5_000, text: 'Accounts of the original' },
    blocks: { value: 'N', default: 500, text: 'Blocks of the original' },
    transactions: { value: 'N', default: 200, text: 'Transactions on both' },
    reads: { value: 'N', default: 400, text: 'Random reads on both up to the fork block, and as many above it' },
    seed: { value: 'N', default: 1, text: 'Seed of the random decisions' },
    upstream: { value: 'NAME', default: 'all', choices: UPSTREAMS, text: `Original: ${UPSTREAMS.join(', ')}` },
  },
  examples: ['--accounts 500 --blocks 50 --transactions 40', '--upstream anvil --seed 7'],
})
