import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RegistryError } from '../rest/tokenized-stocks/parse-registry.ts'
import { RegistryFile } from './registry-file.ts'

const textOf = (...symbols: readonly string[]) =>
  JSON.stringify({
    tokens: symbols.map((symbol, index) => ({
      contract_address: `0x${index.toString().padStart(40, '0')}`,
      symbol,
      name: 'Example plc',
      isin: 'US0378331005',
    })),
  })

let directory: string
let path: string
let file: RegistryFile | undefined
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'registry-'))
  path = join(directory, 'stocks.json')
  writeFileSync(path, textOf('ONEd'))
})
afterEach(() => {
  file?.close()
  file = undefined
  rmSync(directory, { recursive: true })
})

/** A registry file whose next line in the log can be waited for. */
function open() {
  let tell: (line: { readonly level: string }) => void = () => {}
  const log = { info: () => tell({ level: 'info' }), error: () => tell({ level: 'error' }) }
  file = new RegistryFile({ path, interval: 20 }, { log })
  const opened = file
  return {
    symbols: () => opened.registry.tokens.map(({ symbol }) => symbol),
    reload: () => opened.reload(),
    nextLine: () =>
      new Promise<{ readonly level: string }>((resolve) => {
        tell = resolve
      }),
  }
}

test('a file that is not there or cannot be used is refused at the start', () => {
  writeFileSync(path, '{\n "tokens": [1]}')
  expect(open).toThrow(new RegistryError(`${path}:2:13: tokens[0] must be an object that names a token; it is 1`))
  unlinkSync(path)
  expect(open).toThrow(/^the registry of stocks cannot be read: ENOENT/)
  expect(open).toThrow(RegistryError)
})

test('it is read again when it is written, and when another takes its place', async () => {
  const { symbols, nextLine } = open()
  const written = nextLine()
  writeFileSync(path, textOf('ONEd', 'TWOd'))
  expect(await written).toEqual({ level: 'info' })
  expect(symbols()).toEqual(['ONEd', 'TWOd'])
  const replaced = nextLine()
  writeFileSync(join(directory, 'new.json'), textOf('NEWd'))
  renameSync(join(directory, 'new.json'), path)
  expect(await replaced).toEqual({ level: 'info' })
  expect(symbols()).toEqual(['NEWd'])
})

test('while it cannot be used or is gone, what was read before stays', async () => {
  const { symbols, nextLine } = open()
  const broken = nextLine()
  writeFileSync(path, '{"tokens": [')
  expect(await broken).toEqual({ level: 'error' })
  expect(symbols()).toEqual(['ONEd'])
  const gone = nextLine()
  unlinkSync(path)
  expect(await gone).toEqual({ level: 'error' })
  expect(symbols()).toEqual(['ONEd'])
  const back = nextLine()
  writeFileSync(path, textOf('BACKd'))
  expect(await back).toEqual({ level: 'info' })
  expect(symbols()).toEqual(['BACKd'])
})

test('a reload reads it at once', () => {
  const { symbols, reload } = open()
  writeFileSync(path, textOf('NOWd'))
  reload()
  expect(symbols()).toEqual(['NOWd'])
})
