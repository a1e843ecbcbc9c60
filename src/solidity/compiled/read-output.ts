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
