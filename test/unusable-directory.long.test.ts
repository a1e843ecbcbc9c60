import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SCHEMA_VERSION, TABLE_NAMES, type TableName } from '../src/state/chain-store/encoding/tables.ts'
import { withSnapshot } from '../src/storage/key-value.ts'
import { openLmdbStore } from '../src/storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../src/storage/write-batch.ts'
import { startManualNode } from './support/manual-node.ts'
import { signTransfer } from './support/transfers.ts'

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))

/** A chain of three blocks with a transaction each. */
let sound: string
const transactions: Uint8Array[] = []

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), 'tickertape-sound-'))
  const { node, nextBlock } = await startManualNode({ directory: join(sound, 'main') })
  for (let nonce = 0n; nonce < 3n; nonce += 1n) {
    const { raw } = signTransfer({ nonce, value: 0xabcdef0123456789n + nonce })
    transactions.push(raw)
    await node.submit(raw)
    await nextBlock()
  }
  await node.idle()
  await node.stop()
})
afterAll(() => rmSync(sound, { recursive: true, force: true }))

/** A copy to damage. */
function copied(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tickertape-damaged-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(sound, directory, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  return directory
}

function start(datadir: string, identity: { readonly uid?: number } = {}): ChildProcess {
  const child = spawn(process.execPath, [CLI, 'start', '--port', '0', '--json-ready', '--datadir', datadir], identity)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** Error of a node that cannot start: one line, and exit code 1. */
async function refusal(datadir: string, identity?: { readonly uid?: number }): Promise<string> {
  const child = start(datadir, identity)
  // The node has started unexpectedly.
  child.stdout!.once('data', () => child.kill('SIGKILL'))
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr!)])
  expect(code, output).toBe(1)
  expect(output).toMatch(/^tickertape: [^\n]+\n$/)
  return output
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path)
  bytes[offset]! ^= 0xff
  writeFileSync(path, bytes)
}

test('a valid copy starts, and rejects a second process', async () => {
  const datadir = copied()
  const first = start(datadir)
  const ended = text(first.stderr!).then((output) => Promise.reject(new Error(output)))
  await Promise.race([once(first.stdout!, 'data'), ended])
  ended.catch(() => {})
  expect(await refusal(datadir)).toMatch(
    /is in use by another process \(process \d+\): stop that one, or choose another/,
  )
})

test('a directory that is not writable', async () => {
  const datadir = copied()
  const path = join(datadir, 'main')
  onTestFinished(() => chmodSync(path, 0o755))
  chmodSync(datadir, 0o755)
  chmodSync(path, 0o555)
  // Permissions do not apply to root, so the node runs as `nobody`.
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  expect(await refusal(datadir, identity)).toContain(`${path} cannot be written: check its owner, its permissions`)
  expect(await refusal(join(datadir, 'main', 'new'), identity)).toContain('cannot be written: check its owner')
})

test('a path inside a file', async () => {
  const datadir = join(copied(), 'main', 'data.mdb')
  expect(await refusal(datadir)).toContain('there is a file in its way: choose another data directory')
})

test.runIf(process.platform === 'linux')('a file system without directories', async () => {
  expect(await refusal('/proc/tickertape')).toContain('cannot be written')
})

test('a truncated database', async () => {
  const datadir = copied()
  const path = join(datadir, 'main', 'data.mdb')
  truncateSync(path, Math.floor(readFileSync(path).length / 2))
  expect(await refusal(datadir)).toMatch(/the database in .* is damaged: .*`tickertape verify`/)
})

test('a flipped byte in a record', async () => {
  const datadir = copied()
  const records = join(datadir, 'main', 'records')
  const path = join(records, readdirSync(records)[0]!)
  flip(path, readFileSync(path).indexOf(transactions[0]!) + 40)
  const output = await refusal(datadir)
  expect(output).toContain(path)
  expect(output).toMatch(/damaged|corrupt/)
})

test('a flipped byte in the body of the newest block', async () => {
  const datadir = copied()
  const path = join(datadir, 'main', 'data.mdb')
  flip(path, readFileSync(path).lastIndexOf(transactions.at(-1)!) + 40)
  expect(await refusal(datadir)).toMatch(/is damaged: table bodies \(\d pages?\)/)
})

test('a directory with other files', async () => {
  const datadir = mkdtempSync(join(tmpdir(), 'tickertape-foreign-'))
  onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
  mkdirSync(join(datadir, 'main'))
  writeFileSync(join(datadir, 'main', 'thesis.tex'), 'years of work')
  expect(await refusal(datadir)).toContain('holds files of something else (thesis.tex)')
  expect(readdirSync(join(datadir, 'main'))).toContain('thesis.tex')
})

test('a directory of a newer version', async () => {
  const datadir = copied()
  const store = openLmdbStore<TableName>({ path: join(datadir, 'main'), tables: TABLE_NAMES })
  const key = Buffer.from('identity')
  const identity = withSnapshot(store, (snapshot) => snapshot.get('metadata', key))!
  const newer = { ...JSON.parse(Buffer.from(identity).toString()), schema: SCHEMA_VERSION + 1 }
  const batch = new WriteBatch<TableName>()
  batch.put('metadata', key, Buffer.from(JSON.stringify(newer)))
  await store.commit(batch)
  await store.close()
  expect(await refusal(datadir)).toContain('was written by a newer version of this program')
})
