import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configure } from '../configuration/configure.ts'
import { replicaCommand } from './replica-command.ts'
import { startCommand } from './start-command.ts'
import { stocksCommand } from './stocks-command.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-wrong-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Configuration {
  readonly name?: 'start' | 'replica' | 'stocks'
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly file?: string
}

/** Why a command refuses a configuration; `accepted` if it would run. */
async function refusalOf({ name = 'start', args = [], env = {}, file }: Configuration): Promise<string> {
  let refusal = 'accepted'
  const run = async () => undefined
  const commands = { start: startCommand(run), replica: replicaCommand(run), stocks: stocksCommand(run) }
  const program = new Command('tickertape')
  for (const one of Object.values(commands)) {
    one.exitOverride().configureOutput({ writeErr: () => undefined })
    program.addCommand(one)
  }
  const path = join(folder, 'node.yaml')
  if (file !== undefined) writeFileSync(path, file)
  program.hook('preAction', async (_, command) => {
    await configure(program, command, env)
  })
  try {
    await program.parseAsync([name, ...args, ...(file === undefined ? [] : ['--config', path])], { from: 'user' })
  } catch (error) {
    refusal = (error as Error).message.replace(path, 'FILE')
  }
  return refusal
}

test('a correct configuration is accepted', async () => {
  expect(await refusalOf({ args: ['--port', '0'], env: { TICKERTAPE_HISTORY: '9' }, file: 'testnet: true' })).toBe(
    'accepted',
  )
})

const PORT_RANGE = 'a whole number from 0 to 65535 is required.'

test.each<[Configuration, string]>([
  [{ args: ['--prot', '1'] }, "error: unknown option '--prot'\n(Did you mean --port?)"],
  [{ args: ['strat'] }, "error: unknown command 'strat': did you mean start?"],
  [{ args: ['mine'] }, "error: unknown command 'mine': tickertape --help lists all"],
  [{ args: ['--port', '70000'] }, `'70000' is invalid. ${PORT_RANGE}`],
  [{ args: ['--log-level', 'loud'] }, 'Allowed choices are trace, debug, info, warn, error, silent.'],
  [{ args: ['--ephemeral', '--datadir', 'x'] }, 'error: --ephemeral contradicts --datadir'],
  [{ args: ['--failover'] }, 'error: --failover needs --nats'],
  [{ args: ['--nats-replicas', '3'] }, 'error: --nats-replicas has no effect without --nats'],
  [{ args: ['--fork-block-number', '3'] }, 'error: --fork-block-number has no effect without --fork-url'],
  [{ args: ['--mining', 'auto', '--no-mining'] }, 'error: --no-mining contradicts --mining auto'],
  [{ args: ['--mnemonic-random'] }, 'error: --mnemonic-random needs --ephemeral'],
  [{ args: ['--demo', '--accounts', '1'] }, 'error: --demo needs --accounts 2 or more'],
  [{ args: ['--demo', '--stand-still'] }, 'error: --stand-still contradicts --demo'],
  [{ args: ['--demo', '--http-api', 'net,web3'] }, 'error: --demo needs eth in --http-api'],
  [{ args: ['--demo', '--host', '0.0.0.0'] }, 'error: --demo needs --expose-dev'],
  [{ args: ['--demo', '--accounts', '2', '--http-api', 'eth,net'] }, 'accepted'],
  [
    { args: ['--stocks-market', 'calm', '--fork-url', 'http://127.0.0.1:1'] },
    'error: --fork-url contradicts --stocks-market: a fork has no demonstration stocks; start another node for them',
  ],
  [
    { args: ['--stocks-market', 'calm', '--compat', 'anvil', '--ephemeral'] },
    'error: --compat anvil contradicts --stocks-market: block 0 has no demonstration stocks; start without --compat',
  ],
  [{ args: ['--stocks-market', 'calm', '--genesis', 'g.json'] }, 'error: --genesis contradicts --stocks-market'],
  [{ args: ['--stocks-market', 'calm', '--demo-stocks', 'v1'] }, 'error: --demo-stocks v1 contradicts --stocks-market'],
  [{ args: ['--stocks-market', 'calm', '--accounts', '0'] }, 'error: --stocks-market needs the default --mnemonic'],
  [
    { args: ['--stocks-market', 'calm', '--mnemonic-random', '--ephemeral'] },
    'error: --stocks-market needs the default --mnemonic',
  ],
  [{ args: ['--stocks-market', 'calm', '--stand-still'] }, 'error: --stand-still contradicts --stocks-market'],
  [{ args: ['--stocks-market', 'calm', '--http-api', 'net'] }, 'error: --stocks-market needs eth in --http-api'],
  [{ args: ['--stocks-market', 'stress', '--accounts', '1', '--http-api', 'eth'] }, 'accepted'],
  [{ args: ['--profile', 'denim'] }, 'error: --profile denim needs --ephemeral, or --timestamp'],
  [{ args: ['--l1-url', 'http://127.0.0.1:1'] }, 'error: --l1-url needs --profile op or denim'],
  [{ args: ['--denim-after', '5'] }, 'error: --denim-after needs --profile denim'],
  [{ args: ['--testnet', '--fork-url', 'http://127.0.0.1:1'] }, 'error: --testnet contradicts --fork-url'],
  [{ env: { TICKERTAPE_PROT: '1' } }, 'TICKERTAPE_PROT sets no flag: did you mean TICKERTAPE_PORT?'],
  [{ env: { TICKERTAPE_PORT: 'x' } }, `the value 'x' of TICKERTAPE_PORT is invalid. ${PORT_RANGE}`],
  [{ env: { TICKERTAPE_TESTNET: 'maybe' } }, 'TICKERTAPE_TESTNET is invalid. true or false is required.'],
  [{ env: { TICKERTAPE_PORT: 'tcp://10.0.0.7:8545' } }, 'set enableServiceLinks: false for the pod'],
  [{ env: { TICKERTAPE_FAILOVER: 'true' } }, 'error: --failover needs --nats'],
  [{ env: { TICKERTAPE_LOG_LEVEL: 'loud' } }, 'TICKERTAPE_LOG_LEVEL is invalid. Allowed choices are'],
  [{ file: 'prot: 1' }, 'FILE: unknown key prot: did you mean port?'],
  [{ file: 'port: x' }, `the value 'x' of FILE: port is invalid. ${PORT_RANGE}`],
  [{ file: 'port' }, 'FILE must have one flag per line, as in block-time: 1000'],
  [{ file: 'port: 1\nport: 2' }, 'FILE is no YAML: Map keys must be unique'],
  [{ file: 'port: [' }, 'FILE is no YAML: '],
  [{ file: 'port:' }, 'FILE: port has no value: remove the line for the default'],
  [{ file: 'ephemeral: true\ndatadir: x' }, 'error: --ephemeral contradicts --datadir'],
  [{ file: 'fork-offline: true' }, 'error: --fork-offline has no effect without --fork-url'],
  [{ args: ['--config', '/none.yaml'] }, 'the configuration file /none.yaml cannot be read: ENOENT'],
  [{ args: ['--config', '/dev/zero'] }, '/dev/zero is no regular file'],
  [{ name: 'replica' }, 'error: --from is missing'],
  [{ name: 'replica', file: 'mining: auto' }, 'FILE: unknown key mining'],
  [{ name: 'stocks', file: 'rpc-url: ftp://x' }, 'a URL that begins with http:// or https:// is required.'],
])('%j is refused with the sentence that helps', async (configuration, sentence) => {
  expect(await refusalOf(configuration)).toContain(sentence)
})
