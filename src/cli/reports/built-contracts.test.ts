import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import { contractWithRuntimeCode } from '../../solidity/compiled/solidity-contract.ts'
import { builtContracts, currentContracts } from './built-contracts.ts'

const { input, output } = fixtureBuild()
const INFO = { solcLongVersion: '0.8.37+commit.f401782d', input, output }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'built-contracts-'))
  mkdirSync(join(folder, 'build-info'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (text: string, name = 'a.json') => writeFileSync(join(folder, 'build-info', name), text)
const withCode = (code: object) =>
  JSON.stringify({
    ...INFO,
    output: { ...output, contracts: { 'a.sol': { A: { evm: { deployedBytecode: { object: '0x6000', ...code } } } } } },
  })
const read = () => builtContracts(folder, () => undefined)

test.each([
  ['half of a file', JSON.stringify(INFO).slice(0, 5_000)],
  ['no object', '7'],
  ['an output of another form', JSON.stringify({ ...INFO, output: { contracts: { 'a.sol': [null] } } })],
  ['code that is no text', withCode({ object: 7 })],
  ['ranges that are no numbers', withCode({ immutableReferences: { 1: [{ start: -1, length: 'x' }] } })],
])('%s is refused with the file and what to do', (_, text) => {
  write(text)

  expect(read).toThrow(/a\.json is not build information: compile again or name another folder with --abi$/)
})

test('half of an output of Hardhat 3 is refused too', () => {
  write(JSON.stringify({ ...INFO, output: undefined }))
  write('{"output": {', 'a.output.json')

  expect(read).toThrow(/a\.output\.json is not build information/)
})

test('ranges outside the code are left out', () => {
  write(withCode({ immutableReferences: { 1: [{ start: 2 ** 40, length: 2 ** 40 }] } }))

  const found = contractWithRuntimeCode(read(), Uint8Array.of(0x60, 0x00))

  expect(found?.id).toBe('a.sol:A')
})

test('contracts are read again after the build information changed', async () => {
  write(withCode({}))
  const contracts = currentContracts(folder)
  const before = await contracts()
  const same = await contracts()
  write(JSON.stringify(INFO), 'b.json')

  const after = await contracts()

  expect(before.map(({ id }) => id)).toEqual(['a.sol:A'])
  expect(same).toBe(before)
  expect(after.map(({ id }) => id)).toContain('src/Pool.sol:Pool')
})
