import { Command, CommanderError } from 'commander'
import type { StartOptions } from '../../flags/start-flags.ts'
import { withRedactedUrls } from '../../primitives/text/url-credentials.ts'
import { configureOrEnd } from '../configuration/configure.ts'
import { type Finding, fault } from '../doctor/finding.ts'
import type { Machine } from '../doctor/machine-checks.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { withFlagHint } from './flag-hints.ts'
import { startCommand } from './start-command.ts'

const EXAMPLES = `
Takes the flags, environment variables and configuration file of start, and checks what a start needs: flags, files,
ports, data directory, limits of the machine, access of clients, NATS servers and the other nodes there. Starts nothing.

Examples:
  $ tickertape doctor --config node.yaml
  $ tickertape doctor --failover --nats nats://10.0.0.1:4222 --node-name one --json

Exit codes: 0 no faults, perhaps warnings; 1 faults; 2 a variable that no command has.
`

/** `tickertape doctor`: finds why a node would not start, or would not run as its flags say. */
export function doctorCommand(program: Command): Command {
  return endingOnWrongUsage(new Command('doctor'))
    .description('Find faults in the configuration and the environment of a node before it starts')
    .argument('[flags...]', 'flags of start')
    .option('--json', 'the findings as JSON on standard output', false)
    .allowUnknownOption()
    .addHelpText('after', EXAMPLES)
    .action(async (flags: readonly string[], { json }: { readonly json: boolean }) => {
      const { report } = await import('../doctor/run-doctor.ts')
      process.exitCode = report(await diagnose(program, flags), json)
    })
}

/**
 * @param program has all commands, for the check of variables
 * @param machine default: this one
 */
export async function diagnose(
  program: Command,
  flags: readonly string[],
  machine?: Machine,
): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = []
  let refusal = ''
  const command = startCommand(async (options: StartOptions) => {
    const { examine } = await import('../doctor/run-doctor.ts')
    findings = await examine(options, machine)
  })
  command
    .exitOverride()
    .configureOutput({
      outputError: (text) => {
        refusal += withFlagHint(withRedactedUrls(text))
      },
    })
    .hook('preAction', async () => void (await configureOrEnd(program, command)))
  try {
    await command.parseAsync([...flags], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const [line = error.message] = refusal.split('\n')
    return [fault('configuration', line.replace(/^error: /, ''))]
  }
  return findings
}
