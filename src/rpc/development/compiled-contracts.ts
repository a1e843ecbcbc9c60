import type { CompiledContract } from '../../node/development/logging.ts'
import { isJsonObject } from '../protocol/json.ts'

/** The contracts in `contracts` of the JSON output of solc: by file, then by name. */
export function compiledContracts(files: unknown): readonly CompiledContract[] {
  return Object.values(objectIn(files)).flatMap((file) =>
    Object.entries(objectIn(file)).map(([contractName, contract]) => {
      const { abi, evm } = objectIn(contract)
      const { object, immutableReferences } = objectIn(objectIn(evm).deployedBytecode)
      // Artifacts have a prefix.
      const code = typeof object === 'string' ? `0x${object}` : undefined
      return { contractName, abi, deployedBytecode: { object: code, immutableReferences } }
    }),
  )
}

function objectIn(json: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(json) ? json : {}
}
