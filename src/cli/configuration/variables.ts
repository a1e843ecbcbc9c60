import type { Command, Option } from 'commander'
import { FlagOption } from '../process/command-options.ts'
import { ConfigurationError } from './configuration-error.ts'
import { nearestName } from './nearest-name.ts'

/** Every variable that configures the program begins with this. */
const PREFIX = 'TICKERTAPE_'

/** Options that act at once and set nothing. */
const ACTIONS: ReadonlySet<string> = new Set(['--help', '--help-all', '--version'])

/** Names that are no part of a variable: the program, and its default command. */
const UNNAMED: ReadonlySet<string> = new Set(['tickertape', 'start'])

/** Variables that are no flags: the signature library that tests choose. */
const OTHERS: readonly string[] = ['TICKERTAPE_SECP256K1']

/** The options of a command that a variable or a file can set. */
export function configurableOptions(command: Command): readonly Option[] {
  return command.options.filter(({ hidden, long }) => !hidden && long != null && !ACTIONS.has(long))
}

/**
 * The environment variable of an option.
 *
 * @example '--block-time' of `start`: 'TICKERTAPE_BLOCK_TIME'; '--to' of `stock issue`: 'TICKERTAPE_STOCK_ISSUE_TO'
 */
export function variableOf(command: Command, option: Option): string {
  if (option instanceof FlagOption && option.variable !== undefined) return option.variable
  const words = [...pathOf(command), configKey(option)]
  return `${PREFIX}${words.join('_').replaceAll('-', '_').toUpperCase()}`
}

/** The name of an option in a file. @example '--block-time': 'block-time' */
export function configKey({ long }: Option): string {
  return long!.slice('--'.length)
}

function pathOf(command: Command): readonly string[] {
  const above = command.parent === null ? [] : pathOf(command.parent)
  return UNNAMED.has(command.name()) ? above : [...above, command.name()]
}

/** The variables of a program and of all its commands. */
export function variablesOf(program: Command): readonly string[] {
  const own = configurableOptions(program).map((option) => variableOf(program, option))
  return [...new Set([...own, ...program.commands.flatMap(variablesOf)])]
}

/**
 * Refuses variables of the program's prefix that no command has, so that a misspelt one is not ignored.
 *
 * @throws ConfigurationError
 */
export function checkVariables(program: Command, env: NodeJS.ProcessEnv): void {
  const known = [...variablesOf(program), ...OTHERS]
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX)) continue
    if (known.includes(name)) refuseInjectedPort(name, text)
    else if (!isInjected(name, text)) {
      const nearest = nearestName(withoutPrefix(name), known.map(withoutPrefix))
      const hint =
        nearest === undefined ? 'tickertape --help-all lists every flag' : `did you mean ${PREFIX}${nearest}?`
      throw new ConfigurationError('UNKNOWN_VARIABLE', `the environment variable ${name} sets no flag: ${hint}`)
    }
  }
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length)
}

/** Variables that Kubernetes and Docker inject into every container for a service named `tickertape…`. */
function isInjected(name: string, text = ''): boolean {
  return /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) || isServiceAddress(text)
}

function isServiceAddress(text: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(text)
}

function refuseInjectedPort(name: string, text = ''): void {
  if (!name.endsWith('_PORT') || !isServiceAddress(text)) return
  throw new ConfigurationError(
    'INVALID_VALUE',
    `${name} is the address of a service, as Kubernetes and Docker links inject it, and no port: ` +
      'set enableServiceLinks: false for the pod, or rename the service',
  )
}
