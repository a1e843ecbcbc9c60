import { Argument, Command } from 'commander'
import { FlagValueError } from '../../flags/flag.ts'
import { STOCK_NODE_FLAGS } from '../../flags/stock-flags.ts'
import { integer } from '../../flags/values.ts'
import { nodeAddressOf } from '../../live/node-address.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import type { WatchOptions } from '../watch/run-watch.ts'

const DAY_MS = 86_400_000

const EXAMPLES = `
Keys: q quits, p pauses and resumes, s shows the next flashblock while paused.
When standard output is no terminal, it gets a line per sealed block instead.

Examples:
  $ tickertape watch
  $ tickertape watch https://rpc.example/v1/KEY --ws-url wss://rpc.example/ws/v1/KEY
  $ tickertape watch --lines | grep reorganised
  $ tickertape watch --json | jq 'select(.event == "flashblock" and .latenessMs > 100)'
  $ tickertape watch --json --blocks 5 > five-blocks.jsonl

Exit codes: 0 after q, SIGINT, SIGTERM or --blocks, or when the reader of the output is gone; 1 when no node answers within
--connect-timeout, without this flag also when the node refuses the connection; 2 wrong usage. A connection that is lost later is opened again.
`

/** As of other commands, and WebSocket addresses. */
const RPC_URL = {
  ...STOCK_NODE_FLAGS.rpcUrl,
  description: 'JSON-RPC of the node over HTTP or WebSocket',
  parse: nodeUrl,
}

type Given = Omit<WatchOptions, 'url'> & { readonly rpcUrl: string }

/** `tickertape watch` */
export function watchCommand(): Command {
  const command = endingOnWrongUsage(new Command('watch'))
    .description('Show the chain of any Ethereum node as it grows: flashblocks, sealed blocks, pool, latency')
    .addArgument(new Argument('[url]', 'the node; takes precedence over --rpc-url').argParser(nodeUrl))
    .option('--ws-url <url>', 'its WebSocket, where only the protocol is not enough to tell it', webSocketUrl)
    .option('--json', 'a line of JSON per flashblock, block, lost connection and reorganisation', false)
    .option('--lines', 'lines instead of a screen, as without a terminal', false)
    .option('--blocks <n>', 'end after this many sealed blocks (default: never)', integer(1))
    .option(
      '--connect-timeout <ms>',
      'time until the node must have answered; 0: any time (default: 10000)',
      integer(0, DAY_MS),
    )
    .showHelpAfterError('(tickertape watch --help lists every flag)')
    .addHelpText('after', EXAMPLES)
    .action(async (url: string | undefined, { rpcUrl, ...options }: Given) => {
      // Loaded on demand: other commands need no client.
      const { runWatch } = await import('../watch/run-watch.ts')
      const code = await runWatch({ ...options, url: url ?? rpcUrl })
      // Output may be in transit; requests in progress would delay the end.
      process.stdout.write('', () => process.exit(code))
    })
  for (const option of optionsOf({ flags: { rpcUrl: RPC_URL } })) command.addOption(option)
  return command
}

function nodeUrl(text: string): string {
  if (nodeAddressOf(text) === undefined) {
    throw new FlagValueError('the address of a node is required, as in http://127.0.0.1:8545.')
  }
  return text
}

function webSocketUrl(text: string): string {
  if (!URL.canParse(text) || !/^wss?:$/.test(new URL(text).protocol)) {
    throw new FlagValueError('a URL that begins with ws:// or wss:// is required.')
  }
  return text
}
