import { type CompiledCode, codeTemplate } from '../bytecode/code-template.ts'
import { metadataSections } from '../bytecode/metadata-sections.ts'
import { type ContractName, type ContractOutput, contractIn, inputFor, type StandardInput } from './standard-json.ts'

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
  const outputOf = (sources: StandardInput) =>
    contractIn(JSON.parse(compile(JSON.stringify(inputFor(sources, name)))), name)
  const contract = outputOf(input)
  const altered = outputOf(withOtherHashes(input))
  return {
    ...contract,
    bytecode: withMetadata(contract.bytecode, altered.bytecode),
    deployedBytecode: withMetadata(contract.deployedBytecode, altered.deployedBytecode),
  }
}

/** Metadata has the hash of each source. A space at the end of a source changes nothing else. */
function withOtherHashes(input: StandardInput): StandardInput {
  const sources = Object.entries(input.sources).map(([path, { content }]) => [path, { content: `${content} ` }])
  return { ...input, sources: Object.fromEntries(sources) }
}

function withMetadata(compiled: CompiledCode, altered: CompiledCode): CompiledCode {
  const [code, other] = [compiled, altered].map((one) => codeTemplate(one)?.code)
  return code === undefined || other === undefined ? compiled : { ...compiled, metadata: metadataSections(code, other) }
}
