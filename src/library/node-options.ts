import { FAILOVER_FLAGS } from '../flags/failover-flags.ts'
import { type Flag, fallbacksOf, flagName, type ValuesOf } from '../flags/flag.ts'
import type { ForkUrls } from '../flags/fork-flags.ts'
import { FORMER_NAMES, type FormerName } from '../flags/former-names.ts'
import { NATS_FLAGS } from '../flags/nats-flags.ts'
import { START_FLAGS, type StartOptions } from '../flags/start-flags.ts'
import type { MiningMode } from '../node/development/mining-mode.ts'
import { NodeError } from './node-error.ts'

/** Flags of `tickertape start` that are no options: what they configure is not part of a node in a process. */
const EXCLUDED = [
  // `listen` has them.
  'host',
  'port',
  'ipc',
  // The port of `listen` serves the metrics.
  'metricsPort',
  'metricsHost',
  // One network per node.
  'testnet',
  'testnetPort',
  // `datadir` decides.
  'ephemeral',
  // `mining: 'manual'`.
  'noMining',
  // `studio: false`.
  'noStudio',
  // A program has its own configuration.
  'config',
  // Standard output.
  'silent',
  'demo',
  'quiet',
  'json',
  'jsonReady',
  'logFormat',
  'abi',
  // Other processes.
  'rpcWorkers',
] as const

type ExcludedName = (typeof EXCLUDED)[number] | keyof typeof NATS_FLAGS | keyof typeof FAILOVER_FLAGS
type OptionFlags = Omit<typeof START_FLAGS, ExcludedName>

/** When blocks are built, as `--mining` has it. */
export type MiningText = 'flashblocks' | 'auto' | 'manual' | `interval=${number}` | `auto,interval=${number}`

/** The value of an option, by the value of its flag. */
export type OptionValue<Value> = Value extends MiningMode
  ? MiningText
  : Value extends ForkUrls
    ? string
    : Value extends bigint
      ? bigint | number
      : Value

/**
 * Options of `createNode`: the flags of `tickertape start` by their names in camel case, with the same values and
 * defaults (`npx tickertape --help-all`), except:
 *
 * - `datadir`: without it the chain is in a temporary directory that `close` deletes.
 * - `callWorkers`: 0, no threads.
 * - `logLevel`: `silent`; logs are written to standard error.
 *
 * Former names of options are accepted, with a warning.
 *
 * @example { chainId: 1337, mining: 'auto', compat: 'anvil' }
 */
export type NodeOptions = {
  readonly [Name in keyof OptionFlags]?: OptionValue<ValuesOf<OptionFlags>[Name]> | undefined
} & FormerOptions

/** Options under former names. */
type FormerOptions = {
  readonly [Name in FormerName as (typeof FORMER_NAMES)[Name] extends keyof OptionFlags ? Name : never]?: OptionValue<
    ValuesOf<OptionFlags>[(typeof FORMER_NAMES)[Name] & keyof OptionFlags]
  >
}

/** Where `listen` serves a node. */
export interface ListenOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Port for HTTP and WebSocket. Default: 0, any free one. */
  readonly port?: number | undefined
  /** Path of a Unix socket, or name of a pipe of Windows, for JSON-RPC. Default: none. */
  readonly ipc?: string | undefined
}

const { host, port, ipc } = START_FLAGS
const LISTEN_FLAGS = { host, port: { ...port, fallback: 0 }, ipc }

/** The flags of the options by name, in the order of the documentation. */
export const OPTION_FLAGS = flagsOfOptions()

/**
 * The settings of a node by options.
 *
 * @throws NodeError `INVALID_OPTION`
 */
export function startOptionsOf(options: NodeOptions): StartOptions {
  const given = valuesOf(OPTION_FLAGS, options, 'createNode') as Partial<StartOptions>
  return {
    ...fallbacksOf(START_FLAGS),
    callWorkers: 0,
    logLevel: 'silent',
    quiet: true,
    ...given,
    ephemeral: given.datadir === undefined,
  }
}

