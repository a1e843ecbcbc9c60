import { Command } from 'commander'
import { FAILOVER_FLAGS } from '../flags/failover-flags.ts'
import { flagName, optionsOf } from '../flags/flag.ts'
import { NATS_FLAGS } from '../flags/nats-flags.ts'
import { START_FLAG_GROUPS, type StartOptions } from '../flags/start-flags.ts'
import { endingOnWrongUsage } from '../process-end.ts'

export const START_EXAMPLES = `
Examples:
  $ npm start                                       main network on http://127.0.0.1:8545
  $ npm start -- --testnet                          and the test network on http://127.0.0.1:8546
  $ npm start -- --datadir ./chain --history 1000    keep the state of the last 1000 blocks
  $ npm start -- --port 0 --ephemeral --json-ready  any free port; one line of JSON says which
  $ npm start -- --block-time 1000 --flashblock-interval 100
  $ npm start -- --nats nats://10.0.0.1:4222,10.0.0.2:4222,10.0.0.3:4222 --nats-replicas 3 --failover
  $ npm start -- --cors-origins https://app.example --http-api eth,net,web3
`

/** Flags that do nothing without another one: whoever gives one takes the node for more than it is. */
const DEPENDENT_FLAGS = [
  { needed: 'nats', dependent: Object.keys(NATS_FLAGS) },
  { needed: 'failover', dependent: Object.keys(FAILOVER_FLAGS) },
] as const

/** `tickertape start`, also what runs when no command is named. */
export function startCommand(): Command {
  const command = endingOnWrongUsage(new Command('start'))
    .description('Run the main network, and with --testnet the test network beside it')
    .addHelpText('after', START_EXAMPLES)
    // What is no command ends here: it is told as that.
    .allowExcessArguments()
    // Loaded when it runs: other commands need no node.
    .action(async (options: StartOptions, { args: [unknown] }: Command) => {
      if (unknown !== undefined) command.error(`error: there is no command '${unknown}': tickertape --help lists all`)
      if (options.failover && options.nats === undefined) {
        command.error('error: --failover needs --nats: the servers that hold the records and the lease')
      }
      if (options.failover && options.standStill) {
        // It would never publish, and so never notice that another node leads.
        command.error('error: --stand-still does not go with --failover: whoever may lead has to make blocks')
      }
      for (const { needed, dependent } of DEPENDENT_FLAGS) {
        if (options[needed]) continue
        // Variables of the environment may be those of all nodes of a machine.
        const given = dependent.find((name) => command.getOptionValueSource(name) === 'cli')
        if (given !== undefined) command.error(`error: ${flagName(given)} does nothing without ${flagName(needed)}`)
      }
      await (await import('./start.ts')).start(options)
    })
  for (const option of START_FLAG_GROUPS.flatMap(optionsOf)) command.addOption(option)
  return command
}
