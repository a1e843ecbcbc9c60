import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'

/** A parameter of an ABI item (docs.soliditylang.org, "JSON" in the ABI specification). */
export interface AbiParameter {
  readonly name?: string
  readonly type: string
  readonly components?: readonly AbiParameter[]
}

export interface AbiItem {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
}

/** A compiled contract: an artifact of Foundry or Hardhat. */
export interface Artifact {
  readonly name: string
  readonly abi: readonly AbiItem[]
  /** Deployed code; empty for an interface, and for code that is not linked. */
  readonly code: Bytes
  /** Parts of the code that are written when it is deployed. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[]
}

/** Functions that nearly every project calls, known without artifacts. */
const USUAL_FUNCTIONS = [
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'balanceOf(address)',
  'allowance(address,address)',
  'mint(address,uint256)',
  'safeTransferFrom(address,address,uint256)',
  'setApprovalForAll(address,bool)',
  'aggregate3((address,bool,bytes)[])',
  'multicall(bytes[])',
  'deposit()',
  'withdraw(uint256)',
]

/** Names of functions, errors and contracts. */
export class AbiBook {
  readonly #functions = new Map<string, string>()
  readonly #errors = new Map<string, AbiItem>()
  readonly #byCodeSize = new Map<number, Artifact[]>()

  readonly #newArtifacts: (() => readonly Artifact[]) | undefined

  /** @param newArtifacts called when a name is unknown: artifacts to add. Default: none. */
  constructor(
    artifacts: readonly Artifact[] = [],
    { newArtifacts }: { readonly newArtifacts?: () => readonly Artifact[] } = {},
  ) {
    this.#newArtifacts = newArtifacts
    for (const signature of USUAL_FUNCTIONS) this.#functions.set(selectorOf(signature), signature)
    for (const artifact of artifacts) this.#add(artifact)
  }

  /** @example book.functionOf(input) // 'transfer(address,uint256)' */
  functionOf(input: Bytes): string | undefined {
    return input.length < 4 ? undefined : this.#find(() => this.#functions.get(selectorIn(input)))
  }

  /** The custom error of revert data. */
  errorOf(output: Bytes): AbiItem | undefined {
    return output.length < 4 ? undefined : this.#find(() => this.#errors.get(selectorIn(output)))
  }

  /** The contract whose deployed code this is. */
  contractOf(code: Bytes): string | undefined {
    if (code.length === 0) return undefined
    return this.#find(() => this.#byCodeSize.get(code.length)?.find((artifact) => matches(artifact, code))?.name)
  }

  #find<T>(look: () => T | undefined): T | undefined {
    const found = look()
    if (found !== undefined) return found
    const added = this.#newArtifacts?.() ?? []
    for (const artifact of added) this.#add(artifact)
    return added.length === 0 ? undefined : look()
  }

  #add(artifact: Artifact): void {
    for (const item of artifact.abi) {
      if (item.name === undefined) continue
      const signature = canonicalSignature(item)
      if (item.type === 'function') this.#functions.set(selectorOf(signature), signature)
      else if (item.type === 'error') this.#errors.set(selectorOf(signature), item)
    }
    const { length } = artifact.code
    if (length === 0) return
    const sameSize = this.#byCodeSize.get(length) ?? []
    // A compiler rewrites files without a change.
    if (sameSize.some(({ name, code }) => name === artifact.name && Buffer.compare(code, artifact.code) === 0)) return
    sameSize.push(artifact)
    this.#byCodeSize.set(length, sameSize)
  }
}

/** @example canonicalSignature({ name: 'f', inputs: [{ type: 'bool' }] }) // 'f(bool)' */
export function canonicalSignature({ name = '', inputs = [] }: Pick<AbiItem, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(canonicalType).join()})`
}

function canonicalType({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(canonicalType).join()})${type.slice('tuple'.length)}` : type
}

function selectorOf(signature: string): Hex {
  return keccakHash(Buffer.from(signature)).slice(0, 10) as Hex
}

function selectorIn(data: Bytes): Hex {
  return bytesToHex(data.subarray(0, 4))
}

function matches({ code, immutables }: Artifact, deployed: Bytes): boolean {
  const given = Uint8Array.from(deployed)
  for (const { start, length } of immutables) given.fill(0, start, start + length)
  return Buffer.compare(given, code) === 0
}

/**
 * Reads an artifact.
 *
 * @param fileName without its extension: the name of a contract of Foundry
 * @returns `undefined` for JSON that is no artifact
 */
export function artifactOf(json: unknown, fileName: string): Artifact | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { abi, contractName, deployedBytecode, immutableReferences } = json as Readonly<Record<string, unknown>>
  if (!Array.isArray(abi) || !abi.every(isAbiItem)) return undefined
  const { object, immutableReferences: nested } = (
    typeof deployedBytecode === 'object' && deployedBytecode !== null ? deployedBytecode : { object: deployedBytecode }
  ) as Readonly<Record<string, unknown>>
  return {
    name: typeof contractName === 'string' ? contractName : fileName,
    abi,
    code: codeIn(object),
    immutables: rangesIn(nested ?? immutableReferences),
  }
}

function isAbiItem(item: unknown): item is AbiItem {
  return typeof item === 'object' && item !== null && typeof (item as AbiItem).type === 'string'
}

/** Code with placeholders of libraries is no hex. */
function codeIn(object: unknown): Bytes {
  return typeof object === 'string' && /^0x([0-9a-fA-F]{2})+$/.test(object) ? hexToBytes(object) : new Uint8Array(0)
}

function rangesIn(references: unknown): Artifact['immutables'] {
  if (typeof references !== 'object' || references === null) return []
  return Object.values(references)
    .flat()
    .filter((range) => typeof range?.start === 'number' && typeof range?.length === 'number')
}
