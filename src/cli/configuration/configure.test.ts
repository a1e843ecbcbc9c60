import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, type Option } from 'commander'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replicaCommand } from '../commands/replica-command.ts'
import { startCommand } from '../commands/start-command.ts'
import { stocksCommand } from '../commands/stocks-command.ts'
import { stockCommand } from '../stock/stock-command.ts'
import { configure } from './configure.ts'
import { configKey, configurableOptions, variableOf, variablesOf } from './variables.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-config-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function programOf(...commands: readonly Command[]): Command {
  const program = new Command('tickertape')
  for (const command of commands) program.addCommand(command)
  return program
}

function fileOf(text: string): string {
  const path = join(folder, 'node.yaml')
  writeFileSync(path, text)
  return path
}

/** The values of `start` by arguments, variables and the text of a file. */
async function started(given: { args?: readonly string[]; env?: NodeJS.ProcessEnv; file?: string }) {
  const command = startCommand(async () => undefined)
  const program = programOf(command, replicaCommand(), stocksCommand(), stockCommand())
  const config = given.file === undefined ? [] : ['--config', fileOf(given.file)]
  command.parseOptions([...(given.args ?? []), ...config])
  const settings = await configure(program, command, given.env ?? {})
  return { values: command.opts(), settings, command }
}

const SAMPLES = [
  ...['7', '12', '1', '100', '1000', '30000000', '0.5', `0x${'11'.repeat(20)}`, `0x${'22'.repeat(32)}`, 'A: b', 'auto'],
  ...['http://127.0.0.1:1', 'nats://127.0.0.1:1', 'ws://127.0.0.1:1/replica', '127.0.0.1', '10.0.0.0/8'],
]

/** A text that a flag with a value accepts. */
function sampleOf({ argChoices, defaultValue, parseArg }: Option): string {
  if (argChoices !== undefined) return argChoices.at(-1)!
  const isAccepted = (text: string) => {
    try {
      parseArg?.(text, [] as never)
      return true
    } catch {
      return false
    }
  }
  return [...SAMPLES, String(defaultValue)].find(isAccepted)!
}

describe.each([
  ['start', startCommand],
  ['replica', replicaCommand],
  ['stocks', stocksCommand],
] as const)('each flag of %s has the same value by the command line, its variable and a file', (_, create) => {
  const options = configurableOptions(create()).filter((option) => configKey(option) !== 'config')

  test.each(options.map((option) => [option.long!, option] as const))('%s', async (long, option) => {
    const isSwitch = option.isBoolean() || option.negate
    const text = isSwitch ? 'true' : sampleOf(option)
    const valueBy = async (args: readonly string[], env: NodeJS.ProcessEnv) => {
      const command = create()
      command.parseOptions([...args])
      await configure(programOf(command), command, env)
      return [command.opts()[option.attributeName()], command.getOptionValueSource(option.attributeName())]
    }
    const command = create()
    programOf(command)
    const [expected] = await valueBy(isSwitch ? [long] : [long, text], {})

    expect(await valueBy([], { [variableOf(command, option)]: text })).toEqual([expected, 'env'])
    expect(await valueBy(['--config', fileOf(`${configKey(option)}: '${text}'\n`)], {})).toEqual([expected, 'config'])
  })
})

test('a variable sets the flag of one name, except the two flags that name the registry of stocks', () => {
  const flags = new Map<string, Set<string>>()
  const visit = (command: Command) => {
    for (const option of configurableOptions(command)) {
      const variable = variableOf(command, option)
      flags.set(variable, (flags.get(variable) ?? new Set()).add(option.long!))
    }
    for (const one of command.commands) visit(one)
  }
  visit(programOf(startCommand(), replicaCommand(), stocksCommand(), stockCommand()))
  const shared = [...flags].filter(([, names]) => names.size > 1)

  expect(shared).toEqual([['TICKERTAPE_STOCKS_REGISTRY', new Set(['--stocks-registry', '--registry'])]])
})

test('the command line wins over the environment, which wins over the file, which wins over the default', async () => {
  const file = 'port: 1\nhost: 10.0.0.1\nhistory: 9\n'
  const env = { TICKERTAPE_PORT: '2', TICKERTAPE_HOST: '10.0.0.2' }

  const { values, settings } = await started({ args: ['--port', '3'], env, file })

  expect(values).toMatchObject({ port: 3, host: '10.0.0.2', history: 9, blockTime: 2000 })
  expect([...settings].map(([name, { source }]) => [name, source])).toEqual([
    ['host', 'env'],
    ['history', 'config'],
  ])
})

test.each([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])('the variable of a switch takes %j', async (text, isOn) => {
  expect((await started({ env: { TICKERTAPE_TESTNET: text } })).values).toMatchObject({ testnet: isOn })
  expect((await started({ env: { TICKERTAPE_NO_STUDIO: text } })).command.opts()).toMatchObject({ studio: !isOn })
})

