import { Argument, Command } from 'commander'
import { PROFILE_NAMES, type ProfileName } from '../../chain/forks/chain-profile.ts'
import { describeProfile, profileText } from '../../chain/profiles/describe-profile.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'

const EXAMPLES = `
Examples:
  $ tickertape profile show op
  $ tickertape profile show flashblocks --json
`

/** `tickertape profile` */
export function profileCommand(): Command {
  const show = endingOnWrongUsage(new Command('show'))
    .description(
      'Print the rules of a profile: schedule, upgrades, gas, fees, contracts, system transactions, JSON-RPC',
    )
    .addArgument(new Argument('<name>').choices(PROFILE_NAMES))
    .option('--json', 'one line of JSON on standard output', false)
    .showHelpAfterError('(tickertape profile show --help lists every flag)')
    .addHelpText('after', EXAMPLES)
    .action((name: ProfileName, { json }: { readonly json: boolean }) => {
      const description = describeProfile(name)
      process.stdout.write(json ? `${JSON.stringify(description)}\n` : profileText(description))
    })
  return endingOnWrongUsage(new Command('profile'))
    .description('Describe the kinds of chains of --profile (docs/profiles.md)')
    .helpCommand(false)
    .addCommand(show)
}
