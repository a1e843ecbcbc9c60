import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ChainDirectories, runChain, send } from '../../../test/support/chain-directory.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { LOCK_NAME } from '../../state/chain-store/open-chain-database.ts'
import { lockDirectory } from '../../storage/directory-lock.ts'
import { backUp, restoreBackup } from './backup.ts'
import { verifyChain } from './verify-chain.ts'

const { genesis } = createNetwork()
const directories = new ChainDirectories()
const noStep = async () => {}

afterAll(() => directories.remove())

const locationOf = (directory: string) => ({ directory, genesis })

/** The newest height and pending hash that a node shows on a directory. */
async function headOf(directory: string): Promise<{ readonly latest: number; readonly pending: string }> {
  const { node } = await startManualNode({ directory, sequencing: false })
  const { head } = node.view()
  await node.stop()
  return { latest: head.sealed.latest, pending: head.pending.block.hash }
}

const generations = (backup: string) => readdirSync(backup).filter((name) => name.startsWith('backup-'))

it('restoreBackup refuses a file, which is no backup', async () => {
  const [file, target] = [directories.next(), directories.next()]
  writeFileSync(file, 'hello')

  await expect(restoreBackup(locationOf(target), file, {}, noStep)).rejects.toMatchObject({ code: 'NO_BACKUP' })
})

describe('backUp', () => {
  it('copies a chain that restores and verifies', async () => {
    const [source, backup, restored] = [directories.next(), directories.next(), directories.next()]
    await runChain(source)

    const made = await backUp(locationOf(source), backup, {}, noStep)
    await restoreBackup(locationOf(restored), backup, {}, noStep)

    expect(made).toMatchObject({ kind: 'full', path: join(backup, 'backup-1') })
    expect(await verifyChain(locationOf(restored), noStep)).toMatchObject({ kind: 'sound', blocks: 7 })
    expect(await headOf(restored)).toEqual(await headOf(source))
  })

  it('appends only new records to a backup whose records continue', async () => {
    const [source, backup, restored] = [directories.next(), directories.next(), directories.next()]
    const manual = await startManualNode({ directory: source })
    await send(manual, { nonce: 0n, gasLimit: 21_000n })
    const first = await backUp(locationOf(source), backup, {}, noStep)
    await manual.nextBlock()
    await send(manual, { nonce: 1n, gasLimit: 21_000n })
    const head = manual.node.view().head

    const second = await backUp(locationOf(source), backup, {}, noStep)
    await manual.node.stop()
    await restoreBackup(locationOf(restored), backup, {}, noStep)

    expect(second).toMatchObject({
      kind: 'incremental',
      path: first.path,
      records: second.lastRecord - first.lastRecord,
    })
    expect(second.records).toBeGreaterThan(0)
    expect(await headOf(restored)).toEqual({ latest: head.sealed.latest, pending: head.pending.block.hash })
  })

  it('makes folders beside the chain equal to the source, without reading unchanged files again', async () => {
    const [source, backup, restored] = [directories.next(), directories.next(), directories.next()]
    await runChain(source)
    const folders = ['sources']
    const copy = (name: string) => join(backup, 'backup-1/sources', name)
    mkdirSync(join(source, 'sources'))
    for (const name of ['a.json', 'b.json', 'c.json.new', 'd.json']) writeFileSync(join(source, 'sources', name), name)
    await backUp(locationOf(source), backup, { folders }, noStep)
    const before = statSync(copy('a.json')).ino
    writeFileSync(join(source, 'sources/b.json'), 'changed')
    for (const name of ['c.json.new', 'd.json']) rmSync(join(source, 'sources', name))

    const second = await backUp(locationOf(source), backup, { folders }, noStep)
    await restoreBackup(locationOf(restored), backup, { folders }, noStep)

    expect(second.kind).toBe('incremental')
    expect(statSync(copy('a.json')).ino).toBe(before)
    expect(readdirSync(join(restored, 'sources'))).toEqual(['a.json', 'b.json'])
    expect(readFileSync(join(restored, 'sources/b.json'), 'utf8')).toBe('changed')
  })

  it('makes a new generation when the source removed records that the backup lacks', async () => {
    const [source, backup] = [directories.next(), directories.next()]
    const manual = await startManualNode({ directory: source, replayBlocks: 1, segmentBytes: 500 })
    await manual.nextBlock()
    await backUp(locationOf(source), backup, {}, noStep)
    for (let block = 0; block < 4; block++) await manual.nextBlock()
    await manual.node.idle()

    const second = await backUp(locationOf(source), backup, {}, noStep)
    await manual.node.stop()

    expect(second).toMatchObject({ kind: 'full', path: join(backup, 'backup-2') })
    expect(generations(backup)).toEqual(['backup-1', 'backup-2'])
  })

  it('refuses a chain that does not continue the backup, and keeps every generation of the earlier history', async () => {
    const [lost, begun, backup, restored] = [0, 1, 2, 3].map(() => directories.next()) as [
      string,
      string,
      string,
      string,
    ]
    await runChain(lost)
    const manual = await startManualNode({ directory: begun })
    await manual.nextBlock()
    await backUp(locationOf(lost), backup, {}, noStep)

    await expect(backUp(locationOf(begun), backup, { full: true }, noStep)).rejects.toMatchObject({
      code: 'OTHER_HISTORY',
    })
    expect(generations(backup)).toEqual(['backup-1'])
    await backUp(locationOf(begun), backup, { newHistory: true, keep: 1 }, noStep)
    await backUp(locationOf(begun), backup, { full: true, keep: 1 }, noStep)
    await manual.node.stop()
    await restoreBackup(locationOf(restored), join(backup, 'backup-1'), {}, noStep)

    expect(generations(backup)).toEqual(['backup-1', 'backup-3'])
    expect(await headOf(restored)).toEqual(await headOf(lost))
  })

  it('keeps the complete generation when a later backup is interrupted', async () => {
    const [source, backup, restored] = [directories.next(), directories.next(), directories.next()]
    await runChain(source)
    await backUp(locationOf(source), backup, {}, noStep)
    writeFileSync(join(backup, 'backup-2.partial'), 'left by a crash')

    await restoreBackup(locationOf(restored), backup, {}, noStep)
    const next = await backUp(locationOf(source), backup, { full: true, keep: 2 }, noStep)

    expect(await verifyChain(locationOf(restored), noStep)).toMatchObject({ kind: 'sound' })
    expect(next.path).toBe(join(backup, 'backup-2'))
    expect(generations(backup)).toEqual(['backup-1', 'backup-2'])
  })

  it('refuses a missing chain, another chain, and a directory that another backup uses', async () => {
    const [source, backup] = [directories.next(), directories.next()]
    await runChain(source)

    await expect(backUp(locationOf(directories.next()), backup, {}, noStep)).rejects.toMatchObject({
      code: 'DATABASE_MISSING',
    })
    const { genesis: another } = createNetwork({ chainId: 5n })
    await expect(backUp({ directory: source, genesis: another }, backup, {}, noStep)).rejects.toMatchObject({
      code: 'OTHER_CHAIN',
    })
    await backUp(locationOf(source), backup, {}, noStep)
    const other = directories.next()
    await (await startManualNode({ directory: other, genesis: another })).node.stop()
    await expect(backUp({ directory: other, genesis: another }, backup, {}, noStep)).rejects.toMatchObject({
      code: 'OTHER_HISTORY',
    })
    const lock = await lockDirectory(backup, LOCK_NAME)
    await expect(backUp(locationOf(source), backup, {}, noStep)).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' })
    await lock.release()
  })
})

