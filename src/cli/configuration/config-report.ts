import type { Command, Option } from 'commander'
import { stringify } from 'yaml'
import { redactedUrl } from '../../primitives/text/url-credentials.ts'
import { isSecret, type Setting } from './configure.ts'
import { configKey, configurableOptions } from './variables.ts'

/** The value of a flag and where it comes from. */
export interface ReportedFlag {
  readonly key: string
  /** Redacted: `…` for secrets, and URLs without what may be a key. `undefined`: no value. */
  readonly value: string | undefined
  /** `default`, `command line`, an environment variable, or a file and its key. */
  readonly source: string
  /** A file cannot have it: it is redacted. */
  readonly isRedacted: boolean
}

/** Where the values of a command come from. */
export interface Given {
  /** Texts of the command line by option name; empty for a switch. */
  readonly arguments: ReadonlyMap<string, string>
  readonly settings: ReadonlyMap<string, Setting>
}

/** Every flag of a configured command. */
export function reportedFlags(command: Command, given: Given): readonly ReportedFlag[] {
  return configurableOptions(command)
    .filter((option) => configKey(option) !== 'config')
    .map((option) => {
      const key = configKey(option)
      const { text, source } = textOf(option, given)
      const value = text === undefined ? undefined : shown(option, text, source)
      return { key, value, source, isRedacted: value !== text }
    })
}

function textOf(option: Option, { arguments: texts, settings }: Given): { text: string | undefined; source: string } {
  const name = option.attributeName()
  const argument = texts.get(name)
  if (argument !== undefined) return { text: argument === '' ? 'true' : argument, source: 'command line' }
  const setting = settings.get(name)
  if (setting !== undefined) return { text: setting.texts.join(','), source: setting.origin }
  const { defaultValue, defaultValueDescription: described } = option
  const text = described ?? (defaultValue === undefined ? undefined : String(defaultValue))
  return { text, source: 'default' }
}

function shown(option: Option, text: string, source: string): string {
  if (source === 'default') return text
  if (isSecret(option)) return '…'
  return text
    .split(',')
    .map((part) => (/^[a-z]+:\/\//.test(part) && URL.canParse(part) ? redactedUrl(part) : part))
    .join(',')
}

/** A configuration file with the values that are set, and the defaults and redacted values as comments. */
export function configText(name: string, flags: readonly ReportedFlag[]): string {
  const lines = flags.map(({ key, value, source, isRedacted }) => {
    if (source === 'default') return `# ${key}:${value === undefined ? '' : ` ${value}`}`
    const line = `${key}: ${stringify(value, { schema: 'failsafe', lineWidth: 0 }).trimEnd()}`
    return `${isRedacted ? '# ' : ''}${line}    # ${source}${isRedacted ? ', redacted' : ''}`
  })
  return `# tickertape ${name}: values that are set, with their source; defaults are comments.\n${lines.join('\n')}\n`
}
