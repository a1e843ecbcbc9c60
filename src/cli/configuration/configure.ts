import type { Command, Option } from 'commander'
import { FlagOption } from '../process/command-options.ts'
import { ConfigurationError } from './configuration-error.ts'
import { optionValueOf } from './option-text.ts'
import { checkVariables, configKey, configurableOptions, variableOf } from './variables.ts'

/** The option that names a configuration file. */
const CONFIG = 'config'

/** A value that no flag of the command line gives. */
export interface Setting {
  readonly source: 'env' | 'config'
  /** The variable, or the file and its key. */
  readonly origin: string
  readonly texts: readonly string[]
}

/**
 * Completes the options of a command before its action: each flag that the command line lacks has the value of its
 * environment variable, else that of the file of `--config`, else its default. An empty variable counts as unset.
 *
 * @param program has all commands, for the check of misspelt variables
 * @returns the settings by option name
 * @throws ConfigurationError
 */
export async function configure(
  program: Command,
  command: Command,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, Setting>> {
  checkVariables(program, env)
  const settings = new Map<string, Setting>()
  const options = configurableOptions(command)
  const set = (option: Option, setting: Setting) => {
    const name = option.attributeName()
    if (command.getOptionValueSource(name) === 'cli') return
    command.setOptionValueWithSource(name, parsed(option, setting), setting.source)
    settings.set(name, setting)
  }
  for (const option of options) {
    const variable = variableOf(command, option)
    const text = env[variable]
    if (text) set(option, { source: 'env', origin: variable, texts: [text] })
  }
  const path: string | undefined = command.getOptionValue(CONFIG)
  if (path === undefined) return settings
  const keyed = new Map(options.filter((one) => configKey(one) !== CONFIG).map((option) => [configKey(option), option]))
  // Loaded on demand: the parser of YAML takes longer than the rest of the command line.
  const { readConfigFile } = await import('./config-file.ts')
  const file = readConfigFile(path, [...keyed.keys()])
  for (const [key, texts] of file) {
    const option = keyed.get(key)!
    if (!settings.has(option.attributeName())) set(option, { source: 'config', origin: `${path}: ${key}`, texts })
  }
  return settings
}

function parsed(option: Option, { origin, texts }: Setting): unknown {
  try {
    return optionValueOf(option, texts)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const value = isSecret(option) ? '' : ` '${texts.join(',')}'`
    throw new ConfigurationError('INVALID_VALUE', `the value${value} of ${origin} is invalid. ${reason}`)
  }
}

/** Whether the value of an option is kept out of messages and reports. */
export function isSecret(option: Option): boolean {
  return option instanceof FlagOption && option.isSecret
}

/** As `configure`; a refusal ends the program as a wrong flag does. */
export async function configureOrEnd(program: Command, command: Command): Promise<ReadonlyMap<string, Setting>> {
  try {
    return await configure(program, command, process.env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return command.error(`error: ${error.message}`)
  }
}

/** Configures each command of a program before its action. */
export function withConfiguration(program: Command): Command {
  return program.hook('preAction', async (_, command) => {
    await configureOrEnd(program, command)
  })
}
