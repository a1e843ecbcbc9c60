import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TABLE_NAMES } from '../src/state/chain-store/encoding/tables.ts'
import { withSnapshot } from '../src/storage/key-value.ts'
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../src/storage/write-batch.ts'
import { ChainDirectories, runChain } from './support/chain-directory.ts'
import { type CompiledProgram, compileProgram } from './support/compiled-program.ts'
import { startManualNode } from './support/manual-node.ts'

const directories = new ChainDirectories()
let program: CompiledProgram
let datadir: string
let file: string

beforeAll(async () => {
  program = await compileProgram()
  datadir = directories.next()
  await runChain(join(datadir, 'main'))
  file = `${directories.next()}.rlp.gz`
  const exported = await program.run('export', file, '--datadir', datadir)
  expect(exported).toEqual({ status: 0, output: `Exported 7 blocks, 0 to 6, to ${file}\n`, errors: '' })
})

afterAll(() => {
  program.remove()
  directories.remove()
})

describe('a valid chain', () => {
  test('passes verify with exit code 0', async () => {
    const { status, output, errors } = await program.run('verify', '--datadir', datadir)
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    const [sound, ...alterations] = output.trimEnd().split('\n')
    expect(sound).toMatch(/^Sound: 7 blocks, 18 transactions, \d+ accounts, \d+ records; [\d.]+ s$/)
    expect(alterations).toEqual([
      'Changed from outside before block 3: 2 accounts and 1 storage slot',
      'Changed from outside before block 5: 1 account and 0 storage slots',
    ])
  })

  test('is imported into another directory, twice, and verified there', async () => {
    const copy = directories.next()
    const first = await program.run('import', file, '--datadir', copy, '--json')
    expect(JSON.parse(first.output)).toEqual({ imported: 6, known: 1, newest: 6 })
    const second = await program.run('import', file, '--datadir', copy)
    expect(second).toMatchObject({ status: 0, output: 'Imported 0 blocks, 7 were already there; the newest is 6\n' })
    const verified = await program.run('verify', '--datadir', copy, '--json')
    expect(verified.status).toBe(0)
    expect(JSON.parse(verified.output)).toMatchObject({ sound: true, blocks: 7, transactions: 18, records: 0 })
  })
})

describe('exit code 1 and one line', () => {
  test('for damage found by verify', async () => {
    const copy = directories.next()
    await program.run('import', file, '--datadir', copy)
    const store = openLmdbStore({ path: join(copy, 'main'), tables: TABLE_NAMES, sync: false })
    const batch = new WriteBatch<(typeof TABLE_NAMES)[number]>()
    const [entry] = withSnapshot(store, (reader) => [...reader.range('accounts', { limit: 1 })])
    batch.put('accounts', entry!.key, Buffer.from('c20101', 'hex'))
    await store.commit(batch)
    await store.close()
    const text = await program.run('verify', '--datadir', copy)
    expect(text).toMatchObject({ status: 1, output: '' })
    expect(text.errors).toMatch(
      /^tickertape: account 0x[0-9a-f]{40}: table accounts: expected 0x[0-9a-f]+, got 0xc20101\n$/,
    )
    const json = await program.run('verify', '--datadir', copy, '--json')
    expect(json.status).toBe(1)
    expect(JSON.parse(json.output)).toMatchObject({
      sound: false,
      difference: { what: 'table accounts', got: '0xc20101' },
    })
  })

  test('for a file that cannot be imported', async () => {
    const damaged = `${directories.next()}.rlp`
    const plain = `${directories.next()}.rlp`
    await program.run('export', plain, '--datadir', datadir)
    writeFileSync(damaged, readFileSync(plain).subarray(0, -1))
    const { status, errors } = await program.run('import', damaged, '--datadir', directories.next())
    expect(status).toBe(1)
    expect(errors).toMatch(/ends within the block at byte \d+ \(5 blocks imported before it\)\n$/)
  })

  test('for blocks that do not exist', async () => {
    const { status, errors } = await program.run('export', directories.next(), '--from', '9', '--datadir', datadir)
    expect({ status, errors }).toEqual({ status: 1, errors: 'tickertape: no such blocks: the newest is 6\n' })
  })
})

