import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toHash } from '../../primitives/hex.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { SCHEMA_VERSION, TABLE_NAMES } from './encoding/tables.ts'
import { type ChainIdentity, openChainDatabase, openingVerdict } from './open-chain-database.ts'

const IDENTITY: ChainIdentity = { chainId: 31_337n, genesisHash: toHash(`0x${'ab'.repeat(32)}`) }

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'schema-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function opens(path: string, identity = IDENTITY): Promise<void> {
  const store = await openChainDatabase({ path, identity })
  await store.close()
}

async function writtenIdentity(path: string): Promise<Record<string, unknown>> {
  const store = openLmdbStore({ path, tables: TABLE_NAMES, readOnly: true })
  const bytes = withSnapshot(store, (snapshot) => snapshot.get('metadata', Buffer.from('identity')))
  await store.close()
  return JSON.parse(Buffer.from(bytes!).toString())
}

async function rewriteIdentity(path: string, change: Record<string, unknown>): Promise<void> {
  const written = await writtenIdentity(path)
  const store = openLmdbStore({ path, tables: TABLE_NAMES })
  const batch = new WriteBatch<(typeof TABLE_NAMES)[number]>()
  batch.put('metadata', Buffer.from('identity'), Buffer.from(JSON.stringify({ ...written, ...change })))
  await store.commit(batch)
  await store.close()
}

test('initialises an empty directory, which then opens for the same chain only', async () => {
  const path = join(temporaryDirectory(), 'main')
  await opens(path)
  expect(await writtenIdentity(path)).toEqual({
    application: 'tickertape',
    schema: SCHEMA_VERSION,
    chainId: '31337',
    genesisHash: IDENTITY.genesisHash,
    checksums: true,
  })
  await opens(path)
  await expect(opens(path, { ...IDENTITY, chainId: 1n })).rejects.toMatchObject({
    code: 'OTHER_CHAIN',
    message: expect.stringMatching(/chain id 31337.*--compat.*--datadir.*--ephemeral/),
  })
  await expect(opens(path, { ...IDENTITY, genesisHash: toHash(`0x${'00'.repeat(32)}`) })).rejects.toMatchObject({
    code: 'OTHER_CHAIN',
  })
  await opens(path)
})

test('a temporary database has no checksums, and is read by others while it is written', async () => {
  const path = join(temporaryDirectory(), 'main')
  const store = await openChainDatabase({ path, identity: IDENTITY, sync: false, isTemporary: true })
  const key = Buffer.from('key')
  const batch = new WriteBatch<(typeof TABLE_NAMES)[number]>()
  batch.put('code', key, Buffer.from('value'))
  await store.commit(batch)

  const reader = await openChainDatabase({ path, identity: IDENTITY, readOnly: true })
  expect(withSnapshot(reader, (snapshot) => Buffer.from(snapshot.get('code', key)!).toString())).toBe('value')
  await reader.close()
  await store.close()
  expect(readdirSync(path)).not.toContain('pages.sum')
  expect(await writtenIdentity(path)).toMatchObject({ checksums: false })
})

test('rejects a newer or older schema and leaves it unchanged', async () => {
  const path = temporaryDirectory()
  await opens(path)
  await rewriteIdentity(path, { schema: SCHEMA_VERSION + 1, chainId: '5' })
  await expect(opens(path)).rejects.toMatchObject({
    code: 'NEWER_SCHEMA',
    message: expect.stringContaining('use that version'),
  })
  expect(await writtenIdentity(path)).toMatchObject({ schema: SCHEMA_VERSION + 1 })
  await rewriteIdentity(path, { schema: SCHEMA_VERSION - 1 })
  await expect(opens(path)).rejects.toMatchObject({ code: 'OLDER_SCHEMA' })
})

test('rejects foreign files and leaves them alone', async () => {
  const path = temporaryDirectory()
  writeFileSync(join(path, 'letter.txt'), 'dear')
  await expect(opens(path)).rejects.toMatchObject({
    code: 'NOT_OUR_DIRECTORY',
    message: expect.stringContaining('letter.txt'),
  })
  expect(readdirSync(path)).toEqual(['letter.txt'])
})

