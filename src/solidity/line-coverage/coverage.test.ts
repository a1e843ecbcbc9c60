import { expect, test } from 'vitest'
import { openDebugScene } from '../../../test/debugger/debug-scene.ts'
import { fixtureBuild } from '../../../test/debugger/solidity-fixtures.ts'
import {
  type CompilerSettings,
  METER_PATH,
  METER_SOURCE,
  meterInput,
  openMeasuredProject,
} from '../../../test/support/measured-project.ts'
import { type Hex, hexToBytes } from '../../primitives/hex.ts'
import { contractsOfOutput, type SolidityOutput } from '../compiled/read-output.ts'
import { coverageOf, type FileCoverage, type RunCode } from './coverage.ts'
import { coverageTotals, lcovOf, percentage } from './lcov.ts'

interface WireCode {
  readonly kind: 'runtime' | 'creation'
  readonly code: Hex
  readonly hits: readonly (readonly [number, number])[]
  readonly jumps: readonly (readonly [number, number])[]
}

/** Line of a text in the source that occurs once. */
function lineOf(text: string): number {
  const before = METER_SOURCE.split(text)
  if (before.length !== 2) throw new Error(`${text} occurs ${before.length - 1} times`)
  return before[0]!.split('\n').length
}

const runOf = ({ kind, code, hits, jumps }: WireCode): RunCode => ({
  kind,
  code: hexToBytes(code),
  hits: new Map(hits),
  jumps: new Map(jumps),
})

/** The coverage of three calls of `add`, of which none exceeds the maximum, and of a call through the proxy. */
async function covered(settings: CompilerSettings) {
  const project = await openMeasuredProject({ settings })
  const library = await project.deploy('Scale')
  const meter = await project.deploy('Meter', [5n], library)
  const proxy = await project.deploy('Proxy', [meter])
  for (const amount of [1n, 2n, 3n]) await project.call(meter, 'Meter', 'add', [amount])
  await project.call(proxy, 'Meter', 'addTwice', [4n])
  const { codes } = (await project.node.result('tickertape_coverage')) as unknown as { codes: readonly WireCode[] }
  const runs = codes.map(runOf)
  const contracts = contractsOfOutput(meterInput(settings), project.output as SolidityOutput, '0.8.37')
  return { contracts, runs, coverage: coverageOf(contracts, runs) }
}

const hitsOf = ({ lines }: FileCoverage, text: string) => lines.get(lineOf(text))
const functionHits = ({ functions }: FileCoverage) =>
  Object.fromEntries(functions.map(({ name, hits }) => [name, hits]))

test('code that is not optimized has the runs of lines, functions and branches', async () => {
  const { coverage } = await covered({})

  const [file] = coverage.files
  expect(coverage).toMatchObject({ unknownCodes: 0, withoutTrees: [], withoutBranches: [] })
  expect(file!.path).toBe(METER_PATH)
  expect(hitsOf(file!, 'if (amount > 100)')).toBe(3)
  expect(hitsOf(file!, 'total += 100;')).toBe(0)
  expect(hitsOf(file!, 'total += amount;')).toBe(3)
  expect(hitsOf(file!, 'total += Scale.twice(amount)')).toBe(1)
  expect(hitsOf(file!, 'return value * 2;')).toBe(1)
  expect(hitsOf(file!, 'step = step_;')).toBe(1)
  expect(hitsOf(file!, 'meter.add(index);')).toBe(0)
  expect(hitsOf(file!, 'revert("no");')).toBe(0)
  expect(hitsOf(file!, 'address target = implementation;')).toBe(1)
  expect(file!.lines.has(lineOf('contract Meter {'))).toBe(false)
  expect(functionHits(file!)).toMatchObject({
    'Meter.add': 3,
    'Meter.addTwice': 1,
    'Meter.fail': 0,
    'Meter.constructor': 1,
    'Scale.twice': 1,
    'Caller.addThrough': 0,
    'Proxy.fallback': 1,
  })
  expect(file!.branches).toEqual([{ line: lineOf('if (amount > 100)'), whenTrue: 0, whenFalse: 3 }])
})