describe('exit code 2', () => {
  test('for wrong usage', async () => {
    const cases = [
      [['verify', '--nonsense'], /unknown option/],
      [['export', 'x', '--from', 'one'], /whole number/],
      [['import'], /missing required argument/],
      [['verify', '--network', 'other'], /Allowed choices are main, test/],
    ] as const
    const results = await Promise.all(cases.map(([parameters]) => program.run(...parameters)))
    for (const [index, { status, output, errors }] of results.entries()) {
      expect({ status, output }).toEqual({ status: 2, output: '' })
      expect(errors).toMatch(cases[index]![1])
    }
  })

  test('for contradicting flags, and for flags without effect', async () => {
    const cases = [
      [['--block-time', '1500'], /whole seconds/],
      [['--flashblock-interval', '300'], /divides the block time/],
      [['--cors-origins', 'example.com'], /--cors-origins example\.com is not an origin/],
      [['--http-api', 'eth,nothing'], /--http-api: unknown namespace nothing/],
      [['--failover'], /--failover needs --nats/],
      [['--nats', 'nats://127.0.0.1:1', '--failover', '--stand-still'], /--stand-still contradicts --failover/],
      [['--nats-replicas', '3'], /--nats-replicas has no effect without --nats/],
      [['--nats', 'nats://127.0.0.1:1', '--node-name', 'one'], /--node-name has no effect without --failover/],
    ] as const
    const start = (flags: readonly string[]) => program.run('start', '--port', '0', '--ephemeral', ...flags)
    const results = await Promise.all(cases.map(([flags]) => start(flags)))
    for (const [index, { status, output, errors }] of results.entries()) {
      expect(errors).toMatch(cases[index]![1])
      expect({ status, output }).toEqual({ status: 2, output: '' })
    }
  })

  test('for a replica of a node with --snapshot-from, which it would never use', async () => {
    const source = ['--from', 'ws://127.0.0.1:1/replica', '--snapshot-from', 'ws://127.0.0.1:2/replica']
    const { status, output, errors } = await program.run('replica', '--port', '0', '--ephemeral', ...source)
    expect(errors).toMatch(/--snapshot-from has no effect with --from ws/)
    expect({ status, output }).toEqual({ status: 2, output: '' })
  })

  test('for a chain that does not exist, and for a file', async () => {
    const nowhere = await program.run('verify', '--datadir', directories.next(), '--json')
    expect(nowhere.status).toBe(2)
    expect(JSON.parse(nowhere.output)).toMatchObject({ error: { code: 'DATABASE_MISSING' } })
    const noFile = await program.run('import', directories.next(), '--datadir', directories.next())
    expect(noFile.status).toBe(2)
    expect(noFile.errors).toMatch(/ENOENT/)
  })

  test('for an invalid genesis file', async () => {
    const path = `${directories.next()}.json`
    const missing = await program.run('import', file, '--genesis', path, '--datadir', directories.next())
    expect(missing).toMatchObject({
      status: 2,
      errors: expect.stringMatching(/genesis file .* cannot be used: ENOENT/),
    })
    writeFileSync(path, '{"config": {"chainId": 1, "ubtTime": 5}, "gasLimit": "0x1", "alloc": {}}')
    const unknown = await program.run('import', file, '--genesis', path, '--datadir', directories.next(), '--json')
    expect(unknown.status).toBe(2)
    expect(JSON.parse(unknown.output)).toMatchObject({
      error: { code: 'INVALID_GENESIS_FILE', message: expect.stringContaining('ubtTime') },
    })
  })

  test('for a chain that was created with other flags, which the message repeats', async () => {
    const { status, errors } = await program.run('verify', '--datadir', datadir, '--gas-limit', '30000000')
    expect(status).toBe(2)
    expect(errors).toMatch(/belongs to another chain.*--gas-limit/)
  })

  test('for a chain that a running node uses', async () => {
    const busy = directories.next()
    const { node } = await startManualNode({ directory: join(busy, 'main') })
    const commands = [['verify'], ['export', 'x.rlp'], ['import', file]]
    const results = await Promise.all(commands.map((parameters) => program.run(...parameters, '--datadir', busy)))
    for (const { status, errors } of results) {
      expect(status).toBe(2)
      expect(errors).toMatch(/in use by another process/)
    }
    await node.stop()
  })
})

test('help shows the examples and the exit codes', async () => {
  const commands = ['verify', 'export', 'import']
  const results = await Promise.all(commands.map((command) => program.run(command, '--help')))
  for (const [index, { status, output }] of results.entries()) {
    const command = commands[index]
    expect(status).toBe(0)
    expect(output).toContain(`$ tickertape ${command}`)
    expect(output).toContain('Exit codes: 0')
  }
})
