import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allOf } from '../../../test/support/all-of.ts'
import { canonicalSignature } from '../../primitives/abi/abi-signature.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { AbiBook, type Artifact, artifactOf } from './abi-book.ts'
import { revertText } from './execution-report.ts'
import { knownContracts, knownDeclarations } from './known-contracts.ts'
import { readArtifacts } from './read-artifacts.ts'

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

async function readAll(): Promise<readonly Artifact[]> {
  return (await allOf(readArtifacts(folder, log))).map(({ artifact }) => artifact)
}

const ABI = [{ type: 'function', name: 'poke', inputs: [{ type: 'uint256' }] }]

test('reads artifacts of Foundry and Hardhat, and passes over other files', async () => {
  write('Poker.sol/Poker.json', { abi: ABI, deployedBytecode: { object: '0x6001' } })
  write('contracts/A.sol/Token.json', { contractName: 'Coin', abi: [], deployedBytecode: '0x6002' })
  write('contracts/A.sol/Token.dbg.json', { abi: [{ type: 'function', name: 'wrong' }] })
  write('build-info/1.json', { abi: ABI, contractName: 'Wrong', deployedBytecode: '0x6003' })
  write('package.json', { name: 'x' })
  write('broken.json', '{')

  const book = new AbiBook(await readAll())

  expect(book.contractOf(hexToBytes('0x6001'))).toBe('Poker')
  expect(book.contractOf(hexToBytes('0x6002'))).toBe('Coin')
  expect(book.contractOf(hexToBytes('0x6003'))).toBeUndefined()
  expect(warnings).toHaveLength(1)
})

test('knows functions and errors from declarations as from the items of an ABI', () => {
  const parsed = new AbiBook(knownContracts())
  const book = new AbiBook()
  book.addDeclarations(knownDeclarations())

  const items = knownContracts().flatMap(({ abi }) => abi)
  for (const item of items.filter(({ type }) => type === 'function' || type === 'error')) {
    const selector = keccak256(Buffer.from(canonicalSignature(item))).subarray(0, 4)
    expect(book.functionOf(selector)).toBe(parsed.functionOf(selector))
    expect(book.errorOf(selector)).toEqual(parsed.errorOf(selector))
  }
})

test('knows a contract whose immutables were written when it was deployed', async () => {
  write('A.sol/A.json', {
    abi: [],
    deployedBytecode: { object: '0x60000000aa', immutableReferences: { 7: [{ start: 1, length: 3 }] } },
  })

  const book = new AbiBook(await readAll())

  expect(book.contractOf(hexToBytes('0x60123456aa'))).toBe('A')
  expect(book.contractOf(hexToBytes('0x60123456ab'))).toBeUndefined()
})

test('rejects a folder that cannot be read', async () => {
  write('file', 'x')

  const read = (name: string) => readArtifacts(join(folder, name), log).next()
  await expect(read('none')).rejects.toThrow(/^--abi: there is no readable folder at .*none: /)
  await expect(read('file')).rejects.toThrow(/^--abi: there is no readable folder at .*file: /)
})

/** A tuple of a tuple, and so on, which overflows the stack of a reader without a limit. */
function nested(depth: number): string {
  return `${'{"type":"tuple","components":['.repeat(depth)}${']}'.repeat(depth)}`
}

test.each([
  'null',
  '7',
  '{"type":"function","name":7}',
  '{"type":"function","name":"bad","inputs":null}',
  '{"type":"function","name":"bad","inputs":{}}',
  '{"type":"function","name":"bad","inputs":[null]}',
  '{"type":"error","name":"Bad","inputs":[{"name":"x"}]}',
  '{"type":"error","name":"Bad","inputs":[{"type":"tuple","components":null}]}',
  '{"type":"function","name":"bad","outputs":[{"type":1}]}',
  `{"type":"function","name":"bad","inputs":[${nested(33)}]}`,
  `{"type":"function","name":"bad","inputs":[${nested(20_000)}]}`,
])('passes over a malformed item of an ABI, and reads the others (case %#)', async (item) => {
  write('A.json', `{"abi":[${item},${JSON.stringify(ABI[0])}],"deployedBytecode":"0x6001"}`)
  write('B.json', { abi: [{ type: 'function', name: 'prod' }], deployedBytecode: '0x6002' })

  const book = new AbiBook(await readAll())

  expect(artifactOf(JSON.parse(`{"abi":[${item}]}`), 'A')).toMatchObject({ abi: [] })
  expect(book.functionOf(keccak256(Buffer.from('poke(uint256)')))).toBe('poke(uint256)')
  expect(book.functionOf(keccak256(Buffer.from('prod()')))).toBe('prod()')
  expect(book.contractOf(hexToBytes('0x6001'))).toBe('A')
})

test('knows tuples as deep as compilers write them', () => {
  const json = `{"abi":[{"type":"function","name":"f","inputs":[${nested(31)}]}]}`

  expect(artifactOf(JSON.parse(json), 'A')).toMatchObject({ abi: [{ name: 'f' }] })
})

test('knows the newest 16 versions of a contract, and all contracts of other names', () => {
  const version = (name: string, index: number): Artifact => ({
    name,
    abi: [],
    code: Uint8Array.of(index, name.length),
    immutables: [],
  })
  const versions = Array.from({ length: 17 }, (_, index) => version('Poker', index))
  // The developer takes a change back: the first version is the newest one.
  const book = new AbiBook([version('A', 0), ...versions.slice(0, 16), versions[0]!, versions[16]!])

  const known = versions.filter(({ code }) => book.contractOf(code) === 'Poker')
  expect(known).toEqual(versions.filter((_, index) => index !== 1))
  expect(book.contractOf(version('A', 0).code)).toBe('A')
})

test('an unknown name starts one reload at a time, and a reload that fails is reported', async () => {
  const failures: unknown[] = []
  const failure = new Error('too many open files')
  let reloads = 0
  const newArtifacts = async function* () {
    reloads += 1
    if (reloads === 1) throw failure
    yield artifactOf({ abi: ABI, deployedBytecode: '0x6001' }, 'Poker')!
  }
  const book = new AbiBook([], { newArtifacts, onFailure: (error) => failures.push(error) })
  const code = hexToBytes('0x6001')

  expect([book.contractOf(code), book.contractOf(code)]).toEqual([undefined, undefined])
  await book.reloaded()
  expect({ reloads, failures }).toEqual({ reloads: 1, failures: [failure] })
  expect(book.contractOf(code)).toBeUndefined()
  await book.reloaded()
  expect(book.contractOf(code)).toBe('Poker')
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

test('names functions and errors of the contracts of block 0, and the probe of the stock service', () => {
  const book = new AbiBook(knownContracts())
  const names = ['0x3711e4e8', '0xe5a6b10f', '0x32f614f6'].map((selector) => book.functionOf(hexToBytes(selector)))

  expect(names).toEqual(['setSession(uint8)', 'currency()', 'tickertape: no such function'])
  const refused = { status: 'revert', output: hexToBytes('0x0b5f6bf0') } as const
  expect(revertText(refused, book)).toBe('reverted with MarketClosed()')
})

test('a fault is explained by the reason of the EVM', () => {
  const fault = { status: 'halt', halt: 'invalid jump destination', output: new Uint8Array(0) } as const

  expect(revertText(fault, new AbiBook())).toBe('invalid jump destination')
})
