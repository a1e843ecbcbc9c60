import type { CompiledCode } from '../../solidity/bytecode/code-template.ts'
import { VerificationError } from '../source-error.ts'

/** Bytes of the paths and texts of all sources of a contract. */
export const MAX_SOURCE_BYTES = 5 * 1024 * 1024
const MAX_SOURCES = 2_000

/** Input of the compiler (docs.soliditylang.org, "Compiler Input and Output JSON Description"). */
export interface StandardInput {
  readonly language: 'Solidity' | 'Yul'
  readonly sources: Readonly<Record<string, { readonly content: string }>>
  readonly settings: Readonly<Record<string, unknown>>
}

/** A contract in compiler input. Without a path the name has to be unique. */
export interface ContractName {
  readonly path?: string | undefined
  readonly name: string
}

/** Output of the compiler for one contract. */
export interface ContractOutput {
  readonly path: string
  readonly name: string
  readonly abi: readonly { readonly type: string }[]
  readonly metadata?: string
  readonly userdoc?: unknown
  readonly devdoc?: unknown
  readonly storageLayout?: unknown
  readonly bytecode: CompiledCode
  readonly deployedBytecode: CompiledCode
  /** Numbers of the sources in source maps. */
  readonly sourceIds: Readonly<Record<string, number>>
  /** Syntax trees by path of the sources that the contract needs, without members that debuggers do not read. */
  readonly trees?: Readonly<Record<string, unknown>>
  /** Why outputs are missing. */
  readonly leftOut?: string
}

/** Members of a contract that are compiled; other contracts are compiled only as far as it needs them. */
const OUTPUTS = [
  'abi',
  'metadata',
  'userdoc',
  'devdoc',
  'storageLayout',
  'evm.bytecode.object',
  'evm.bytecode.sourceMap',
  'evm.bytecode.linkReferences',
  'evm.bytecode.functionDebugData',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.sourceMap',
  'evm.deployedBytecode.linkReferences',
  'evm.deployedBytecode.immutableReferences',
  'evm.deployedBytecode.functionDebugData',
]

/**
 * Checks compiler input of a client.
 *
 * @throws VerificationError `invalid_parameter`, `unsupported_language`
 */
export function standardInput(json: unknown): StandardInput {
  const { language, sources, settings = {} } = requiredObject(json, 'the compiler input')
  if (language !== 'Solidity' && language !== 'Yul') {
    throw new VerificationError('unsupported_language', 'the language must be Solidity or Yul')
  }
  const entries = Object.entries(requiredObject(sources, 'sources'))
  if (entries.length === 0 || entries.length > MAX_SOURCES) {
    throw new VerificationError('invalid_parameter', `1 to ${MAX_SOURCES} sources are needed`)
  }
  const contents = entries.map(([path, source]) => [path, contentOf(path, source)] as const)
  const bytes = contents.reduce((sum, [path, { content }]) => sum + path.length + Buffer.byteLength(content), 0)
  if (bytes > MAX_SOURCE_BYTES) {
    throw new VerificationError('invalid_parameter', `the sources have ${bytes} bytes, at most ${MAX_SOURCE_BYTES}`)
  }
  return { language, sources: Object.fromEntries(contents), settings: requiredObject(settings, 'settings') }
}

/** URLs are never read: a node would send requests that its clients choose. */
function contentOf(path: string, source: unknown): { readonly content: string } {
  const { content } = requiredObject(source, `the source ${path}`)
  if (typeof content === 'string') return { content }
  throw new VerificationError('invalid_parameter', `the source ${path} needs its text as content; URLs are not read`)
}

/** @throws VerificationError `invalid_parameter` */
export function requiredObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new VerificationError('invalid_parameter', `${name} must be an object`)
}

/** The input that compiles one contract. Outputs have no influence on code and metadata. */
export function inputFor(
  { language, sources, settings }: StandardInput,
  { path = '*', name }: ContractName,
  hasTrees: boolean,
): object {
  const trees = hasTrees && language === 'Solidity' ? { '': ['ast'] } : {}
  const outputSelection = { '*': trees, [path]: { ...(path === '*' && trees), [name]: OUTPUTS } }
  return { language, sources, settings: { ...settings, outputSelection } }
}

/** Output of the compiler for all contracts. */
export interface CompilerOutput {
  readonly errors?: readonly {
    readonly severity: string
    readonly formattedMessage?: string
    readonly message: string
  }[]
  readonly sources?: Readonly<Record<string, { readonly id: number; readonly ast?: unknown }>>
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, OutputContract>>>>
}

type OutputContract = Omit<ContractOutput, 'path' | 'name' | 'bytecode' | 'deployedBytecode' | 'sourceIds'> & {
  readonly evm?: { readonly bytecode?: CompiledCode; readonly deployedBytecode?: CompiledCode }
}

const NO_CODE: CompiledCode = { object: '' }

/**
 * Finds a contract in the output of a compiler.
 *
 * @throws VerificationError `compiler_error`, `contract_not_found_in_compiler_output`
 */
export function contractIn(output: CompilerOutput, { path, name }: ContractName): ContractOutput {
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) {
    const text = errors.map(({ formattedMessage, message }) => formattedMessage ?? message).join('\n')
    throw new VerificationError('compiler_error', text.slice(0, MAX_ERROR_CHARACTERS))
  }
  const found = allContracts(output).filter((one) => one.name === name && (path === undefined || one.path === path))
  if (found.length === 1) return found[0]!
  const problem = found.length === 0 ? 'is not in the sources' : 'is in several sources: name one as in path.sol:Name'
  const wanted = path === undefined ? name : `${path}:${name}`
  throw new VerificationError('contract_not_found_in_compiler_output', `the contract ${wanted} ${problem}`)
}

const MAX_ERROR_CHARACTERS = 4_000

/** All contracts in the output of a compiler. */
export function allContracts({ contracts = {}, sources = {} }: CompilerOutput): readonly ContractOutput[] {
  const sourceIds = Object.fromEntries(Object.entries(sources).map(([path, { id }]) => [path, id]))
  return Object.entries(contracts).flatMap(([path, named]) =>
    Object.entries(named).map(([name, { abi, metadata, userdoc, devdoc, storageLayout, evm = {} }]) => ({
      path,
      name,
      abi: abi ?? [],
      ...(metadata !== undefined && { metadata }),
      ...(userdoc !== undefined && { userdoc }),
      ...(devdoc !== undefined && { devdoc }),
      ...(storageLayout !== undefined && { storageLayout }),
      bytecode: evm.bytecode ?? NO_CODE,
      deployedBytecode: evm.deployedBytecode ?? NO_CODE,
      sourceIds,
    })),
  )
}
