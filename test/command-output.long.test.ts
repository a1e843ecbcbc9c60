import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMAND_OUTPUTS } from '../src/cli/output/command-outputs.ts'
import { runNode } from './support/compiled-program.ts'
import { schemaViolations } from './support/json-schema.ts'
import { type NodeProcess, spawnNode, startStocks } from './support/node-processes.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'command-output-'))
const at = (name: string) => join(directory, name)
const CHAIN = ['--datadir', at('chain')]

let node: NodeProcess
beforeAll(async () => {
  const stored = await spawnNode([...CHAIN, '--log-level', 'error'])
  await stored.stop()
  node = await spawnNode(['--ephemeral', '--profile', 'op', '--log-level', 'error'])
})
afterAll(async () => {
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs a command, whose lines and exit code must be those that are described. @returns the exit code */
async function checked(command: string, ...args: readonly string[]): Promise<number> {
  const { line, exits, flag } = COMMAND_OUTPUTS.find((output) => output.command === command)!
  const { status, output, errors } = await runNode([MAIN, ...command.split(' '), ...args, flag])
  const lines = output.trim().split('\n')

  expect(Object.keys(exits), errors).toContain(`${status}`)
  for (const each of lines) expect(schemaViolations(line, JSON.parse(each)), `${each}\n${errors}`).toEqual([])
  return status!
}

describe('commands print for programs what docs/command-output.schema.json says', () => {
  test('on a stopped chain', async () => {
    expect(await checked('verify', ...CHAIN)).toBe(0)
    expect(await checked('export', at('blocks.rlp'), ...CHAIN)).toBe(0)
    expect(await checked('import', at('blocks.rlp'), '--datadir', at('copy'))).toBe(0)
    expect(await checked('backup', at('backup'), ...CHAIN)).toBe(0)
    expect(await checked('restore', at('backup'), '--datadir', at('restored'))).toBe(0)
    expect(await checked('repair', ...CHAIN)).toBe(0)
  })

  test('on a chain that is not there', async () => {
    for (const command of ['verify', 'repair']) expect(await checked(command, '--datadir', at('nowhere'))).toBe(2)
    expect(await checked('restore', at('nowhere'), '--datadir', at('other'))).toBe(2)
    writeFileSync(at('damaged.rlp'), 'no blocks')
    expect(await checked('import', at('damaged.rlp'), '--datadir', at('third'))).toBe(1)
  })

  test('at a running node', async () => {
    expect(await checked('deposit', '--to', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '--rpc-url', node.rpc)).toBe(
      0,
    )
    expect(await checked('watch', node.rpc, '--blocks', '1')).toBe(0)
    expect(await checked('verify-source', '0x12', '--rpc-url', node.rpc)).toBe(2)
    expect(await checked('debug', '--data', '0x600160020100', '--rpc-url', node.rpc)).toBe(0)
    expect(await checked('debug', '--rpc-url', node.rpc)).toBe(2)
    expect(await checked('debug', `0x${'00'.repeat(32)}`, '--rpc-url', node.rpc)).toBe(3)
    expect(await checked('gas-report', '--rpc-url', node.rpc)).toBe(0)
    expect(await checked('coverage', '--rpc-url', node.rpc)).toBe(2)
    expect(await checked('gas-report', '--rpc-url', 'http://127.0.0.1:9')).toBe(3)
    expect(await checked('deposit', '--rpc-url', 'http://127.0.0.1:9')).toBe(3)
  })

  test('of a cluster that cannot be reached', async () => {
    for (const name of ['status', 'transfer']) {
      expect(await checked(`cluster ${name}`, '--nats', 'nats://127.0.0.1:9')).toBe(1)
    }
  })

  test('about configurations and profiles', async () => {
    for (const name of ['flashblocks', 'op', 'denim']) expect(await checked('profile show', name)).toBe(0)
    expect(await checked('config check')).toBe(0)
    expect(await checked('config show')).toBe(0)
    expect(await checked('doctor', '--port', '0')).toBe(0)
    expect(await checked('doctor', '--port', new URL(node.rpc).port)).toBe(1)
  })

  test('of a supply proof and a witness that are not there', async () => {
    expect(await checked('verify-supply', at('nowhere'), '--trusted-hash', `0x${'00'.repeat(32)}`)).toBe(2)
    expect(await checked('execute', '--witness', at('nowhere'))).toBe(2)
  })

  test('when they serve', async () => {
    const lineOf = (name: string) => COMMAND_OUTPUTS.find(({ command }) => command === name)!.line
    const { child, exited, stop, ...ready } = node
    const stocks = await startStocks(node.rpc)
    const {
      child: _,
      exited: __,
      stop: stopStocks,
      ...serving
    } = stocks as typeof stocks & Pick<NodeProcess, 'child' | 'exited'>
    await stopStocks()

    expect(schemaViolations(lineOf('start'), ready)).toEqual([])
    expect(schemaViolations(lineOf('stocks'), serving)).toEqual([])
  })
})

test('every command with --json is described', () => {
  const { stdout } = spawnSync(process.execPath, [MAIN, 'completion', 'fish'], { encoding: 'utf8' })
  const known = [...stdout.matchAll(/case '([^']*)'\n\s+printf '%s\\n' (.*)/g)]
  const printing = known
    .filter(([, path, words]) => path !== '' && /(^| )--json( |$)/.test(words!))
    .map(([, path]) => path)

  expect(COMMAND_OUTPUTS.map(({ command }) => command)).toEqual(expect.arrayContaining(printing))
  expect(printing.length).toBeGreaterThan(30)
})
