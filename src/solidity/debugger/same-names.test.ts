import { expect, test } from 'vitest'
import { compiledContracts } from '../../../test/debugger/solidity-fixtures.ts'
import type { SolidityContract } from '../compiled/solidity-contract.ts'
import type { StepTrace, TraceFrame } from '../trace/step-trace.ts'
import { activationsOf } from './activations.ts'
import { linesOfSteps } from './source-lines.ts'

const GET = Uint8Array.of(0x6d, 0x4c, 0xe6, 0x3c)

function vault(value: number): string {
  return `
    abstract contract Base { function get() external pure returns (uint256) { return ${value}; } }
    contract Vault is Base { constructor() { assert(${value} > 0); } }`
}

function frame(type: string, input: Uint8Array): TraceFrame {
  const [gas, gasUsed, index, firstStep, endStep, depth] = [100, 100, 0, 0, 1, 0]
  const output = new Uint8Array(0)
  return { type, input, output, gas, gasUsed, index, firstStep, endStep, depth, from: '0x', value: 0n }
}

/** The file of the function that a call of a contract runs. */
function fileOf(contract: SolidityContract, type: string, input: Uint8Array): string | undefined {
  const isCreation = type === 'CREATE'
  const code = { contract, isCreation, map: isCreation ? contract.creationMap : contract.runtimeMap }
  const trace = { count: 1, programCounters: [0], opcodes: [0], frames: [frame(type, input)] } as unknown as StepTrace
  const [activation] = activationsOf(trace, [code], new Int32Array(1)).list
  const source = activation!.function?.source
  return source && contract.sources.files.get(source.range.file)!.path
}

test('functions, constructors and bases of contracts of the same name are told apart by their files', () => {
  const contracts = compiledContracts({ 'A.sol': vault(1), 'B.sol': vault(2) })

  for (const path of ['A.sol', 'B.sol']) {
    const contract = contracts.find(({ facts }) => facts.path === path && facts.name === 'Vault')!
    expect(fileOf(contract, 'CALL', GET)).toBe(path)
    expect(fileOf(contract, 'CREATE', new Uint8Array(0))).toBe(path)
  }
})

test('lines of two builds of a file are told apart, though it has the same length in both', () => {
  const codes = [1, 2].map((value) => {
    const contract = compiledContracts({ 'A.sol': vault(value) }).find(({ facts }) => facts.name === 'Vault')!
    return { contract, isCreation: false, map: contract.runtimeMap }
  })
  const counters = [...codes[0]!.map.programCounters()]
  const count = 2 * counters.length
  const trace = { count, programCounters: Uint32Array.from([...counters, ...counters]) } as unknown as StepTrace
  const frameOf = Int32Array.from({ length: count }, (_, step) => (step < counters.length ? 0 : 1))

  const { lines } = linesOfSteps(trace, codes, frameOf, () => false)

  expect(new Set(lines.map(({ file }) => file.content)).size).toBe(2)
})
