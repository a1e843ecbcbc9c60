import { Command, Option } from 'commander'
import { NATS_FLAGS } from '../../flags/nats-flags.ts'
import { integer } from '../../flags/values.ts'
import type { ClusterOptions, TransferOptions } from '../cluster/run-cluster.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'

const EXAMPLES = `
Examples:
  $ tickertape cluster status --nats nats://10.0.0.1:4222,10.0.0.2:4222
  $ tickertape cluster transfer --nats nats://10.0.0.1:4222 --to two
  $ tickertape cluster transfer --nats nats://10.0.0.1:4222 --chain 31337 --json

Exit codes: status: 0 a node leads each chain, 1 otherwise; transfer: 0 another node leads, 1 it was refused, and the
message says who leads; 2 wrong usage.
`

/** `tickertape cluster`: the nodes that share a chain with `--failover`. */
export function clusterCommand(): Command {
  const status = commandOf('status', 'Show the leader, the standbys, the lease and how far each node is').action(
    async (options: ClusterOptions) => {
      // Loaded on demand, with the NATS client.
      const { showCluster } = await import('../cluster/run-cluster.ts')
      process.exitCode = await showCluster(options)
    },
  )
  const transfer = commandOf('transfer', 'Let a standby lead instead of the leader, without losing anything')
    .option('--to <name>', 'the --node-name of the next leader (default: the standby with the most records)')
    .action(async (options: TransferOptions) => {
      const { transferLead } = await import('../cluster/run-cluster.ts')
      process.exitCode = await transferLead(options)
    })
  return endingOnWrongUsage(new Command('cluster'))
    .description('Show and change which of several nodes with --failover leads')
    .addCommand(status)
    .addCommand(transfer)
    .addHelpText('after', EXAMPLES)
}

function commandOf(name: string, description: string): Command {
  const [nats] = optionsOf({ flags: { nats: NATS_FLAGS.nats } }) as [Option]
  nats.description = 'NATS servers of the nodes, as in nats://10.0.0.1:4222,10.0.0.2:4222 (env: TICKERTAPE_NATS)'
  return endingOnWrongUsage(new Command(name))
    .description(description)
    .addOption(nats)
    .addOption(new Option('--chain <id>', 'its chain id, where the servers have several chains').argParser(integer(1)))
    .option('--json', 'JSON on standard output', false)
    .addHelpText('after', EXAMPLES)
    .hook('preAction', (_, command) => {
      // Also from the environment, which commander's own check of required options does not see.
      if (command.getOptionValue('nats') === undefined)
        command.error('error: --nats is required: name the NATS servers')
    })
}