/**
 * The address by options of `listen`.
 *
 * @throws NodeError `INVALID_OPTION`
 */
export function listenOptionsOf(options: ListenOptions): Pick<StartOptions, 'host' | 'port' | 'ipc'> {
  return { ...fallbacksOf(LISTEN_FLAGS), ...valuesOf(LISTEN_FLAGS, options, 'listen') }
}

/** A text that names flags, with the names of their options instead. */
export function withOptionNames(text: string): string {
  const names = [...Object.keys(OPTION_FLAGS), ...Object.keys(LISTEN_FLAGS)]
  const optionOf = new Map(names.map((name) => [flagName(name), name]))
  return text.replaceAll(
    /--[a-z][a-z0-9-]*/g,
    (flag) => (flag === '--ephemeral' ? 'no datadir' : optionOf.get(flag)) ?? flag,
  )
}

function flagsOfOptions(): Readonly<Record<string, Flag<unknown>>> {
  const excluded = new Set<string>([...EXCLUDED, ...Object.keys(NATS_FLAGS), ...Object.keys(FAILOVER_FLAGS)])
  return Object.fromEntries(Object.entries<Flag<unknown>>(START_FLAGS).filter(([name]) => !excluded.has(name)))
}

/** The given values of a table, each judged by the parser of its flag. */
function valuesOf(
  table: Readonly<Record<string, Flag<unknown>>>,
  options: unknown,
  called: string,
): Readonly<Record<string, unknown>> {
  if (typeof options !== 'object' || options === null) {
    throw new NodeError('INVALID_OPTION', `${called} takes an object of options, as in ${called}({ … })`)
  }
  const values: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(options)) {
    const name = presentName(given, table)
    const flag = Object.hasOwn(table, name) ? table[name] : undefined
    if (flag === undefined) throw new NodeError('INVALID_OPTION', unknownOption(name, Object.keys(table), called))
    if (value !== undefined) values[name] = judgedValue(name, flag, value)
  }
  return values
}

/** The name of an option that was renamed, with a warning. */
function presentName(given: string, table: Readonly<Record<string, Flag<unknown>>>): string {
  const name = Object.hasOwn(FORMER_NAMES, given) ? FORMER_NAMES[given as FormerName] : given
  if (name === given || !Object.hasOwn(table, name)) return given
  process.emitWarning(`the option ${given} is now named ${name}`, 'DeprecationWarning')
  return name
}

function unknownOption(name: string, known: readonly string[], called: string): string {
  if (name in LISTEN_FLAGS) return `${name} is an option of listen, not of ${called}: await node.listen({ ${name} })`
  if (name in START_FLAGS) {
    return `${name} is no option of ${called}: it configures a process of its own, as \`tickertape start ${flagName(name)}\` does`
  }
  const similar = known.find((one) => lettersOf(one) === lettersOf(name))
  const advice = similar === undefined ? 'docs/library.md lists all' : `use ${similar}`
  return `${name} is no option of ${called}: ${advice}`
}

/** Equal for names that differ in case or in the order of letters only. */
function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

function judgedValue(name: string, flag: Flag<unknown>, value: unknown): unknown {
  const refuse = (reason: string): never => {
    throw new NodeError('INVALID_OPTION', `${name}: ${shown(value)} is not possible: ${reason}`)
  }
  if (flag.value === undefined) return typeof value === 'boolean' ? value : refuse('true or false is required.')
  if (flag.choices !== undefined) {
    return flag.choices.includes(value as string) ? value : refuse(`one of ${flag.choices.join(', ')} is required.`)
  }
  const text = textOf(value)
  if (text === undefined) return refuse(`${flag.description} (a text or a number).`)
  if (flag.parse === undefined) return typeof value === 'string' ? value : refuse('a text is required.')
  try {
    return flag.parse(text)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

/** A value as the command line has it; `undefined`: it has none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',')
  return undefined
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
