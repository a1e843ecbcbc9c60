import contractAbis from '../../live/names/contract-abis.json' with { type: 'json' }
import type { Artifact } from './abi-book.ts'
import { parsedAbi } from './abi-library.ts'

/** The functions and errors of `contracts/` and of the predeploys, declared as in Solidity. */
export function knownDeclarations(): readonly string[] {
  return Object.values(contractAbis).flat()
}

/** The ABIs of `contracts/` and of the predeploys, without code: their addresses name them. */
export function knownContracts(): readonly Artifact[] {
  return Object.entries(contractAbis).map(([name, signatures]) => ({
    name,
    abi: parsedAbi(signatures),
    code: new Uint8Array(0),
    immutables: [],
  }))
}
