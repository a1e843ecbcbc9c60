import { type CompiledCode, codeTemplate } from '../../solidity/bytecode/code-template.ts'
import { sectionAt } from '../../solidity/bytecode/metadata-sections.ts'
import type { ContractOutput } from '../compiler/standard-json.ts'

/**
 * Adds the place of the metadata that the compiler appended to a contract, which a second compilation would find
 * otherwise. Metadata in the code of contracts that this one creates is not found: there it has to be equal.
 */
export function withMetadata<Built extends Pick<ContractOutput, 'bytecode' | 'deployedBytecode'>>(
  built: Built,
  input: unknown,
): Built {
  if (!appendsHash(input)) return built
  return { ...built, bytecode: withSection(built.bytecode), deployedBytecode: withSection(built.deployedBytecode) }
}

/** Whether the settings of the compiler append a hash of the metadata to code (docs.soliditylang.org, "Metadata"). */
function appendsHash(input: unknown): boolean {
  const { language, settings } = (input ?? {}) as {
    readonly language?: string
    readonly settings?: { readonly metadata?: { readonly bytecodeHash?: string; readonly appendCBOR?: boolean } }
  }
  const { bytecodeHash = 'ipfs', appendCBOR = true } = settings?.metadata ?? {}
  return language === 'Solidity' && bytecodeHash !== 'none' && appendCBOR
}

function withSection(compiled: CompiledCode): CompiledCode {
  const code = codeTemplate(compiled)?.code
  if (code === undefined || code.length < 2) return compiled
  const start = code.length - (code.at(-2)! * 256 + code.at(-1)!) - 2
  const section = start < 0 ? undefined : sectionAt(code, start)
  return section === undefined ? compiled : { ...compiled, metadata: [section] }
}
