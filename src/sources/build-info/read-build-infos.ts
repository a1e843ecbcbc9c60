import { existsSync, readdirSync, statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { codeTemplate } from '../../solidity/bytecode/code-template.ts'
import { matchRuntimeCode } from '../../solidity/bytecode/compare-code.ts'
import { neededTrees } from '../../solidity/syntax/needed-trees.ts'
import {
  allContracts,
  type ContractName,
  type ContractOutput,
  type StandardInput,
  standardInput,
} from '../compiler/standard-json.ts'
import { withMetadata } from './built-metadata.ts'

/** A contract in the build information of a project, with what compiles it. */
export interface BuiltContract {
  readonly contract: Required<ContractName>
  readonly input: StandardInput
  readonly compilerVersion: string
  readonly output: ContractOutput
}

/** Hardhat 3 writes the output of the compiler beside its input. */
const OUTPUT = '.output.json'
const MAX_FILE_BYTES = 512 * 2 ** 20

/** A file of build information, with the output of the compiler also where another file has it. */
export interface BuildInfo {
  /** Of the file. */
  readonly path: string
  readonly solcLongVersion?: string
  readonly solcVersion?: string
  readonly input?: unknown
  readonly output?: Parameters<typeof allContracts>[0] | undefined
}

/**
 * Finds the contract with this code in the build information below a folder: `artifacts` of Hardhat, or `out` of
 * `forge build --build-info`. The newest file comes first.
 *
 * @param named chooses a contract instead of the one whose code matches
 * @returns `undefined`: there is none, or no build information
 */
export function findBuiltContract(folder: string, code: Bytes, named?: ContractName): BuiltContract | undefined {
  for (const { input, solcLongVersion, solcVersion, output } of readBuildInfos(folder)) {
    const compilerVersion = solcLongVersion ?? solcVersion
    if (input === undefined || compilerVersion === undefined || output === undefined) continue
    const found = allContracts(output).find((built) => {
      const { path: source, name } = built
      if (named !== undefined) return name === named.name && (named.path === undefined || source === named.path)
      const template = codeTemplate(withMetadata(built, input).deployedBytecode)
      return template !== undefined && matchRuntimeCode(template, code) !== undefined
    })
    if (found === undefined) continue
    const { path, name } = found
    const trees = neededTrees(output.sources ?? {}, path)
    const hasTrees = Object.keys(trees).length > 0
    const contract = { ...withMetadata(found, input), ...(hasTrees && { trees }) }
    return { contract: { path, name }, input: standardInput(input), compilerVersion, output: contract }
  }
  return undefined
}

/** A file is no JSON, or not that of a compiler: half-written, or of another tool. */
export class BuildInfoError extends Error {
  override readonly name = 'BuildInfoError'
  readonly path: string

  constructor(path: string, options?: ErrorOptions) {
    super(`${path} is not build information`, options)
    this.path = path
  }
}

/**
 * The build information below a folder, the newest file first. Each file is read when it is asked for.
 *
 * @throws BuildInfoError
 */
export function* readBuildInfos(folder: string): Generator<BuildInfo> {
  for (const path of buildInfoPaths(join(folder, 'build-info'))) {
    const info = readJson(path) as Omit<BuildInfo, 'path'>
    yield { ...info, path, output: info.output ?? outputBeside(path) }
  }
}

/** Changes when the build information below a folder does; `undefined`: there is none. */
export async function buildInfoVersion(folder: string): Promise<string | undefined> {
  const directory = join(folder, 'build-info')
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort()
    const stats = await Promise.all(names.map((name) => stat(join(directory, name))))
    return names.map((name, index) => `${name} ${stats[index]!.mtimeMs} ${stats[index]!.size}`).join('\n')
  } catch {
    // A compiler may delete the folder before it writes it anew.
    return undefined
  }
}

function buildInfoPaths(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.endsWith(OUTPUT))
  const files = names.map((name) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }))
  return files.sort((a, b) => b.time - a.time).map(({ path }) => path)
}

function outputBeside(path: string): BuildInfo['output'] {
  const beside = path.replace(/\.json$/, OUTPUT)
  if (!existsSync(beside)) return undefined
  return (readJson(beside) as { readonly output?: BuildInfo['output'] }).output
}

/** The object in a file. @throws BuildInfoError */
function readJson(path: string): object {
  let json: unknown
  try {
    json = JSON.parse(readBoundedFile(path, MAX_FILE_BYTES).toString())
  } catch (error) {
    throw new BuildInfoError(path, { cause: error })
  }
  if (typeof json !== 'object' || json === null) throw new BuildInfoError(path)
  return json
}
