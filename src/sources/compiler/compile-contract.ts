import { type CompiledCode, codeTemplate } from '../../solidity/bytecode/code-template.ts'
import { metadataSections } from '../../solidity/bytecode/metadata-sections.ts'
import { neededTrees } from '../../solidity/syntax/needed-trees.ts'
import {
  type CompilerOutput,
  type ContractName,
  type ContractOutput,
  contractIn,
  inputFor,
  type StandardInput,
} from './standard-json.ts'

/** Syntax trees have up to twenty times the size of their sources. */
const MAX_SOURCE_BYTES_WITH_TREES = 2 * 2 ** 20

/**
 * Compiles a contract, and finds the places of metadata in its code with a second compilation.
 *
 * @param compile the compiler: its input and output as JSON
 * @throws VerificationError
 */
export function compileContract(
  compile: (input: string) => string,
  input: StandardInput,
  name: ContractName,
): ContractOutput {
  const outputOf = (sources: StandardInput, hasTrees: boolean): CompilerOutput =>
    JSON.parse(compile(JSON.stringify(inputFor(sources, name, hasTrees))))
  const characters = Object.values(input.sources).reduce((sum, { content }) => sum + content.length, 0)
  const hasTrees = characters <= MAX_SOURCE_BYTES_WITH_TREES
  const output = outputOf(input, hasTrees)
  const contract = contractIn(output, name)
  const altered = contractIn(outputOf(withOtherHashes(input), false), name)
  return {
    ...contract,
    ...(hasTrees ? { trees: neededTrees(output.sources ?? {}, contract.path) } : { leftOut: TOO_LARGE_FOR_TREES }),
    bytecode: withMetadata(contract.bytecode, altered.bytecode),
    deployedBytecode: withMetadata(contract.deployedBytecode, altered.deployedBytecode),
  }
}

const TOO_LARGE_FOR_TREES = `syntax trees: the sources have more than ${MAX_SOURCE_BYTES_WITH_TREES} characters`

/** Metadata has the hash of each source. A space at the end of a source changes nothing else. */
function withOtherHashes(input: StandardInput): StandardInput {
  const sources = Object.entries(input.sources).map(([path, { content }]) => [path, { content: `${content} ` }])
  return { ...input, sources: Object.fromEntries(sources) }
}

function withMetadata(compiled: CompiledCode, altered: CompiledCode): CompiledCode {
  const [code, other] = [compiled, altered].map((one) => codeTemplate(one)?.code)
  return code === undefined || other === undefined ? compiled : { ...compiled, metadata: metadataSections(code, other) }
}
