import type { CompiledCode } from '../bytecode/code-template.ts'
import { CompiledSources } from '../syntax/compiled-sources.ts'
import { SourceFile } from '../syntax/source-file.ts'
import { type ContractAbiItem, SolidityContract, type StorageLayout } from './solidity-contract.ts'

/** Input of the compiler, as far as a debugger reads it. */
export interface SolidityInput {
  readonly sources?: Readonly<Record<string, { readonly content?: string }>>
  readonly settings?: {
    readonly optimizer?: { readonly enabled?: boolean }
    readonly viaIR?: boolean
    readonly [setting: string]: unknown
  }
}

/** Output of the compiler (docs.soliditylang.org, "Output Description"). */
export interface SolidityOutput {
  readonly sources?: Readonly<Record<string, { readonly id?: number; readonly ast?: unknown }>>
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, OutputOfContract>>>>
}

interface OutputOfContract {
  readonly abi?: readonly ContractAbiItem[]
  readonly storageLayout?: StorageLayout
  readonly evm?: { readonly bytecode?: CompiledCode; readonly deployedBytecode?: CompiledCode }
}

const NO_CODE: CompiledCode = { object: '' }

/**
 * The contracts that one run of the compiler produced.
 *
 * @param compilerVersion as in `0.8.24+commit.e11b9ed9`
 * @param leftOut why outputs are missing, if they are
 */
export function contractsOfOutput(
  input: SolidityInput,
  output: SolidityOutput,
  compilerVersion: string,
  leftOut?: string,
): readonly SolidityContract[] {
  const sources = compiledSources(input, output)
  const { optimizer, viaIR } = input.settings ?? {}
  return Object.entries(output.contracts ?? {}).flatMap(([path, named]) =>
    Object.entries(named).map(([name, { abi = [], storageLayout, evm = {} }]) => {
      const facts = {
        path,
        name,
        compilerVersion,
        isOptimized: optimizer?.enabled === true,
        isViaIr: viaIR === true,
        abi,
        storageLayout,
        creation: evm.bytecode ?? NO_CODE,
        runtime: evm.deployedBytecode ?? NO_CODE,
        leftOut,
      }
      return new SolidityContract(facts, sources)
    }),
  )
}

function compiledSources({ sources: texts = {} }: SolidityInput, { sources = {} }: SolidityOutput): CompiledSources {
  const files = Object.entries(sources).flatMap(([path, { id }]) => {
    const content = texts[path]?.content
    return typeof id === 'number' && typeof content === 'string' ? [new SourceFile(id, path, content)] : []
  })
  return new CompiledSources(
    files,
    Object.values(sources).flatMap(({ ast }) => ast ?? []),
  )
}

/** A file of `build-info` of Hardhat 2, or of `forge build --build-info`; Hardhat 3 has the output in another file. */
export interface BuildInfoFile {
  readonly solcLongVersion?: string
  readonly solcVersion?: string
  readonly input?: SolidityInput
  readonly output?: SolidityOutput
}

/** Whether JSON has the form of build information, as far as a debugger reads it. Other members may be there. */
export function isBuildInfo(json: unknown): json is BuildInfoFile {
  const { input = {}, output = {}, solcVersion = '', solcLongVersion = '' } = isRecord(json) ? json : { input: null }
  if (typeof solcVersion !== 'string' || typeof solcLongVersion !== 'string') return false
  if (!isRecord(input) || !isRecord(output)) return false
  const { sources: texts = {}, settings = {} } = input
  const { sources = {}, contracts = {} } = output
  const { optimizer = {} } = isRecord(settings) ? settings : { optimizer: null }
  return (
    isRecord(optimizer) &&
    hasOnly(texts, isRecord) &&
    hasOnly(sources, isRecord) &&
    hasOnly(contracts, (named) => hasOnly(named, isContractOutput))
  )
}

function isContractOutput(json: unknown): boolean {
  if (!isRecord(json)) return false
  const { abi = [], storageLayout, evm = {} } = json
  if (!Array.isArray(abi) || !abi.every(isRecord) || !isRecord(evm)) return false
  const isLayout = storageLayout === undefined || (isRecord(storageLayout) && Array.isArray(storageLayout.storage))
  return isLayout && [evm.bytecode, evm.deployedBytecode].every((code) => code === undefined || isCompiledCode(code))
}

function isCompiledCode(json: unknown): boolean {
  if (!isRecord(json)) return false
  const { object, sourceMap = '', linkReferences = {}, immutableReferences = {}, functionDebugData = {} } = json
  const areRanges = (ranges: unknown) => Array.isArray(ranges) && ranges.every(isCodeRange)
  return (
    typeof object === 'string' &&
    typeof sourceMap === 'string' &&
    hasOnly(functionDebugData, isRecord) &&
    hasOnly(immutableReferences, areRanges) &&
    hasOnly(linkReferences, (libraries) => hasOnly(libraries, areRanges))
  )
}

function isCodeRange(json: unknown): boolean {
  return isRecord(json) && [json.start, json.length].every((value) => Number.isSafeInteger(value) && Number(value) >= 0)
}

function isRecord(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function hasOnly(json: unknown, isMember: (member: unknown) => boolean): boolean {
  return isRecord(json) && Object.values(json).every(isMember)
}

/**
 * The contracts of a project.
 *
 * @param outputFile content of the file `*.output.json` of Hardhat 3
 * @returns none for JSON of another form
 */
export function contractsOfBuildInfo(
  file: BuildInfoFile,
  outputFile?: { readonly output?: SolidityOutput },
): readonly SolidityContract[] {
  const { solcLongVersion, solcVersion, input, output = outputFile?.output } = file
  const version = solcLongVersion ?? solcVersion
  if (version === undefined || input === undefined || output === undefined) return []
  return contractsOfOutput(input, output, version)
}

/** A contract in the answer of Sourcify's API, with the fields of `SOURCIFY_FIELDS`. */
export interface SourcifyContract {
  readonly compilation?: { readonly compilerVersion: string; readonly fullyQualifiedName: string }
  readonly stdJsonInput?: SolidityInput
  readonly stdJsonOutput?: SolidityOutput & { readonly leftOut?: string }
}

/** Fields to ask `GET /v2/contract/{chainId}/{address}` for. */
export const SOURCIFY_FIELDS = 'compilation,stdJsonInput,stdJsonOutput'

/** The verified contract at an address; `undefined`: the answer does not have it. */
export function contractOfSourcify({
  compilation,
  stdJsonInput,
  stdJsonOutput,
}: SourcifyContract): SolidityContract | undefined {
  if (compilation === undefined || !stdJsonInput || !stdJsonOutput) return undefined
  const { compilerVersion, fullyQualifiedName } = compilation
  const contracts = contractsOfOutput(stdJsonInput, stdJsonOutput, compilerVersion, stdJsonOutput.leftOut)
  return contracts.find(({ id }) => id === fullyQualifiedName)
}
