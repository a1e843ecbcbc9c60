import { Command } from 'commander'
import { STOCKS_FLAG_GROUPS, type StocksOptions } from '../../flags/stocks-flags.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import type { RunWith } from './start-command.ts'

export const STOCKS_EXAMPLES = [
  'stocks --registry stocks.json',
  'stocks --rpc-url https://rpc.example/v1/KEY --registry stocks.json --chain-id 8453',
  'stocks --rpc-url http://127.0.0.1:8545 --factory 0xB20f000000000000000000000000000000000000 --port 8080',
  'stocks --registry stocks.json --max-staleness-seconds 30 --batch-size 100',
]

export const STOCKS_EXITS = `Exit codes: 0 after SIGTERM or SIGINT (requests in progress are completed within five seconds); 1 when the service cannot
start: no node at --rpc-url (unless --chain-id names the chain), a node of another chain, an unusable registry, a port in use;
also 1 after a second signal; 2 when a flag is wrong.`

// Loaded on demand, as the node is by `start`.
const serveStocks: RunWith<StocksOptions> = async (options) =>
  (await import('../standalone/stocks-server.ts')).runStocks(options)

/** `tickertape stocks` */
export function stocksCommand(run: RunWith<StocksOptions> = serveStocks): Command {
  const examples = STOCKS_EXAMPLES.map((example) => `  $ tickertape ${example}\n`).join('')
  const command = endingOnWrongUsage(new Command('stocks'))
    .description('Serve the supply API of tokenized stocks alone, in front of any Ethereum node')
    .addHelpText('after', `\nExamples:\n${examples}\n${STOCKS_EXITS}\n`)
    .action(run)
  for (const option of STOCKS_FLAG_GROUPS.flatMap(optionsOf)) command.addOption(option)
  return command
}
