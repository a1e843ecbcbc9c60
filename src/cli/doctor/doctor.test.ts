import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { diagnoseOn, textOf } from '../../../test/support/doctor.ts'
import type { Hash } from '../../primitives/hex.ts'
import { openChainDatabase } from '../../state/chain-store/open-chain-database.ts'
import { lockDirectory } from '../../storage/directory-lock.ts'
import { type Machine, thisMachine } from './machine-checks.ts'

const directory = mkdtempSync(join(tmpdir(), 'tickertape-doctor-'))
const datadir = join(directory, 'data')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const doctor = (flags: readonly string[], machine: Partial<Machine> = {}) =>
  diagnoseOn(['--datadir', datadir, ...flags], machine)

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** @returns no flags */
function withVariable(name: string, text: string): readonly string[] {
  process.env[name] = text
  onTestFinished(() => void delete process.env[name])
  return []
}

async function listening(): Promise<{ readonly server: Server; readonly port: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return { server, port: String((server.address() as { port: number }).port) }
}

/** Each fault by its flags, the preparation before it, or the machine. */
interface Seed {
  readonly flags?: readonly string[] | (() => Promise<readonly string[]> | readonly string[])
  readonly machine?: Partial<Machine>
}

const SEEDS: readonly [what: string, seed: Seed, expected: RegExp][] = [
  ['a misspelt flag', { flags: ['--histroy', '3'] }, /configuration: unknown option '--histroy'/],
  [
    'a misspelt variable',
    { flags: () => withVariable('TICKERTAPE_HISTROY', '3') },
    /configuration: .*TICKERTAPE_HISTROY.*TICKERTAPE_HISTORY/,
  ],
  [
    'an unusable value of a variable',
    { flags: () => withVariable('TICKERTAPE_BLOCK_TIME', 'soon') },
    /configuration: .*'soon' of TICKERTAPE_BLOCK_TIME is invalid/,
  ],
  [
    'an unknown key of the file',
    { flags: () => ['--config', file('node.yaml', 'blok-time: 1000\n')] },
    /configuration: .*blok-time.*block-time/,
  ],
  ['flags that contradict each other', { flags: ['--ephemeral'] }, /configuration: --ephemeral contradicts --datadir/],
  ['a flag that needs another one', { flags: ['--failover'] }, /configuration: --failover needs --nats/],
  ['a genesis file that is not there', { flags: ['--genesis', join(directory, 'none.json')] }, /genesis: .*none\.json/],
  ['too few open files', { machine: { openFiles: 512 } }, /open files: at most 256 connections instead of 2000/],
  ['little address space', { machine: { addressSpaceAdvice: 'this process may map 4 GiB' } }, /address space: .*4 GiB/],
  [
    'more RPC workers than processors',
    { flags: ['--rpc-workers', '8'] },
    /processors: --rpc-workers 8 on 8 processors/,
  ],
  ['little memory', { machine: { memoryBytes: 2 ** 28 } }, /memory: 256 MiB/],
  ['no native addon', { machine: { signatures: 'webassembly' } }, /native addon: .*does not load/],
  ['a full disk', { machine: { fileSystem: () => ({ freeBytes: 2 ** 20, type: 0 }) } }, /fault disk: 1 MiB are free/],
  ['a disk that fills', { machine: { fileSystem: () => ({ freeBytes: 2 ** 29, type: 0 }) } }, /warning disk: 512 MiB/],
  [
    'a network file system',
    { machine: { fileSystem: () => ({ freeBytes: 2 ** 40, type: 0x6969 }) } },
    /disk: .*network file system/,
  ],
  [
    'a data directory that cannot be one',
    { flags: () => ['--datadir', file('taken', '')] },
    /data directory: .*file in its way/,
  ],
  [
    'a data directory in use',
    {
      async flags() {
        const path = join(directory, 'locked')
        mkdirSync(join(path, 'main'), { recursive: true })
        const lock = await lockDirectory(join(path, 'main'), 'lock')
        onTestFinished(() => lock.release())
        return ['--datadir', path]
      },
    },
    new RegExp(`data directory: .*${process.pid}`),
  ],
  [
    'a data directory of another program',
    {
      flags() {
        const path = join(directory, 'foreign')
        mkdirSync(join(path, 'main'), { recursive: true })
        writeFileSync(join(path, 'main', 'data.mdb'), 'not a database')
        return ['--datadir', path]
      },
    },
    /data directory: .*foreign/,
  ],
  [
    'a data directory of another chain',
    {
      async flags() {
        const path = join(directory, 'other-chain')
        const identity = { chainId: 5n, genesisHash: `0x${'ab'.repeat(32)}` as Hash }
        await (await openChainDatabase({ path: join(path, 'main'), identity })).close()
        return ['--datadir', path]
      },
    },
    /data directory: .*chain id 5/,
  ],
  ['a port in use', { flags: async () => ['--port', (await listening()).port] }, /ports: port \d+ is in use/],
  [
    'a metrics port in use',
    { flags: async () => ['--metrics-port', (await listening()).port] },
    /ports: port \d+ is in use: choose another with --metrics-port/,
  ],
  ['an address of another machine', { flags: ['--host', '192.0.2.1'] }, /ports: 192\.0\.2\.1 is not an address/],
  ['public development methods', { flags: ['--host', '0.0.0.0', '--expose-dev'] }, /exposed methods: --expose-dev/],
  ['a public debug namespace', { flags: ['--host', '0.0.0.0', '--expose-debug'] }, /exposed methods: --expose-debug/],
  [
    'a stock registry with an error',
    { flags: () => ['--stocks-registry', file('stocks.json', '{')] },
    /stock registry: .*stocks\.json/,
  ],
  [
    'NATS servers that are not there',
    { flags: ['--nats', 'nats://127.0.0.1:1'] },
    /NATS: nats:\/\/127\.0\.0\.1:1 cannot be reached/,
  ],
]

test('finds nothing where nothing is wrong', async () => {
  expect(textOf(await doctor([]))).toBe('')
  expect(existsSync(datadir)).toBe(false)
})

test('this machine can be examined', async () => {
  expect((await doctor([], thisMachine())).filter(({ check }) => check === 'configuration')).toEqual([])
})

test.each(SEEDS)('finds %s', async (_, { flags = [], machine }, expected) => {
  const given = typeof flags === 'function' ? await flags() : flags

  expect(textOf(await doctor(given, machine))).toMatch(expected)
})
