import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hexToBytes } from '../../primitives/hex.ts'
import { AbiBook, canonicalSignature } from './abi-book.ts'
import { readArtifacts } from './read-artifacts.ts'
import { revertText } from './revert-text.ts'

let folder: string
let warnings: object[]
const log = { warn: (details: object) => warnings.push(details) } as never
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickertape-abi-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, content: unknown): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
}

const ABI = [{ type: 'function', name: 'poke', inputs: [{ type: 'uint256' }] }]

test('reads artifacts of Foundry and Hardhat, and passes over other files', () => {
  write('Poker.sol/Poker.json', { abi: ABI, deployedBytecode: { object: '0x6001' } })
  write('contracts/A.sol/Token.json', { contractName: 'Coin', abi: [], deployedBytecode: '0x6002' })
  write('contracts/A.sol/Token.dbg.json', { abi: [{ type: 'function', name: 'wrong' }] })
  write('build-info/1.json', { abi: ABI, contractName: 'Wrong', deployedBytecode: '0x6003' })
  write('package.json', { name: 'x' })
  write('broken.json', '{')

  const book = new AbiBook(readArtifacts(folder, log))

  expect(book.contractOf(hexToBytes('0x6001'))).toBe('Poker')
  expect(book.contractOf(hexToBytes('0x6002'))).toBe('Coin')
  expect(book.contractOf(hexToBytes('0x6003'))).toBeUndefined()
  expect(warnings).toHaveLength(1)
})

test('knows a contract whose immutables were written when it was deployed', () => {
  write('A.sol/A.json', {
    abi: [],
    deployedBytecode: { object: '0x60000000aa', immutableReferences: { 7: [{ start: 1, length: 3 }] } },
  })

  const book = new AbiBook(readArtifacts(folder, log))

  expect(book.contractOf(hexToBytes('0x60123456aa'))).toBe('A')
  expect(book.contractOf(hexToBytes('0x60123456ab'))).toBeUndefined()
})

test('rejects a folder that cannot be read', () => {
  write('file', 'x')

  expect(() => readArtifacts(join(folder, 'none'), log)).toThrow(/^--abi: there is no readable folder at .*none: /)
  expect(() => readArtifacts(join(folder, 'file'), log)).toThrow(/^--abi: there is no readable folder at .*file: /)
})

test('writes tuples as their components', () => {
  const components = [{ type: 'bool' }, { type: 'tuple[2]', components: [{ type: 'uint8' }] }]

  expect(canonicalSignature({ name: 'f', inputs: [{ type: 'tuple[]', components }, { type: 'string' }] })).toBe(
    'f((bool,(uint8)[2])[],string)',
  )
})

test.each([
  ['0x', 'reverted without a reason'],
  [`0x4e487b71${'11'.padStart(64, '0')}`, 'panic 0x11: arithmetic underflow or overflow'],
  [
    `0x08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('nope').toString('hex').padEnd(64, '0')}`,
    'reverted: nope',
  ],
  ['0x12345678', 'reverted with unknown data 0x12345678'],
])('revert data %s is explained as %s', (output, text) => {
  expect(revertText({ status: 'revert', output: hexToBytes(output) }, new AbiBook())).toBe(text)
})

test('a fault is explained by the reason of the EVM', () => {
  const fault = { status: 'halt', halt: 'invalid jump destination', output: new Uint8Array(0) } as const

  expect(revertText(fault, new AbiBook())).toBe('invalid jump destination')
})
