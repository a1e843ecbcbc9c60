import { Command } from 'commander'
import { configureOrEnd, type Setting } from '../configuration/configure.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { replicaCommand } from './replica-command.ts'
import { type RunWith, startCommand } from './start-command.ts'
import { stocksCommand } from './stocks-command.ts'

const COMMANDS = { start: startCommand, replica: replicaCommand, stocks: stocksCommand }
type Name = keyof typeof COMMANDS

const EXAMPLES = `
Flags come from the command line, else from environment variables, else from the file of --config, else they have their
defaults. The variable of --block-time is TICKERTAPE_BLOCK_TIME; for another command than start its name comes first, as
in TICKERTAPE_REPLICA_HISTORY. A file has one flag per line: block-time: 1000

Exit codes: 0 when a command would accept the configuration, 2 when it would refuse it.

Examples:
  $ tickertape config check --config node.yaml             would start accept it?
  $ tickertape config show --config node.yaml --port 0     every flag of start: value and source, as a file
  $ tickertape config show replica --json                  the same of replica, as JSON
`

/** `tickertape config`: checks and prints what a command would run with. */
export function configCommand(program: Command): Command {
  const group = endingOnWrongUsage(new Command('config'))
    .description('Check or print the flags of start, replica or stocks, and where each value comes from')
    .addHelpText('after', EXAMPLES)
  const parts = [
    { name: 'check', description: 'Say whether a command would accept its configuration', print: printCheck },
    { name: 'show', description: 'Print every flag of a command with its value and source', print: printShown },
  ]
  for (const { name, description, print } of parts) {
    const command = endingOnWrongUsage(new Command(name))
      .description(description)
      .argument('[command]', 'start, replica or stocks', 'start')
      .argument('[flags...]', 'flags of that command')
      .option('--json', 'one line of JSON on standard output', false)
      .allowUnknownOption()
      .addHelpText('after', EXAMPLES)
      .action((first: string, rest: readonly string[], { json }: { readonly json: boolean }) =>
        inspect(program, [first, ...rest], (inspected) => print(inspected, json)),
      )
    group.addCommand(command)
  }
  return group
}

/** A command with the values that it would run with. */
interface Inspected {
  readonly name: Name
  readonly command: Command
  readonly texts: ReadonlyMap<string, string>
  readonly settings: ReadonlyMap<string, Setting>
}

/** Parses and checks the arguments as the command itself does, and prints instead of running it. */
async function inspect(
  program: Command,
  words: readonly string[],
  print: (inspected: Inspected) => void | Promise<void>,
): Promise<void> {
  const [first = 'start', ...rest] = words
  const isNamed = Object.hasOwn(COMMANDS, first)
  const name = isNamed ? (first as Name) : 'start'
  const texts = new Map<string, string>()
  let settings: ReadonlyMap<string, Setting> = new Map()
  const run: RunWith<unknown> = async () => await print({ name, command, texts, settings })
  const command: Command = COMMANDS[name](run)
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (text: string | null) => {
      texts.set(option.attributeName(), text ?? (option.negate ? 'false' : ''))
    })
  }
  command.hook('preAction', async () => {
    settings = await configureOrEnd(program, command)
  })
  await command.parseAsync(isNamed ? rest : words, { from: 'user' })
}

function printCheck({ name, texts, settings }: Inspected, json: boolean): void {
  const counts = {
    arguments: texts.size,
    variables: [...settings.values()].filter(({ source }) => source === 'env').length,
    file: [...settings.values()].filter(({ source }) => source === 'config').length,
  }
  const line =
    `tickertape ${name} accepts it (flags: ${counts.arguments}, ` +
    `environment variables: ${counts.variables}, values of the file: ${counts.file})`
  process.stdout.write(`${json ? JSON.stringify({ command: name, valid: true, ...counts }) : line}\n`)
}

async function printShown({ name, command, texts, settings }: Inspected, json: boolean): Promise<void> {
  // Loaded on demand, with the parser of YAML.
  const { configText, reportedFlags } = await import('../configuration/config-report.ts')
  const flags = reportedFlags(command, { arguments: texts, settings })
  const members = flags.map(({ key, value, source }) => [key, { value: value ?? null, source }])
  process.stdout.write(json ? `${JSON.stringify(Object.fromEntries(members))}\n` : configText(name, flags))
}
