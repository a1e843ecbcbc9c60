import { Command } from 'commander'
import { natsServers } from '../../flags/nats-flags.ts'
import { REPLICA_FLAG_GROUPS, type ReplicaOptions } from '../../flags/start-flags.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import type { RunWith } from './start-command.ts'

const EXAMPLES = `
Examples:
  $ tickertape replica --from ws://127.0.0.1:8545/replica
  $ tickertape replica --from wss://sequencer.example/replica --from-token SECRET --datadir ./replica
  $ tickertape replica --from ws://127.0.0.1:8645/replica --port 8745 --datadir ./second    a replica of a replica
  $ tickertape replica --from nats://127.0.0.1:4222    the stream of a node with --nats
`

// Loaded on demand: other commands do not need the node.
const runReplica: RunWith<ReplicaOptions> = async (options) => (await import('./start.ts')).runReplica(options)

/** `tickertape replica` */
export function replicaCommand(run: RunWith<ReplicaOptions> = runReplica): Command {
  const command = endingOnWrongUsage(new Command('replica'))
    .description('Follow a node: the same answers from a chain of its own, without executing; sends are handed on')
    .showHelpAfterError('(tickertape replica --help lists every flag)')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ReplicaOptions) => {
      if (options.from === '')
        command.error('error: --from is missing: the node to follow, as in --from ws://10.0.0.1:8545/replica')
      // An environment variable may be shared by all replicas of a machine, so only a flag is an error.
      if (natsServers(options.from) === undefined && command.getOptionValueSource('snapshotFrom') === 'cli') {
        command.error(
          'error: --snapshot-from has no effect with --from ws://, because the followed node serves snapshots: leave it out, or use --from nats://',
        )
      }
      await run(options)
    })
  for (const option of REPLICA_FLAG_GROUPS.flatMap(optionsOf)) command.addOption(option)
  return command
}
