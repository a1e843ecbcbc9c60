import { parseAbi } from 'micro-eth-signer/abi.js'
import contractAbis from '../../live/names/contract-abis.json' with { type: 'json' }
import type { AbiItem, Artifact } from './abi-book.ts'

/** The items of signatures, as in `function mint(address to, uint256 amount)`. */
export function parsedAbi(signatures: readonly string[]): readonly AbiItem[] {
  return parseAbi([...signatures]) as unknown as readonly AbiItem[]
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
