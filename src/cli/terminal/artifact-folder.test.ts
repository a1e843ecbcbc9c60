import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

/** Selectors of `poke()` and `prod()`. */
const POKE = hexToBytes('0x18178358')
const PROD = hexToBytes('0x0302c688')

test('reads artifacts that are compiled while the node runs, when a name is unknown', () => {
  write('Poker', 'poke', '0x6001')
  const artifacts = openFolder()
  const book = new AbiBook(artifacts.readAll(), { newArtifacts: () => artifacts.readChanged() })
  expect(book.functionOf(POKE)).toBe('poke()')

  write('Poker', 'poke', '0x600200')
  write('Other', 'other', '0x6003')
  expect(book.contractOf(hexToBytes('0x600200'))).toBeUndefined()
  now += 1_000

  expect(book.contractOf(hexToBytes('0x600200'))).toBe('Poker')
  expect(book.contractOf(hexToBytes('0x6003'))).toBe('Other')
  // A contract that was deployed before keeps its name.
  expect(book.contractOf(hexToBytes('0x6001'))).toBe('Poker')
  expect(warnings).toEqual([])
})

test('reads only files that changed, and none within a second', () => {
  write('Poker', 'poke', '0x6001')
  const artifacts = openFolder()
  expect(artifacts.readAll()).toHaveLength(1)
  write('Other', 'prod', '0x6002')

  expect(artifacts.readChanged()).toEqual([])
  now += 1_000
  expect(artifacts.readChanged()).toMatchObject([{ name: 'Other' }])
  now += 1_000
  expect(artifacts.readChanged()).toEqual([])
})

test('warns once about a folder without artifacts, and reads them when they are there', () => {
  const artifacts = openFolder()
  const book = new AbiBook(artifacts.readAll(), { newArtifacts: () => artifacts.readChanged() })
  expect(warnings).toEqual([{ folder }])

  now += 1_000
  expect(book.functionOf(PROD)).toBeUndefined()
  write('Poker', 'poke', '0x6001')
  now += 1_000

  expect(book.functionOf(POKE)).toBe('poke()')
  expect(warnings).toHaveLength(1)
})

test('keeps its names while the folder is deleted', () => {
  write('Poker', 'poke', '0x6001')
  const artifacts = openFolder()
  const book = new AbiBook(artifacts.readAll(), { newArtifacts: () => artifacts.readChanged() })
  rmSync(folder, { recursive: true })
  now += 1_000

  expect(book.functionOf(PROD)).toBeUndefined()
  expect(book.functionOf(POKE)).toBe('poke()')
})
