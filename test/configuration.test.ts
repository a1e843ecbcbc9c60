import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'

let program: CompiledProgram
let folder: string

beforeAll(async () => {
  program = await compileProgram()
  folder = mkdtempSync(join(tmpdir(), 'tickertape-configuration-'))
})

afterAll(() => {
  program.remove()
  rmSync(folder, { recursive: true })
})

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [program.main, ...args], { encoding: 'utf8', env: { ...process.env, ...env } })
}

function fileOf(text: string): string {
  const path = join(folder, 'node.yaml')
  writeFileSync(path, text)
  return path
}

describe('tickertape config', () => {
  test('show prints a file that gives the same values, with the source of each', () => {
    const file = fileOf('block-time: 1000\nhistory: 50\n')
    const shown = run(['config', 'show', '--config', file, '--port', '0'], { TICKERTAPE_HISTORY: '9' })

    expect(shown).toMatchObject({ status: 0, stderr: '' })
    expect(shown.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'port: 0    # command line',
      'history: 9    # TICKERTAPE_HISTORY',
      `block-time: 1000    # ${file}: block-time`,
    ])
    expect(shown.stdout).toContain('\n# host: 127.0.0.1\n')

    const again = run(['config', 'show', '--json', '--config', fileOf(shown.stdout)])
    expect(JSON.parse(again.stdout)).toMatchObject({ port: { value: '0' }, history: { value: '9' } })
  })

  test('show prints no secrets', () => {
    const secrets = { TICKERTAPE_MNEMONIC: 'SECRET words', TICKERTAPE_REPLICA_TOKEN: 'SECRET' }
    const { stdout } = run(['config', 'show', '--l1-url', 'https://me:SECRET@rpc.example/v1/SECRETKEY'], secrets)
    const refused = run(['config', 'show', '--fork-header', 'SECRET'])

    expect(stdout + refused.stdout).not.toContain('SECRET')
  })

  test('check exits with 0 for what the command would accept, and with 2 for what it would refuse', () => {
    expect(run(['config', 'check', 'stocks', '--port', '0'])).toMatchObject({
      status: 0,
      stdout: 'tickertape stocks accepts it (flags: 1, environment variables: 0, values of the file: 0)\n',
    })
    expect(run(['config', 'check', '--failover'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--failover needs --nats'),
    })
    expect(run(['config', 'check'], { TICKERTAPE_PROT: '1' })).toMatchObject({
      status: 2,
      stderr: 'error: the environment variable TICKERTAPE_PROT sets no flag: did you mean TICKERTAPE_PORT?\n',
    })
  })
})

test('a node runs with the flags of a file', async () => {
  const node = await program.start('--ephemeral', '--config', fileOf('chain-id: 4242\n'))

  const response = await fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  })
  expect(await response.json()).toMatchObject({ result: '0x1092' })
  expect(await node.stop()).toBe(0)
})
