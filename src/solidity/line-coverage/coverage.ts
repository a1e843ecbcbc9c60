import type { Bytes } from '../../primitives/hex.ts'
import {
  contractWithCreationCode,
  contractWithRuntimeCode,
  type SolidityContract,
} from '../compiled/solidity-contract.ts'
import { branchJumps } from '../source-map/branches.ts'
import type { CodeMap } from '../source-map/code-map.ts'
import { executableLines, executedFunctions } from '../source-map/executable-lines.ts'
import type { SourceFile } from '../syntax/source-file.ts'
import type { SolidityFunction } from '../syntax/syntax-index.ts'

/** Instructions of one code that ran. */
export interface RunCode {
  readonly kind: 'runtime' | 'creation'
  readonly code: Bytes
  /** Runs by program counter. */
  readonly hits: ReadonlyMap<number, number>
  /** Of conditional jumps: how often they jumped, by program counter. */
  readonly jumps: ReadonlyMap<number, number>
}

export interface FunctionCoverage {
  /** With its contract, as in `Token.transfer`. */
  readonly name: string
  readonly line: number
  hits: number
}

/** An `if`, or a conditional expression. */
export interface BranchCoverage {
  readonly line: number
  whenTrue: number
  whenFalse: number
}

export interface FileCoverage {
  readonly path: string
  /** Runs by line, of lines with code. */
  readonly lines: ReadonlyMap<number, number>
  /** Functions with code. */
  readonly functions: readonly FunctionCoverage[]
  /** Of contracts that were not compiled through Yul. */
  readonly branches: readonly BranchCoverage[]
}

export interface Coverage {
  /** By path. */
  readonly files: readonly FileCoverage[]
  /** Codes that ran and belong to none of the contracts. */
  readonly unknownCodes: number
  /** Contracts whose lines are unknown, because their build has no syntax trees. */
  readonly withoutTrees: readonly string[]
  /** Contracts compiled through Yul, whose branches are left out. */
  readonly withoutBranches: readonly string[]
}

/**
 * The coverage of the sources of contracts, also of those that never ran.
 *
 * A line has the runs of its most frequent instruction, summed up over the codes that contain it and, if it belongs to
 * a modifier, over the functions that contain a copy of it.
 *
 * @param contracts the newest first: other versions of a file are passed over
 * @param isCovered whether a file counts
 */
export function coverageOf(
  contracts: readonly SolidityContract[],
  codes: Iterable<RunCode>,
  isCovered: (path: string) => boolean = () => true,
): Coverage {
  const files = new CoveredFiles(isCovered)
  const readable = contracts.filter(({ sources }) => sources.hasTrees)
  for (const contract of readable) {
    for (const map of [contract.runtimeMap, contract.creationMap]) files.add(contract, map, NOT_RUN)
  }
  let unknownCodes = 0
  for (const run of codes) {
    const find = run.kind === 'runtime' ? contractWithRuntimeCode : contractWithCreationCode
    const contract = find(contracts, run.code)
    if (contract === undefined) unknownCodes += 1
    else if (contract.sources.hasTrees) files.add(contract, mapOf(contract, run), run)
  }
  return {
    files: files.all(),
    unknownCodes,
    withoutTrees: contracts.filter(({ sources }) => !sources.hasTrees).map(({ id }) => id),
    withoutBranches: readable.filter(({ facts }) => facts.isViaIr).map(({ id }) => id),
  }
}

type Runs = Pick<RunCode, 'hits' | 'jumps'>

const NOT_RUN: Runs = { hits: new Map(), jumps: new Map() }

function mapOf({ runtimeMap, creationMap }: SolidityContract, { kind }: Pick<RunCode, 'kind'>): CodeMap {
  return kind === 'runtime' ? runtimeMap : creationMap
}

interface OpenFile {
  readonly content: string
  readonly lines: Map<number, number>
  readonly functions: Map<number, FunctionCoverage>
  readonly branches: Map<number, BranchCoverage>
}

/** Files whose counts are summed up. */
class CoveredFiles {
  readonly #isCovered: (path: string) => boolean
  readonly #files = new Map<string, OpenFile>()

  constructor(isCovered: (path: string) => boolean) {
    this.#isCovered = isCovered
  }

