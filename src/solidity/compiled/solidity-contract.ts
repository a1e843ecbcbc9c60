import type { Bytes } from '../../primitives/hex.ts'
import { type CodeTemplate, type CompiledCode, codeTemplate } from '../bytecode/code-template.ts'
import { matchRuntimeCode } from '../bytecode/compare-code.ts'
import { areSameBytes } from '../bytecode/portable-bytes.ts'
import { CodeMap } from '../source-map/code-map.ts'
import type { CompiledSources } from '../syntax/compiled-sources.ts'

/** A parameter of an ABI item (docs.soliditylang.org, "JSON" in the ABI specification). */
export interface ContractAbiParameter {
  readonly name?: string
  readonly type: string
  readonly components?: readonly ContractAbiParameter[]
}

export interface ContractAbiItem {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly ContractAbiParameter[]
  readonly outputs?: readonly ContractAbiParameter[]
}

/** `storageLayout` of the compiler (docs.soliditylang.org, "JSON Output" of storage layouts). */
export interface StorageLayout {
  readonly storage: readonly LayoutVariable[]
  readonly types: Readonly<Record<string, StorageType>> | null
}

export interface LayoutVariable {
  readonly label: string
  readonly offset: number
  readonly slot: string
  readonly type: string
}

export interface StorageType {
  readonly encoding: 'inplace' | 'mapping' | 'dynamic_array' | 'bytes'
  readonly label: string
  readonly numberOfBytes: string
  readonly key?: string
  readonly value?: string
  readonly base?: string
  readonly members?: readonly LayoutVariable[]
}

/** Output that a debugger misses, and that the compiler writes on request (`outputSelection`). */
export type MissingOutput = 'sourceMap' | 'ast' | 'storageLayout' | 'functionDebugData'

/** Output of the compiler for one contract, from any tool. */
export interface SolidityContractFacts {
  readonly path: string
  readonly name: string
  /** @example '0.8.24+commit.e11b9ed9' */
  readonly compilerVersion: string
  readonly isOptimized: boolean
  /** Compiled through Yul: solc emits no stack locations of variables. */
  readonly isViaIr: boolean
  readonly abi: readonly ContractAbiItem[]
  readonly storageLayout?: StorageLayout | undefined
  readonly creation: CompiledCode
  readonly runtime: CompiledCode
  /** Why outputs are missing, if a tool left them out for their size. */
  readonly leftOut?: string | undefined
}

/** One compiled contract, with what is known about its code. */
export class SolidityContract {
  readonly facts: SolidityContractFacts
  readonly sources: CompiledSources
  #runtimeMap: CodeMap | undefined
  #creationMap: CodeMap | undefined
  readonly #templates = new Map<'runtime' | 'creation', CodeTemplate | undefined>()

  constructor(facts: SolidityContractFacts, sources: CompiledSources) {
    this.facts = facts
    this.sources = sources
  }

  /** @example 'src/Pool.sol:Pool' */
  get id(): string {
    return `${this.facts.path}:${this.facts.name}`
  }

  /** The compiled code, to compare it with that of accounts; `undefined`: there is none, as of an interface. */
  template(part: 'runtime' | 'creation'): CodeTemplate | undefined {
    if (!this.#templates.has(part)) this.#templates.set(part, codeTemplate(this.facts[part]))
    return this.#templates.get(part)
  }

  /** The code that calls run. */
  get runtimeMap(): CodeMap {
    this.#runtimeMap ??= new CodeMap(this.facts.runtime, this.sources)
    return this.#runtimeMap
  }

  /** The code of the constructor. */
  get creationMap(): CodeMap {
    this.#creationMap ??= new CodeMap(this.facts.creation, this.sources)
    return this.#creationMap
  }

  /** Output without which less can be shown. */
  get missing(): readonly MissingOutput[] {
    const { runtime, storageLayout } = this.facts
    return [
      ...(runtime.sourceMap ? [] : (['sourceMap'] as const)),
      ...(this.sources.hasTrees ? [] : (['ast'] as const)),
      ...(storageLayout === undefined ? (['storageLayout'] as const) : []),
      ...(runtime.functionDebugData === undefined ? (['functionDebugData'] as const) : []),
    ]
  }
}

/**
 * Finds the contract with this code on a chain. Immutables and addresses of libraries may have any value; other
 * metadata is accepted only where its places are known.
 */
export function contractWithRuntimeCode(
  contracts: Iterable<SolidityContract>,
  code: Bytes,
): SolidityContract | undefined {
  return firstMatching(contracts, 'runtime', (template) => matchRuntimeCode(template, code) !== undefined)
}

/** Finds the contract that this code creates; the arguments of the constructor follow the compiled code. */
export function contractWithCreationCode(
  contracts: Iterable<SolidityContract>,
  code: Bytes,
): SolidityContract | undefined {
  return firstMatching(contracts, 'creation', (template) => isBeginning(template, code))
}

function firstMatching(
  contracts: Iterable<SolidityContract>,
  part: 'runtime' | 'creation',
  matches: (template: CodeTemplate) => boolean,
): SolidityContract | undefined {
  for (const contract of contracts) {
    const template = contract.template(part)
    if (template !== undefined && matches(template)) return contract
  }
  return undefined
}

function isBeginning({ code, libraries }: CodeTemplate, creation: Bytes): boolean {
  if (creation.length < code.length) return false
  const begin = Uint8Array.from(creation.subarray(0, code.length))
  for (const { start, length } of libraries) begin.set(code.subarray(start, start + length), start)
  return areSameBytes(begin, code)
}
