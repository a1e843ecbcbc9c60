import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blocksIn, ChainDirectories, runChain, send } from '../../../test/support/chain-directory.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import type { Block } from '../../chain/block/block.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { withChecksum } from '../../state/chain-store/encoding/checked-value.ts'
import { blockKey } from '../../state/chain-store/encoding/keys.ts'
import { TABLE_NAMES, type TableName } from '../../state/chain-store/encoding/tables.ts'
import type { KeyValueReader } from '../../storage/key-value.ts'
import { withSnapshot } from '../../storage/key-value.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { exportChain } from './export-chain.ts'
import { type Verification, verifyChain } from './verify-chain.ts'
import type { Difference } from './verify-difference.ts'

const { genesis } = createNetwork()
const directories = new ChainDirectories()
let sound: string

beforeAll(async () => {
  sound = directories.next()
  await runChain(sound)
})

afterAll(() => directories.remove())

function verify(directory: string): Promise<Verification> {
  return verifyChain({ directory, genesis }, async () => {})
}

/** A copy of the chain, with changes. */
async function damaged(
  change: (batch: WriteBatch<TableName>, reader: KeyValueReader<TableName>) => void,
  original = sound,
): Promise<string> {
  const directory = directories.next()
  copy(original, directory)
  const store = openLmdbStore({ path: directory, tables: TABLE_NAMES, sync: false })
  const batch = new WriteBatch<TableName>()
  withSnapshot(store, (reader) => change(batch, reader))
  await store.commit(batch)
  await store.close()
  return directory
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('/lock') })
}

async function differenceIn(directory: string): Promise<Difference> {
  const verification = await verify(directory)
  if (verification.kind !== 'different') throw new Error(`no difference was found: ${verification.kind}`)
  return verification.difference
}

function flipped(value: Uint8Array, index: number): Uint8Array {
  const copied = Uint8Array.from(value)
  copied[index]! ^= 1
  return copied
}

test('accepts the chain of a stopped node that has unwound blocks', async () => {
  const verification = await verify(sound)
  expect(verification).toMatchObject({ kind: 'sound', blocks: 7, transactions: 18 })
})

test('lists the state changes from outside', async () => {
  expect(await verify(sound)).toMatchObject({
    alterations: [
      { block: 3, accounts: 2, slots: 1 },
      { block: 5, accounts: 1, slots: 0 },
    ],
  })
})

test('does not change the directory', async () => {
  const files = () =>
    readdirSync(join(sound, 'records')).map((name) => readFileSync(join(sound, 'records', name), 'hex'))
  const before = files()
  await verify(sound)
  expect(files()).toEqual(before)
})

describe('detects', () => {
  const tables = TABLE_NAMES.filter((table) => table !== 'metadata')

  test.each(tables)('a flipped byte in the first, middle and last value of %s', async (table) => {
    const keys: Uint8Array[] = []
    const original = openLmdbStore({ path: sound, tables: TABLE_NAMES, readOnly: true })
    withSnapshot(original, (reader) => {
      for (const { key, value } of reader.range(table)) {
        if (value.length > 0) keys.push(key)
      }
    })
    await original.close()
    expect(keys.length).toBeGreaterThan(0)
    const chosen = [keys[0]!, keys[Math.floor(keys.length / 2)]!, keys.at(-1)!]
    for (const key of new Set(chosen)) {
      const directory = await damaged((batch, reader) => {
        const value = reader.get(table, key)!
        batch.put(table, key, flipped(value, value.length - 1))
      })
      const difference = await differenceIn(directory)
      expect(difference.what).toBe(`table ${table}`)
      expect(difference.got).not.toBe(difference.expected)
      rmSync(directory, { recursive: true })
    }
  })

  test.each(tables)('a missing entry of %s', async (table) => {
    const directory = await damaged((batch, reader) => {
      const [first] = reader.range(table, { limit: 1 })
      batch.delete(table, first!.key)
    })
    const difference = await differenceIn(directory)
    // Without its prelude, a block executes to another state.
    const expected = { headers: /block 0/, preludes: /block 3.*stateRoot/ }[table as string]
    expect(JSON.stringify(difference)).toMatch(expected ?? /nothing|missing|lacks logs/)
  })

  test.each(tables.filter((table) => !['headers', 'logs', 'bodies', 'receipts'].includes(table)))(
    'a surplus entry of %s',
    async (table) => {
      const key = Buffer.alloc(40, 0xee)
      const directory = await damaged((batch) => batch.put(table, key, Buffer.from('01', 'hex')))
      expect(await differenceIn(directory)).toMatchObject({ what: `table ${table}`, expected: 'nothing', got: '0x01' })
    },
  )

  test('a header replaced together with its checksum', async () => {
    const directory = await damaged((batch, reader) => {
      const content = reader.get('headers', blockKey(3))!.subarray(4)
      batch.put('headers', blockKey(3), withChecksum(flipped(content, content.length - 100)))
    })
    expect(await differenceIn(directory)).toMatchObject({ where: 'block 3', what: 'hash' })
  })

  test('a sender, a receipt and logs replaced together with their checksums', async () => {
    for (const [table, offset, what] of [
      ['bodies', -3, /^sender of transaction \d$/],
      ['logs', -1, /^receipts root/],
      ['receipts', -12, /^encoding|receipts root/],
    ] as const) {
      const directory = await damaged((batch, reader) => {
        const { key, value } = [...reader.range(table)].at(-1)!
        const content = value.subarray(4)
        batch.put(table, key, withChecksum(flipped(content, content.length + offset)))
      })
      expect((await differenceIn(directory)).what).toMatch(what)
    }
  })

  test('unknown metadata and a wrong oldest state', async () => {
    const strange = await damaged((batch) => batch.put('metadata', Buffer.from('other'), Buffer.from([1])))
    expect(await differenceIn(strange)).toMatchObject({ where: 'item "other"', what: 'table metadata' })
    const pruned = await damaged((batch) => batch.put('metadata', Buffer.from('oldestState'), blockKey(3)))
    expect((await differenceIn(pruned)).what).toMatch(/^table accountHistory|changes$/)
  })

  test('a flipped byte in a record', async () => {
    const directory = directories.next()
    copy(sound, directory)
    const [name] = readdirSync(join(directory, 'records'))
    const path = join(directory, 'records', name!)
    const bytes = readFileSync(path)
    writeFileSync(path, flipped(bytes, Math.floor(bytes.length / 2)))
    expect(await differenceIn(directory)).toMatchObject({ what: 'record log' })
  })
})

