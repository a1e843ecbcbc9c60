import { describe, expect, test } from 'vitest'
import { fixtureBuild, fixtureContract } from '../../../test/debugger/solidity-fixtures.ts'
import { codeTemplate } from '../bytecode/code-template.ts'
import {
  contractOfSourcify,
  contractsOfBuildInfo,
  contractsOfOutput,
  type SolidityOutput,
} from '../compiled/read-output.ts'
import { contractWithCreationCode, contractWithRuntimeCode } from '../compiled/solidity-contract.ts'
import { CompiledSources } from '../syntax/compiled-sources.ts'
import { SourceFile } from '../syntax/source-file.ts'
import { CodeMap } from './code-map.ts'
import { executableLines, executedFunctions } from './executable-lines.ts'
import { decodeSourceMap } from './source-map.ts'

const build = fixtureBuild()
const optimized = fixtureBuild({ viaIR: true, optimizer: { enabled: true } })
const pool = fixtureContract(build, 'Pool')
const lineOf = (name: string, text: string): number => {
  const file = [...pool.sources.files.values()].find(({ path }) => path === `src/${name}`)!
  return file.lines.findIndex((line) => line.includes(text)) + 1
}

/** Output as a tool writes it that does not ask for everything. */
function outputWithout(output: SolidityOutput, change: (contract: object) => object): SolidityOutput {
  const copy = JSON.parse(JSON.stringify(output))
  for (const source of Object.values(copy.sources as Record<string, { ast?: unknown }>)) delete source.ast
  for (const named of Object.values(copy.contracts as Record<string, Record<string, object>>)) {
    for (const name of Object.keys(named)) named[name] = change(named[name]!)
  }
  return copy
}

test('empty fields of a source map repeat those before', () => {
  const map = decodeSourceMap('10:20:1:i;;:5;30:::o:2;1:2:-1:-')

  expect([...map.starts]).toEqual([10, 10, 10, 30, 1])
  expect([...map.lengths]).toEqual([20, 20, 5, 5, 2])
  expect([...map.files]).toEqual([1, 1, 1, 1, -1])
  expect([...map.jumps]).toEqual([1, 1, 1, 2, 0])
})

test('locations in a line of a megabyte are found without counting its characters', () => {
  const file = new SourceFile(0, 'generated.sol', '\n'.padEnd(1_000_000, 'x'))
  const instructions = 5_000
  const code = { object: '5b'.repeat(instructions), sourceMap: Array(instructions).fill('900000:1:0:-').join(';') }
  const map = new CodeMap(code, new CompiledSources([file], []))

  for (let at = 0; at < instructions; at++) expect(map.locationAt(at)).toHaveProperty('line', 2)

  expect(map.locationAt(7)).toMatchObject({ column: 900_000, endColumn: 900_001 })
})

describe.each([
  ['the legacy code generator', build],
  ['the optimizer through Yul', optimized],
])('code of %s', (_, { contracts }) => {
  const { runtimeMap, sources } = contracts.find(({ facts }) => facts.name === 'Pool')!

  test('each executable line is a statement of a body', () => {
    const lines = executableLines(runtimeMap, sources)
    const inPool = lines.filter(({ path }) => path === 'src/Pool.sol').map(({ line }) => line)

    expect(inPool).toContain(lineOf('Pool.sol', 'revert SlippageExceeded'))
    expect(inPool).toContain(lineOf('Pool.sol', 'locked = true'))
    expect(inPool).not.toContain(lineOf('Pool.sol', 'function swap('))
    expect(inPool).not.toContain(lineOf('Pool.sol', 'contract Pool'))
    // The code of the other contract in the file.
    expect(inPool).not.toContain(lineOf('Pool.sol', 'revert InsufficientBalance'))
  })

  test('the code of a library function that was copied is known', () => {
    const lines = executableLines(runtimeMap, sources).filter(({ path }) => path === 'src/SwapMath.sol')
    const functions = [...executedFunctions(runtimeMap).keys()].map(({ contract, name }) => `${contract}.${name}`)

    expect(lines.map(({ line }) => line)).toContain(lineOf('SwapMath.sol', 'FEE_BASIS_POINTS) / 10_000'))
    expect(functions).toContain('SwapMath.feeOf')
    expect(functions).toContain('Pool.lock')
  })
})