  add({ facts, sources }: SolidityContract, map: CodeMap, runs: Runs): void {
    const file = (found: SourceFile | undefined) => this.#fileOf(found)
    const most = (counters: readonly number[]) => Math.max(0, ...counters.map((at) => runs.hits.get(at) ?? 0))
    const runsOf = runsIn(map, most)
    const byPath = new Map(Array.from(sources.files.values(), (each) => [each.path, each]))
    for (const { path, line, programCounters } of executableLines(map, sources)) {
      const lines = file(byPath.get(path))?.lines
      lines?.set(line, (lines.get(line) ?? 0) + runsOf(programCounters))
    }
    for (const [found, programCounters] of executedFunctions(map)) {
      const source = sources.files.get(found.range.file)
      const functions = isCounted(found) ? file(source)?.functions : undefined
      if (functions === undefined || source === undefined) continue
      const { contract, name, range } = found
      const covered = functions.get(range.start) ?? {
        name: contract === '' ? name : `${contract}.${name}`,
        line: source.lineAt(range.start),
        hits: 0,
      }
      functions.set(range.start, covered)
      const entries = programCounters.filter((at) => map.functionAt(at)?.source === found)
      // A function may have been copied to where it is called.
      covered.hits += most(entries) || runsOf(programCounters.filter((at) => isInBody(map, at)))
    }
    if (!facts.isViaIr) this.#addBranches(map, sources, runs)
  }

  #addBranches(map: CodeMap, sources: SolidityContract['sources'], { hits, jumps }: Runs): void {
    for (const { programCounter, range, jumpsWhen } of branchJumps(map, sources)) {
      const source = sources.files.get(range.file)
      const branches = this.#fileOf(source)?.branches
      if (branches === undefined || source === undefined) continue
      const covered = branches.get(range.start) ?? { line: source.lineAt(range.start), whenTrue: 0, whenFalse: 0 }
      branches.set(range.start, covered)
      const jumped = jumps.get(programCounter) ?? 0
      const passed = (hits.get(programCounter) ?? 0) - jumped
      covered.whenTrue += jumpsWhen ? jumped : passed
      covered.whenFalse += jumpsWhen ? passed : jumped
    }
  }

  all(): readonly FileCoverage[] {
    const byLine = <Item extends { readonly line: number }>(items: Iterable<Item>) =>
      [...items].sort((a, b) => a.line - b.line)
    return Array.from(this.#files, ([path, { lines, functions, branches }]) => ({
      path,
      lines: new Map([...lines].sort(([a], [b]) => a - b)),
      functions: byLine(functions.values()),
      branches: byLine(branches.values()),
    })).sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** `undefined`: the file does not count, or another version of it does. */
  #fileOf(source: SourceFile | undefined): OpenFile | undefined {
    if (source === undefined || !this.#isCovered(source.path)) return undefined
    const { path, content } = source
    const known = this.#files.get(path)
    if (known !== undefined) return known.content === content ? known : undefined
    const file = { content, lines: new Map(), functions: new Map(), branches: new Map() }
    this.#files.set(path, file)
    return file
  }
}

/** Counts runs of the code of a line or function: copies of a modifier in several functions run one by one. */
function runsIn(map: CodeMap, most: (counters: readonly number[]) => number): (counters: readonly number[]) => number {
  const regions = regionsOf(map)
  const isInModifier = (at: number) => {
    const location = map.locationAt(at)
    return location.kind === 'source' && location.function?.kind === 'modifier'
  }
  return (counters) => {
    const copies = new Map<number, number[]>()
    for (const at of counters.filter(isInModifier)) {
      const copy = copies.get(regions[at]!)
      if (copy === undefined) copies.set(regions[at]!, [at])
      else copy.push(at)
    }
    const copied = [...copies.values()].reduce((sum, copy) => sum + most(copy), 0)
    return Math.max(copied, most(counters.filter((at) => !isInModifier(at))))
  }
}

/** By program counter, the beginning of the function whose code contains it. */
function regionsOf(map: CodeMap): Int32Array {
  const regions = new Int32Array(map.size)
  let begin = 0
  for (const at of map.programCounters()) {
    const entered = map.functionAt(at)
    if (entered !== undefined && entered.source?.kind !== 'modifier') begin = at
    regions[at] = begin
  }
  return regions
}

/** A getter has no text of its own that could be covered. */
function isCounted({ kind, body }: SolidityFunction): boolean {
  return kind !== 'getter' && body !== undefined
}

/** Whether an instruction is part of a statement, and not of code that selects or enters a function. */
function isInBody(map: CodeMap, programCounter: number): boolean {
  const location = map.locationAt(programCounter)
  return location.kind === 'source' && !location.isDeclaration
}