test('code that is optimized tells what ran: pieces of code that the optimizer joined have the runs of all', async () => {
  const { coverage } = await covered({ optimizer: { enabled: true, runs: 200 } })

  const [file] = coverage.files
  const hasRun = (text: string) => hitsOf(file!, text)! > 0
  expect(hitsOf(file!, 'if (amount > 100)')).toBeGreaterThan(3)
  expect(['total += amount;', 'return value * 2;', 'step = step_;'].map(hasRun)).toEqual([true, true, true])
  expect(['total += 100;', 'meter.add(index);', 'revert("no");'].map(hasRun)).toEqual([false, false, false])
  expect(file!.branches).toEqual([{ line: lineOf('if (amount > 100)'), whenTrue: 0, whenFalse: 3 }])
})

test('code compiled through Yul has lines, and its branches are left out', async () => {
  const { coverage } = await covered({ viaIR: true })

  const [file] = coverage.files
  expect(hitsOf(file!, 'total += amount;')).toBe(3)
  expect(hitsOf(file!, 'total += 100;')).toBe(0)
  expect(file!.branches).toEqual([])
  expect(coverage.withoutBranches).toContain(`${METER_PATH}:Meter`)
})

test('a modifier has the runs of all functions that use it', async () => {
  const { node, build, pool, input, send } = await openDebugScene(fixtureBuild())
  // The pool was funded once before.
  for (let count = 0; count < 2; count++) await send(pool, input('Pool', 'swap', [0, 5_000n, 1n]))
  await node.nextBlock()
  const { codes } = (await node.result('tickertape_coverage')) as unknown as { codes: readonly WireCode[] }
  await node.stop()

  const { files } = coverageOf(build.contracts, codes.map(runOf))

  const { lines, functions } = files.find(({ path }) => path === 'src/Pool.sol')!
  const content = build.input.sources!['src/Pool.sol']!.content!
  const line = content.slice(0, content.indexOf('locked = true;')).split('\n').length
  expect(functions).toContainEqual(expect.objectContaining({ name: 'Pool.lock', hits: 3 }))
  expect(lines.get(line)).toBe(3)
})

test('codes of other contracts are counted, and files that do not count are left out', async () => {
  const { contracts, runs } = await covered({})

  expect(coverageOf([], runs)).toMatchObject({ files: [], unknownCodes: runs.length })
  expect(coverageOf(contracts, runs, (path) => path !== METER_PATH).files).toEqual([])
})

test('a tracefile of LCOV has each count, and totals', () => {
  const file: FileCoverage = {
    path: 'src/A.sol',
    lines: new Map([
      [4, 2],
      [5, 0],
    ]),
    functions: [
      { name: 'A.f', line: 3, hits: 2 },
      { name: 'A.g', line: 8, hits: 0 },
      { name: 'A.g', line: 12, hits: 1 },
    ],
    branches: [
      { line: 4, whenTrue: 2, whenFalse: 0 },
      { line: 9, whenTrue: 0, whenFalse: 0 },
    ],
  }

  expect(lcovOf([file]).split('\n')).toEqual([
    'TN:',
    'SF:src/A.sol',
    'FN:3,A.f',
    'FN:8,A.g:8',
    'FN:12,A.g:12',
    'FNDA:2,A.f',
    'FNDA:0,A.g:8',
    'FNDA:1,A.g:12',
    'FNF:3',
    'FNH:2',
    'BRDA:4,0,0,2',
    'BRDA:4,0,1,0',
    'BRDA:9,1,0,-',
    'BRDA:9,1,1,-',
    'BRF:4',
    'BRH:1',
    'DA:4,2',
    'DA:5,0',
    'LF:2',
    'LH:1',
    'end_of_record',
    '',
  ])
  expect(coverageTotals([file, file])).toEqual({ lines: [2, 4], functions: [4, 6], branches: [2, 8] })
  expect([percentage([1, 4]), percentage([0, 0])]).toEqual([25, 100])
  expect(lcovOf([])).toBe('')
})