describe('CodeMap', () => {
  const { runtimeMap } = pool
  const begin = [...runtimeMap.programCounters()].find((at) => runtimeMap.functionAt(at)?.name === '_requireOutput')!

  test('names the function that begins at a program counter, with its parameters', () => {
    const found = runtimeMap.functionAt(begin)

    expect(found).toMatchObject({ name: '_requireOutput', parameterSlots: 2, source: { contract: 'Pool' } })
    expect(runtimeMap.functionAt(begin + 1)).toBeUndefined()
    expect(runtimeMap.locationAt(begin)).toMatchObject({
      kind: 'source',
      line: lineOf('Pool.sol', 'function _requireOutput'),
      column: 5,
      isDeclaration: true,
    })
  })

  test('names functions without their debug data by the range of their code', () => {
    const { evm } = { evm: build.output.contracts!['src/Pool.sol']!.Pool!.evm! }
    const { functionDebugData: _, ...deployedBytecode } = evm.deployedBytecode!
    const output = { ...build.output, contracts: { 'src/Pool.sol': { Pool: { evm: { ...evm, deployedBytecode } } } } }
    const [contract] = contractsOfOutput(build.input, output, '0.8.37')

    expect(contract!.missing).toEqual(['storageLayout', 'functionDebugData'])
    expect(contract!.runtimeMap.functionAt(begin)).toMatchObject({ name: '_requireOutput' })
    expect(contract!.runtimeMap.functionAt(begin + 1)).toBeUndefined()
  })

  test('jumps into a function and out of it are told apart', () => {
    const kinds = [...runtimeMap.programCounters()].map((at) => runtimeMap.jumpAt(at))

    expect(kinds.filter((kind) => kind === 'in').length).toBeGreaterThan(10)
    expect(kinds.filter((kind) => kind === 'out').length).toBeGreaterThan(10)
  })

  test('code that the compiler added is generated, and data is unknown', () => {
    const generated = [...runtimeMap.programCounters()].find(
      (at) => runtimeMap.functionAt(at)?.name === 'panic_error_0x11',
    )!

    expect(runtimeMap.locationAt(generated).kind).toBe('generated')
    expect(runtimeMap.locationAt(runtimeMap.size - 1).kind).toBe('unknown')
    // The data of the first PUSH.
    expect(runtimeMap.indexAt(1)).toBe(-1)
  })

  test('lines and columns count characters, where the compiler counts bytes of UTF-8', () => {
    const location = [...runtimeMap.programCounters()]
      .map((at) => runtimeMap.locationAt(at))
      .find((found) => found.kind === 'source' && found.line === lineOf('SwapMath.sol', 'uint256 product'))

    expect(location).toMatchObject({ column: expect.any(Number), function: { name: 'amountOut' } })
    const { file, range } = location as Extract<typeof location, { kind: 'source' }>
    expect('uint256 product = amountIn * reserveOut').toContain(file.textOf(range.start, range.length))
  })
})

describe('contracts of tools', () => {
  test.each([
    [
      'Hardhat 2 and Foundry',
      contractsOfBuildInfo({ solcLongVersion: '0.8.37+commit.1', input: build.input, output: build.output }),
    ],
    [
      'Hardhat 3',
      contractsOfBuildInfo({ solcLongVersion: '0.8.37+commit.1', input: build.input }, { output: build.output }),
    ],
  ])('%s have what a debugger needs', (_, contracts) => {
    const found = contracts.find(({ id }) => id === 'src/Pool.sol:Pool')!

    expect(found.missing).toEqual([])
    expect(found.facts).toMatchObject({ compilerVersion: '0.8.37+commit.1', isOptimized: false, isViaIr: false })
  })

  test('without syntax trees lines are known, but not functions', () => {
    const output = outputWithout(
      build.output,
      ({ storageLayout: _, ...contract }: { storageLayout?: unknown }) => contract,
    )
    const [contract] = contractsOfOutput(build.input, output, '0.8.37').filter(({ facts }) => facts.name === 'Pool')

    expect(contract!.missing).toEqual(['ast', 'storageLayout'])
    const located = [...contract!.runtimeMap.programCounters()].map((at) => contract!.runtimeMap.locationAt(at))
    expect(located).toContainEqual(expect.objectContaining({ line: lineOf('Pool.sol', 'revert SlippageExceeded') }))
    expect(executableLines(contract!.runtimeMap, contract!.sources)).toEqual([])
  })

  test('JSON of another form has no contracts', () => {
    expect(contractsOfBuildInfo({})).toEqual([])
    expect(contractOfSourcify({})).toBeUndefined()
  })
})

describe('finding a contract by its code', () => {
  const { contracts } = build
  const runtime = codeTemplate(pool.facts.runtime)!
  const creation = codeTemplate(pool.facts.creation)!

  test('immutables may have any value', () => {
    const code = Uint8Array.from(runtime.code)
    for (const { start, length } of runtime.immutables) code.fill(7, start, start + length)

    expect(runtime.immutables.length).toBeGreaterThan(0)
    expect(contractWithRuntimeCode(contracts, code)?.id).toBe('src/Pool.sol:Pool')
    code[0]! ^= 1
    expect(contractWithRuntimeCode(contracts, code)).toBeUndefined()
  })

  test('the arguments of a constructor follow its code', () => {
    const code = new Uint8Array([...creation.code, ...new Uint8Array(64)])

    expect(contractWithCreationCode(contracts, code)?.id).toBe('src/Pool.sol:Pool')
    expect(contractWithCreationCode(contracts, code.subarray(0, creation.code.length - 1))).toBeUndefined()
  })
})
