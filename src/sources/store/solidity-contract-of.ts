import { contractsOfOutput, type SolidityOutput } from '../../solidity/compiled/read-output.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import type { VerifiedSource } from './verified-source.ts'

/** A verified contract for a debugger. */
export function solidityContractOf({ input, contract, compilerVersion }: VerifiedSource): SolidityContract | undefined {
  const { path, name, abi, storageLayout, bytecode, deployedBytecode, sourceIds, trees = {}, leftOut } = contract
  const sources = Object.entries(sourceIds).map(([source, id]) => [source, { id, ast: trees[source] }])
  const output = {
    sources: Object.fromEntries(sources),
    contracts: { [path]: { [name]: { abi, storageLayout, evm: { bytecode, deployedBytecode } } } },
  } as SolidityOutput
  return contractsOfOutput(input, output, compilerVersion, leftOut)[0]
}