describe('restoreBackup', () => {
  it('refuses a directory without a complete backup, and a data directory with content', async () => {
    const [source, backup, target] = [directories.next(), directories.next(), directories.next()]
    await expect(restoreBackup(locationOf(target), backup, {}, noStep)).rejects.toMatchObject({ code: 'NO_BACKUP' })
    expect(existsSync(target)).toBe(false)
    await runChain(source)
    await backUp(locationOf(source), backup, {}, noStep)

    await expect(restoreBackup(locationOf(source), backup, {}, noStep)).rejects.toMatchObject({
      code: 'NOT_OUR_DIRECTORY',
    })
  })

  it('removes what an interrupted restoration left', async () => {
    const [source, backup, target] = [directories.next(), directories.next(), directories.next()]
    await runChain(source)
    await backUp(locationOf(source), backup, {}, noStep)
    writeFileSync(`${target}.restoring`, 'left by a crash')

    await restoreBackup(locationOf(target), backup, {}, noStep)

    expect(await verifyChain(locationOf(target), noStep)).toMatchObject({ kind: 'sound' })
    expect(existsSync(`${target}.restoring`)).toBe(false)
  })

  it('restores nothing from a backup that does not verify, unless told not to verify', async () => {
    const [source, backup, target] = [directories.next(), directories.next(), directories.next()]
    await runChain(source)
    await backUp(locationOf(source), backup, {}, noStep)
    // A record log that ends below the database: each file is sound.
    rmSync(join(backup, 'backup-1', 'records'), { recursive: true })

    await expect(restoreBackup(locationOf(target), backup, {}, noStep)).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
    expect(existsSync(target)).toBe(false)
    await restoreBackup(locationOf(target), backup, { verify: false }, noStep)

    expect(existsSync(target)).toBe(true)
  })

  it('makes directories and files that only its user can open, as the node does', async () => {
    const before = process.umask(0)
    const [source, backup, target] = [directories.next(), directories.next(), directories.next()]
    try {
      await runChain(source)
      await backUp(locationOf(source), backup, {}, noStep)
      await restoreBackup(locationOf(target), backup, {}, noStep)
      const manual = await startManualNode({ directory: target })
      expect(opened(source, backup, target)).toEqual([])
      await manual.node.stop()
    } finally {
      process.umask(before)
    }
  })
})

/** Returns the paths in directories that other users could open. */
function opened(...parents: readonly string[]): readonly string[] {
  return parents
    .flatMap((parent) => [parent, ...readdirSync(parent, { recursive: true }).map((name) => join(parent, `${name}`))])
    .filter((path) => (statSync(path).mode & 0o077) !== 0)
}
