import { type AbiParameter, canonicalSignature, selectorOf } from '../../primitives/abi/abi-signature.ts'
import type { Address, Bytes, Hash, Hex } from '../../primitives/hex.ts'

/** An item of an ABI, as far as calls are named by it. */
export interface InterfaceItem {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
}

/** Name and ABI of a contract. */
export interface ContractInterface {
  /** @example 'src/Token.sol:Token' */
  readonly name: string
  readonly abi: readonly InterfaceItem[]
}

/** Code of a contract, and an address that has or had it. */
export interface DeployedCode {
  readonly address: Address
  readonly codeHash: Hash
  readonly code: Bytes
}

/** Finds the interface of a contract; `undefined`: it is unknown. */
export type FindInterface = (deployed: DeployedCode) => Promise<ContractInterface | undefined>

/** Names of the functions of a contract. */
export class FunctionNames {
  readonly #signatures: ReadonlyMap<Hex, string>
  readonly #entries: ReadonlySet<string>

  constructor(abi: readonly InterfaceItem[]) {
    const functions = abi.filter(({ type }) => type === 'function').map(canonicalSignature)
    this.#signatures = new Map(functions.map((signature) => [selectorOf(signature), signature]))
    this.#entries = new Set(abi.map(({ type }) => type))
  }

  /**
   * The function that an input calls; `undefined`: the contract has none for it.
   *
   * @param selector first four bytes of the input; fewer, if it is shorter
   */
  of(selector: Hex): string | undefined {
    const signature = this.#signatures.get(selector)
    if (signature !== undefined) return signature
    if (selector === '0x' && this.#entries.has('receive')) return 'receive'
    return this.#entries.has('fallback') ? 'fallback' : undefined
  }
}
