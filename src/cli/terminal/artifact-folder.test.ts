import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allOf } from '../../../test/support/all-of.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { AbiBook } from './abi-book.ts'
import { ArtifactFolder } from './artifact-folder.ts'

let folder: string
let now: number
let warnings: object[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-folder-'))
  now = 0
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, functionName: string, code: string): void {
  const abi = [
    { type: 'function', name: functionName, inputs: [] },
    { type: 'error', name: `${functionName}Failed`, inputs: [] },
  ]
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ contractName: name, abi, deployedBytecode: code }))
}

function openFolder(): ArtifactFolder {
  return new ArtifactFolder(folder, { log: { warn: (details: object) => warnings.push(details) }, now: () => now })
}

async function openBook(): Promise<AbiBook> {
  const artifacts = openFolder()
  return new AbiBook(await artifacts.readAll(), {
    newArtifacts: () => artifacts.readChanged(),
    onFailure: (error) => expect.unreachable(String(error)),
  })
}

/** The answer of the book after the reload that its first answer, an unknown name, starts. */
async function afterReload<T>(book: AbiBook, look: () => T): Promise<T> {
  expect(look()).toBeUndefined()
  await book.reloaded()
  const found = look()
  // An answer that is still unknown starts a reload too.
  await book.reloaded()
  return found
}

/** Selectors of `poke()` and `prod()`. */
const POKE = hexToBytes('0x18178358')
const PROD = hexToBytes('0x0302c688')

test('reads artifacts that are compiled while the node runs, when a name is unknown', async () => {
  write('Poker', 'poke', '0x6001')
  const book = await openBook()
  expect(book.functionOf(POKE)).toBe('poke()')

  write('Poker', 'poke', '0x600200')
  write('Other', 'other', '0x6003')
  const recompiled = () => book.contractOf(hexToBytes('0x600200'))
  expect(await afterReload(book, recompiled)).toBeUndefined()
  now += 1_000

  expect(await afterReload(book, recompiled)).toBe('Poker')
  expect(book.contractOf(hexToBytes('0x6003'))).toBe('Other')
  // A contract that was deployed before keeps its name.
  expect(book.contractOf(hexToBytes('0x6001'))).toBe('Poker')
  expect(warnings).toEqual([])
})

test('reads only files that changed, and none within a second', async () => {
  write('Poker', 'poke', '0x6001')
  const artifacts = openFolder()
  const changed = () => allOf(artifacts.readChanged())
  expect(await artifacts.readAll()).toHaveLength(1)
  write('Other', 'prod', '0x6002')

  expect(await changed()).toEqual([])
  now += 1_000
  expect(await changed()).toMatchObject([{ name: 'Other' }])
  now += 1_000
  expect(await changed()).toEqual([])
})

test('warns once about a folder without artifacts, and reads them when they are there', async () => {
  const book = await openBook()
  expect(warnings).toEqual([{ folder }])

  now += 1_000
  expect(await afterReload(book, () => book.functionOf(PROD))).toBeUndefined()
  write('Poker', 'poke', '0x6001')
  now += 1_000

  expect(await afterReload(book, () => book.functionOf(POKE))).toBe('poke()')
  expect(warnings).toHaveLength(1)
})

test('keeps its names while the folder is deleted', async () => {
  write('Poker', 'poke', '0x6001')
  const book = await openBook()
  rmSync(folder, { recursive: true })
  now += 1_000

  expect(await afterReload(book, () => book.functionOf(PROD))).toBeUndefined()
  expect(book.functionOf(POKE)).toBe('poke()')
})

test('looks again a second after the end of a look that took longer', async () => {
  write('Poker', 'poke', '0x6001')
  const artifacts = openFolder()
  await artifacts.readAll()
  write('Other', 'other', '0x6002')
  now += 1_000
  for await (const _ of artifacts.readChanged()) now += 5_000
  write('Third', 'third', '0x6003')
  const changed = () => allOf(artifacts.readChanged())

  now += 999
  expect(await changed()).toEqual([])
  now += 1
  expect(await changed()).toMatchObject([{ name: 'Third' }])
})

test('warns once about a file that is no JSON, until it is rewritten', async () => {
  writeFileSync(join(folder, 'Poker.json'), '{')
  const artifacts = openFolder()
  await artifacts.readAll()
  const path = join(folder, 'Poker.json')
  expect(warnings).toMatchObject([{ path }, { folder }])
  const changed = () => allOf(artifacts.readChanged())

  now += 1_000
  expect(await changed()).toEqual([])
  expect(warnings).toHaveLength(2)
  write('Poker', 'poke', '0x6001')
  now += 1_000
  expect(await changed()).toMatchObject([{ name: 'Poker' }])
})
