import { type CompiledContract, MAX_COMPILED_CONTRACTS } from '../../../node/development/logging.ts'
import { boolean } from '../../codecs/boolean.ts'
import { ignoredObject, ignoredValue, objectOf } from '../../codecs/object.ts'
import { text } from '../../codecs/text.ts'
import { RPC_CODES } from '../../protocol/errors.ts'
import { isJsonObject, type Json } from '../../protocol/json.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

export const anvil_setLoggingEnabled = defineDevelopmentMethod({
  name: 'anvil_setLoggingEnabled',
  aliases: ['hardhat_setLoggingEnabled'],
  summary: 'Whether the node prints transactions, console.log and reverts to its terminal.',
  params: [requiredParam('enabled', boolean)],
  result: SETTER_RESULT,
  cost: 1,
  handle([isEnabled], { conventions, development }) {
    development.logging.setEnabled(isEnabled)
    return conventions.control.setterResult
  },
})

const compilerOutput = objectOf<{ contracts?: NonNullable<Json> }>({ contracts: ignoredValue })

export const hardhat_addCompilationResult = defineDevelopmentMethod({
  name: 'hardhat_addCompilationResult',
  summary: 'Makes the names of compiled contracts, their functions and errors known to the output on the terminal.',
  params: [
    requiredParam('solcVersion', text),
    requiredParam('compilerInput', ignoredObject),
    requiredParam('compilerOutput', compilerOutput),
  ],
  result: { type: 'boolean' },
  cost: 20,
  handle([, , { contracts }], { conventions, development }) {
    if (development.logging.addCompiled(compiledContracts(contracts))) return true
    const message = `there are too many compiled contracts, at most ${MAX_COMPILED_CONTRACTS}: start with --abi instead`
    throw conventions.refusal({ anvil: [RPC_CODES.server, message], hardhat: [RPC_CODES.server, message] })
  },
})

/** The contracts in `contracts` of the JSON output of solc: by file, then by name. */
function compiledContracts(files: unknown): readonly CompiledContract[] {
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