test('rejects a database of another program and leaves it alone', async () => {
  const path = temporaryDirectory()
  const other = openLmdbStore<'headers' | 'songs'>({ path, tables: ['songs'] })
  await other.close()
  await expect(opens(path)).rejects.toMatchObject({ code: 'NOT_OUR_DIRECTORY' })
  const again = openLmdbStore({ path, tables: ['songs'], readOnly: true })
  expect(again.tableNames()).toEqual(['songs'])
  await again.close()
})

test('completes an interrupted creation: empty directories, an empty data file, tables without content', async () => {
  const path = temporaryDirectory()
  mkdirSync(join(path, 'records'))
  mkdirSync(join(path, 'pool'))
  writeFileSync(join(path, 'data.mdb'), '')
  writeFileSync(join(path, 'lock'), '')
  await opens(path)
  const tables = temporaryDirectory()
  await openLmdbStore({ path: tables, tables: TABLE_NAMES.slice(0, 4) }).close()
  await opens(tables)
})

test('does not take records without their database for an empty directory', async () => {
  const path = temporaryDirectory()
  await opens(path)
  mkdirSync(join(path, 'records'))
  writeFileSync(join(path, 'records', '0000000000000001.log'), 'x')
  await opens(path)
  truncateSync(join(path, 'data.mdb'), 0)
  await expect(opens(path)).rejects.toMatchObject({ code: 'DATABASE_MISSING' })
  rmSync(join(path, 'data.mdb'))
  await expect(opens(path)).rejects.toMatchObject({ code: 'DATABASE_MISSING' })
})

test('rejects a truncated database', async () => {
  const path = temporaryDirectory()
  await opens(path)
  truncateSync(join(path, 'data.mdb'), 20_000)
  await expect(opens(path)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  rmSync(join(path, 'pages.sum'))
  await expect(opens(path)).rejects.toMatchObject({ code: 'TRUNCATED_DATABASE' })
})

test('rejects a database whose checksums are missing', async () => {
  const path = temporaryDirectory()
  await opens(path)
  rmSync(join(path, 'pages.sum'))
  await expect(opens(path)).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining('pages.sum is missing'),
  })
})

test('read-only beside the writer: checks the identity and creates nothing', async () => {
  const path = temporaryDirectory()
  await expect(openChainDatabase({ path, identity: IDENTITY, readOnly: true })).rejects.toMatchObject({
    code: 'DATABASE_MISSING',
  })
  const writer = await openChainDatabase({ path, identity: IDENTITY })
  const reader = await openChainDatabase({ path, identity: IDENTITY, readOnly: true })
  const batch = new WriteBatch<(typeof TABLE_NAMES)[number]>()
  batch.put('headers', Buffer.alloc(8), Buffer.from('header'))
  await writer.commit(batch)
  const header = withSnapshot(reader, (snapshot) => snapshot.get('headers', Buffer.alloc(8)))
  expect(Buffer.from(header!).toString()).toBe('header')
  await expect(
    openChainDatabase({ path, identity: { ...IDENTITY, chainId: 2n }, readOnly: true }),
  ).rejects.toMatchObject({
    code: 'OTHER_CHAIN',
  })
  await reader.close()
  await writer.close()
})

test.each([
  ['nothing', { kind: 'empty' }, { kind: 'create' }],
  ['garbage', { kind: 'database', identity: Buffer.from('{') }, { kind: 'refuse', code: 'NOT_OUR_DIRECTORY' }],
  ['no object', { kind: 'database', identity: Buffer.from('7') }, { kind: 'refuse', code: 'NOT_OUR_DIRECTORY' }],
  [
    'another program',
    { kind: 'database', identity: Buffer.from('{"application":"x","schema":1}') },
    { kind: 'refuse', code: 'NOT_OUR_DIRECTORY' },
  ],
  ['no identity', { kind: 'database', identity: undefined }, { kind: 'refuse', code: 'NOT_OUR_DIRECTORY' }],
] as const)('verdict on %s', (_, found, verdict) => {
  expect(openingVerdict(found, IDENTITY, '/data')).toMatchObject(verdict)
})
