import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import solc from 'solc'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inputOf } from '../../../test/support/solidity-sources.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { findBuiltContract } from './read-build-infos.ts'

const VERSION = '0.8.37+commit.f401782d'
const input = inputOf()
const outputSelection = { '*': { '*': ['abi', 'evm.deployedBytecode'] } }
const output = JSON.parse(solc.compile(JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } })))
const codeOf = (path: string, name: string): Bytes =>
  Buffer.from(output.contracts[path][name].evm.deployedBytecode.object, 'hex')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-info-'))
  mkdirSync(join(folder, 'build-info'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, json: object) => writeFileSync(join(folder, 'build-info', name), JSON.stringify(json))

test.each([
  ['Hardhat 2', () => write('a.json', { solcLongVersion: VERSION, input, output })],
  [
    'Hardhat 3',
    () => {
      write('a.json', { solcLongVersion: VERSION, input })
      write('a.output.json', { output })
    },
  ],
  ['Foundry', () => write('a.json', { solcVersion: '0.8.37', solcLongVersion: VERSION, input, output })],
])('build information of %s has the contract whose code matches', (_, writeFiles) => {
  writeFiles()

  expect(findBuiltContract(folder, codeOf('src/Proxy.sol', 'Proxy'))).toEqual({
    contract: { path: 'src/Proxy.sol', name: 'Proxy' },
    input,
    compilerVersion: VERSION,
    output: expect.objectContaining({ path: 'src/Proxy.sol', name: 'Proxy' }),
  })
})

test('a name chooses the contract, and unknown code or names find none', () => {
  write('a.json', { solcLongVersion: VERSION, input, output })
  const code = codeOf('src/Proxy.sol', 'Proxy')

  expect(findBuiltContract(folder, code, { name: 'Child' })?.contract).toEqual({
    path: 'src/Factory.sol',
    name: 'Child',
  })
  expect(findBuiltContract(folder, code, { path: 'src/Proxy.sol', name: 'Child' })).toBeUndefined()
  expect(findBuiltContract(folder, code.subarray(1))).toBeUndefined()
})

test('the newest build comes first, and files without sources are passed over', () => {
  const older = { ...input, settings: { ...input.settings, optimizer: { enabled: false } } }
  write('old.json', { solcLongVersion: VERSION, input: older, output })
  write('new.json', { solcLongVersion: VERSION, input, output })
  write('cached.json', { id: 'x', source_id_to_path: {} })
  utimesSync(join(folder, 'build-info/old.json'), 1, 1)

  expect(findBuiltContract(folder, codeOf('src/Proxy.sol', 'Proxy'))?.input).toEqual(input)
})
