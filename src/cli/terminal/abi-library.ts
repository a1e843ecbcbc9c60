import { createRequire } from 'node:module'
import type { AbiParameter } from '../../primitives/abi/abi-signature.ts'

export interface AbiItem {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
  readonly stateMutability?: string
}

const load = createRequire(import.meta.url)

/** Encodes and decodes values of ABIs. Loaded at first use: it would add a tenth to the time of a start. */
export function abiLibrary(): typeof import('micro-eth-signer/abi.js') {
  return load('micro-eth-signer/abi.js')
}

/** The items of declarations, as in `function mint(address to, uint256 amount)`. */
export function parsedAbi(declarations: readonly string[]): readonly AbiItem[] {
  return abiLibrary().parseAbi([...declarations]) as unknown as readonly AbiItem[]
}