describe('a directory with pruned history', () => {
  test('is valid when only pruned data is missing', async () => {
    const directory = directories.next()
    await runChain(directory, { history: 4 })
    expect(await verify(directory)).toMatchObject({ kind: 'sound', blocks: 7 })
    const difference = await differenceIn(
      await damaged((batch, reader) => {
        const [first] = reader.range('accountHistory', { limit: 1 })
        batch.delete('accountHistory', first!.key)
      }, directory),
    )
    expect(difference).toMatchObject({ what: 'table accountHistory', got: 'nothing' })
  })
})

describe('a directory whose node was killed', () => {
  /** The store as it was when `before` was done, the records as they are after `after`. */
  async function killed(
    before: (manual: ManualNode) => Promise<void>,
    after: (manual: ManualNode) => Promise<void>,
  ): Promise<string> {
    const whole = directories.next()
    const directory = directories.next()
    const first = await startManualNode({ directory: whole })
    await before(first)
    await first.node.stop()
    copy(whole, directory)
    const second = await startManualNode({ directory: whole })
    await after(second)
    await second.node.stop()
    cpSync(join(whole, 'records'), join(directory, 'records'), { recursive: true })
    return directory
  }

  async function exportedFrom(directory: string): Promise<readonly Block[]> {
    const file = directories.next()
    await exportChain({ directory, genesis }, file, {}, async () => {})
    return blocksIn(file)
  }

  test('before it stored the newest blocks has them in verification and export', async () => {
    const directory = await killed(
      (manual) => manual.nextBlock(),
      async (manual) => {
        await send(manual, { nonce: 0n }, { nonce: 1n })
        await manual.nextBlock()
        await manual.nextBlock()
      },
    )
    expect(await verify(directory)).toMatchObject({ kind: 'sound', blocks: 4, transactions: 2 })
    expect(await exportedFrom(directory)).toHaveLength(4)
  })

  test('before it unwound the store exports only the remaining blocks', async () => {
    const directory = await killed(
      async (manual) => {
        for (let count = 0; count < 4; count++) await manual.nextBlock()
      },
      async (manual) => {
        await manual.node.setHead(2)
        await send(manual, { nonce: 0n })
        await manual.nextBlock()
      },
    )
    expect(await verify(directory)).toMatchObject({ kind: 'sound', blocks: 5 })
    const exported = await exportedFrom(directory)
    expect(exported.map(({ transactions }) => transactions.length)).toEqual([0, 0, 0, 1])
  })

  test('is invalid with the records of another chain', async () => {
    const directory = await killed(
      (manual) => manual.nextBlock(),
      async () => {},
    )
    rmSync(join(directory, 'records'), { recursive: true })
    cpSync(join(sound, 'records'), join(directory, 'records'), { recursive: true })
    expect(await differenceIn(directory)).toMatchObject({ what: 'record log' })
  })
})

describe('a directory that cannot be verified', () => {
  test('is missing', async () => {
    await expect(verify(directories.next())).rejects.toMatchObject({ code: 'DATABASE_MISSING' })
  })

  test('is in use', async () => {
    const directory = directories.next()
    const { node } = await startManualNode({ directory })
    await expect(verify(directory)).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' })
    await node.stop()
  })

  test('belongs to another chain', async () => {
    const other = createNetwork({ gasLimit: 30_000_000n }).genesis
    const verification = verifyChain({ directory: sound, genesis: other }, async () => {})
    await expect(verification).rejects.toMatchObject({ code: 'OTHER_CHAIN' })
  })
})

test('leaves nothing in the temporary directory, after an error as well', async () => {
  const temporary = directories.next()
  mkdirSync(temporary)
  vi.stubEnv('TMPDIR', temporary)
  const seen: number[] = []
  const verification = verifyChain({ directory: sound, genesis }, async ({ at }) => {
    seen.push(readdirSync(temporary).length)
    if (at === 3) throw new Error('ended')
  })
  await expect(verification).rejects.toThrow('ended')
  expect(seen).toEqual([1, 1, 1, 1])
  expect(readdirSync(temporary)).toEqual([])
  await verify(sound)
  expect(readdirSync(temporary)).toEqual([])
  vi.unstubAllEnvs()
})
