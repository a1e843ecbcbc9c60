import { mkdtempSync, renameSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RegistryError } from '../../rest/tokenized-stocks/parse-registry.ts'
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

/** A registry file that is checked on request. */
function open() {
  let look: () => Promise<void> = async () => expect.unreachable('it is not watched')
  const lines: string[] = []
  const log = { info: () => lines.push('info'), error: () => lines.push('error') }
  const every = (_: number, action: () => Promise<void>) => {
    look = action
    return () => {}
  }
  file = new RegistryFile({ path }, { log, every })
  const opened = file
  return {
    symbols: () => opened.registry.tokens.map(({ symbol }) => symbol),
    reload: () => opened.reload(),
    look: () => look(),
    /** Levels of the log lines since the last call. */
    logged: () => lines.splice(0),
  }
}

test('rejects a missing or invalid file at the start', () => {
  writeFileSync(path, '{\n "tokens": [1]}')
  expect(open).toThrow(new RegistryError(`${path}:2:13: tokens[0] must be an object that names a token; it is 1`))
  truncateSync(path, 16 * 2 ** 20 + 1)
  expect(open).toThrow(/^the stock registry cannot be read: .* has 16777217 bytes, at most 16777216 are read/)
  unlinkSync(path)
  expect(open).toThrow(/^the stock registry cannot be read: ENOENT/)
  expect(open).toThrow(RegistryError)
})

test('reloads the file after it is written or replaced', async () => {
  const { symbols, look, logged } = open()
  await look()
  writeFileSync(path, textOf('ONEd', 'TWOd'))
  await look()
  await look()
  expect(symbols()).toEqual(['ONEd', 'TWOd'])
  writeFileSync(join(directory, 'new.json'), textOf('NEWd'))
  renameSync(join(directory, 'new.json'), path)
  await look()
  await look()
  expect(symbols()).toEqual(['NEWd'])
  await look()
  expect(logged()).toEqual(['info', 'info'])
})

test('detects a change between the start and the first check', async () => {
  const { symbols, look } = open()
  writeFileSync(path, textOf('ONEd', 'TWOd'))
  await look()
  await look()
  expect(symbols()).toEqual(['ONEd', 'TWOd'])
})

test('waits until the file stays unchanged between two checks', async () => {
  const { symbols, look, logged } = open()
  const text = textOf('ONEd', 'TWOd')
  for (let end = 0; end <= text.length; end += 5) {
    writeFileSync(path, text.slice(0, end))
    await look()
  }
  writeFileSync(path, text)
  await look()
  expect(symbols()).toEqual(['ONEd'])
  await look()
  expect(symbols()).toEqual(['ONEd', 'TWOd'])
  expect(logged()).toEqual(['info'])
})

test('keeps the last valid content while the file is invalid or missing, and logs that once', async () => {
  const { symbols, look, logged } = open()
  writeFileSync(path, '{"tokens": [')
  for (let count = 0; count < 3; count++) await look()
  expect(symbols()).toEqual(['ONEd'])
  expect(logged()).toEqual(['error'])
  unlinkSync(path)
  for (let count = 0; count < 3; count++) await look()
  expect(symbols()).toEqual(['ONEd'])
  expect(logged()).toEqual(['error'])
  writeFileSync(path, textOf('BACKd'))
  for (let count = 0; count < 3; count++) await look()
  expect(symbols()).toEqual(['BACKd'])
  expect(logged()).toEqual(['info'])
})

test('reload() reads the file immediately', () => {
  const { symbols, reload } = open()
  writeFileSync(path, textOf('NOWd', 'TWOd'))
  reload()
  expect(symbols()).toEqual(['NOWd', 'TWOd'])
})
