import { Command, Option } from 'commander'
import { bigInteger, blocksOrAll, integer, list, share } from './flags.ts'
import { datadirFlag, genesisFlags } from './genesis-flags.ts'
import { start } from './start.ts'
import type { StartOptions } from './start-options.ts'

const MAX_UINT64 = 2n ** 64n - 1n

export const START_EXAMPLES = `
Examples:
  $ npm start                                       main network on http://127.0.0.1:8545
  $ npm start -- --testnet                          and the test network on http://127.0.0.1:8546
  $ npm start -- --datadir ./chain --history 1000    keep the state of the last 1000 blocks
  $ npm start -- --port 0 --ephemeral --json-ready  any free port; one line of JSON says which
  $ npm start -- --block-time 1000 --flashblock-interval 100
`

/** `tickertape start`, also what runs when no command is named. */
export function startCommand(): Command {
  const command = new Command('start')
    .description('Run the main network, and with --testnet the test network beside it')
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1').env('TICKERTAPE_HOST'))
    .addOption(
      new Option('--port <port>', 'JSON-RPC over HTTP and WebSocket, and REST; 0: any free port')
        .argParser(integer(0, 65_535))
        .default(8545)
        .env('TICKERTAPE_PORT'),
    )
    .option('--testnet', 'run the test network too', false)
    .option('--testnet-port <port>', 'its port (default: port + 1, or 0 if that is 0)', integer(0, 65_535))
    .addOption(datadirFlag())
    .option('--ephemeral', 'keep the chains in a temporary directory that is deleted at the end', false)
    .option('--history <blocks>', 'blocks whose state stays readable, or all', blocksOrAll, 'all')
    .addOption(
      new Option(
        '--dialect <name>',
        'answers as the interface specification says, or exactly as ethereum/execution-apis',
      )
        .choices(['base', 'ethereum'])
        .default('base'),
    )
    .option('--block-time <ms>', 'milliseconds from block to block, whole seconds', integer(1_000, 3_600_000), 2_000)
    .option('--flashblock-interval <ms>', 'milliseconds between flashblocks', integer(10, 3_600_000), 200)
    .option('--time-budget <share>', 'share of an interval that executing may take', share, 0.6)
    .option('--finality-depth <blocks>', 'blocks between latest and finalized', integer(0), 64)
    .option('--pool-size <n>', 'transactions that may wait in all', integer(1, 1_000_000), 10_240)
    .option('--pool-sender-slots <n>', 'transactions of one sender that may wait', integer(1, 100_000), 1_024)
    .addOption(
      new Option('--minimum-tip <wei>', 'least priority fee per gas')
        .argParser(bigInteger(0n, MAX_UINT64))
        .default(0n, '0'),
    )
    .option('--logs-max-range <blocks>', 'blocks that one eth_getLogs may span; 0: no limit', integer(0), 0)
    .option('--logs-max-results <n>', 'logs in one answer of eth_getLogs', integer(1), 10_000)
    .option('--logs-timeout <ms>', 'how long one eth_getLogs may search', integer(1), 5_000)
    .option('--call-workers <n>', 'threads for long calls and traces; 0: they run in slices', integer(0, 64), 1)
    .option('--allowed-hosts <names>', 'further Host headers to accept, separated by commas', list, [])
    .option('--cors-origins <origins>', 'web origins that may call, separated by commas', list, [])
    .addOption(
      new Option('--log-level <level>', 'what to log')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
        .default('warn')
        .env('TICKERTAPE_LOG_LEVEL'),
    )
    .option('--json', 'no banner; logs and readiness as lines of JSON', false)
    .option('--json-ready', 'no banner; one line of JSON with the URLs when ready', false)
    .addHelpText('after', START_EXAMPLES)
    .action((options: StartOptions) => start(options))
  for (const flag of genesisFlags()) command.addOption(flag)
  return command
}