test('an empty variable is one that is not set', async () => {
  expect((await started({ env: { TICKERTAPE_PORT: '' } })).values).toMatchObject({ port: 8545 })
})

test('a flag that may be repeated is a list in a file, and the command line replaces the list', async () => {
  const file = 'fork-url: http://127.0.0.1:1\nfork-header:\n  - "A: 1, 2"\n  - "B: 3"\n'

  expect((await started({ file })).values).toMatchObject({ forkHeader: ['A: 1, 2', 'B: 3'] })
  expect((await started({ file, args: ['--fork-header', 'C: 4'] })).values).toMatchObject({ forkHeader: ['C: 4'] })
})

test('a number beyond 2^53 in a file is exact', async () => {
  expect((await started({ file: 'chain-id: 9007199254740993\n' })).values).toMatchObject({ chainId: 9007199254740993n })
})

test.each([
  [{ TICKERTAPE_PROT: '1' }, 'the environment variable TICKERTAPE_PROT sets no flag: did you mean TICKERTAPE_PORT?'],
  [
    { TICKERTAPE_QQQQQQQQQQQQQQQQQQ: '1' },
    'the environment variable TICKERTAPE_QQQQQQQQQQQQQQQQQQ sets no flag: tickertape --help-all lists every flag',
  ],
  [
    { TICKERTAPE_PORT: 'many' },
    "the value 'many' of TICKERTAPE_PORT is invalid. a whole number from 0 to 65535 is required.",
  ],
  [{ TICKERTAPE_TESTNET: 'yes' }, "the value 'yes' of TICKERTAPE_TESTNET is invalid. true or false is required."],
  [
    { TICKERTAPE_PORT: 'tcp://10.0.0.7:8545' },
    'TICKERTAPE_PORT is the address of a service, as Kubernetes and Docker links inject it, and no port: ' +
      'set enableServiceLinks: false for the pod, or rename the service',
  ],
])('the environment %j is refused', async (env, message) => {
  await expect(started({ env })).rejects.toThrow(expect.objectContaining({ name: 'ConfigurationError', message }))
})

test('variables that Kubernetes and Docker inject for a service of this name are no error', async () => {
  const env = {
    TICKERTAPE_SERVICE_HOST: '10.0.0.7',
    TICKERTAPE_SERVICE_PORT: '8545',
    TICKERTAPE_SERVICE_PORT_HTTP: '8545',
    TICKERTAPE_PORT_8545_TCP: 'tcp://10.0.0.7:8545',
    TICKERTAPE_PORT_8545_TCP_ADDR: '10.0.0.7',
    TICKERTAPE_STANDBY_PORT: 'tcp://10.0.0.8:8545',
  }

  expect((await started({ env })).values).toMatchObject({ port: 8545 })
})

test.each([
  ['prot: 1', 'UNKNOWN_KEY', 'FILE: unknown key prot: did you mean port?'],
  ['config: other.yaml', 'UNKNOWN_KEY', 'FILE: unknown key config: keys are the flags of the command'],
  ['pool-size: 5', 'UNKNOWN_KEY', 'FILE: pool-size is now named max-pool-transactions'],
  ['port: x', 'INVALID_VALUE', "the value 'x' of FILE: port is invalid. a whole number from 0 to 65535 is required."],
  ['port:', 'INVALID_VALUE', 'FILE: port has no value: remove the line for the default'],
  ['port: { main: 1 }', 'INVALID_VALUE', 'FILE: port needs a value or a list of values'],
  ['- port', 'UNREADABLE_FILE', 'FILE must have one flag per line, as in block-time: 1000'],
  ['port: 1\nport: 2', 'UNREADABLE_FILE', 'FILE is no YAML: Map keys must be unique at line 2, column 1:'],
  ['port: &p 1\nhost: *p', 'UNREADABLE_FILE', 'FILE has an alias (*p): write the value itself'],
])('a file with %j is refused: %s', async (file, code, message) => {
  const path = fileOf(file)

  await expect(started({ args: ['--config', path] })).rejects.toThrow(
    expect.objectContaining({ code, message: message.replace('FILE', path) }),
  )
})

test('a file that cannot be read is refused with the reason', async () => {
  await expect(started({ args: ['--config', folder] })).rejects.toThrow(`${folder} is no regular file`)
  await expect(started({ args: ['--config', join(folder, 'none.yaml')] })).rejects.toThrow(/cannot be read: ENOENT/)
})

test('a refused secret is not repeated', async () => {
  const header = 'SECRET'

  await expect(started({ env: { TICKERTAPE_FORK_HEADER: header } })).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(header) }),
  )
})

test('variables of commands within commands begin with both names', () => {
  expect(variablesOf(programOf(stockCommand()))).toContain('TICKERTAPE_STOCK_CREATE_DECIMALS')
})
