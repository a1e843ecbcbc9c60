import { parseDocument, visit } from 'yaml'
import { flagName } from '../../flags/flag.ts'
import { FORMER_NAMES } from '../../flags/former-names.ts'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import { ConfigurationError } from './configuration-error.ts'
import { nearestName } from './nearest-name.ts'

const MAX_BYTES = 2 ** 20

/** Settings of a file: the items of each value by key. A value that is no list has one item. */
export type FileSettings = ReadonlyMap<string, readonly string[]>

/**
 * Reads a configuration file: YAML with the flags of a command without their dashes, as in `block-time: 1000`. Values
 * stay texts, so that a number of any size is exact.
 *
 * @param known the keys of the command
 * @throws ConfigurationError
 */
export function readConfigFile(path: string, known: readonly string[]): FileSettings {
  const settings = new Map<string, readonly string[]>()
  for (const [key, value] of Object.entries(documentOf(path))) {
    if (!known.includes(key)) throw new ConfigurationError('UNKNOWN_KEY', `${path}: ${unknownKey(key, known)}`)
    const items = Array.isArray(value) ? value : [value]
    if (!items.every((item) => typeof item === 'string')) {
      throw new ConfigurationError('INVALID_VALUE', `${path}: ${key} needs a value or a list of values`)
    }
    if (!items.includes('')) settings.set(key, items)
    else throw new ConfigurationError('INVALID_VALUE', `${path}: ${key} has no value: remove the line for the default`)
  }
  return settings
}

function documentOf(path: string): object {
  // With this schema of YAML every scalar is a text.
  const document = parseDocument(readText(path), { schema: 'failsafe' })
  const [error] = document.errors
  if (error !== undefined) {
    throw new ConfigurationError('UNREADABLE_FILE', `${path} is no YAML: ${error.message.split('\n')[0]}`)
  }
  visit(document, {
    Alias: (_, { source }) => {
      throw new ConfigurationError('UNREADABLE_FILE', `${path} has an alias (*${source}): write the value itself`)
    },
  })
  const content: unknown = document.toJS()
  if (content === null || content === '') return {}
  if (typeof content === 'object' && !Array.isArray(content)) return content
  throw new ConfigurationError('UNREADABLE_FILE', `${path} must have one flag per line, as in block-time: 1000`)
}

function readText(path: string): string {
  try {
    return readBoundedFile(path, MAX_BYTES).toString()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError('UNREADABLE_FILE', `the configuration file ${path} cannot be read: ${reason}`)
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const present = Object.entries(FORMER_NAMES).find(([former]) => flagName(former) === `--${key}`)?.[1]
  if (present !== undefined) return `${key} is now named ${flagName(present).slice('--'.length)}`
  const nearest = nearestName(key, known)
  return `unknown key ${key}${nearest === undefined ? ': keys are the flags of the command' : `: did you mean ${nearest}?`}`
}
