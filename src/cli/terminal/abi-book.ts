import { canonicalSignature, selectorOf, signatureOfDeclaration } from '../../primitives/abi/abi-signature.ts'
import type { Bytes, Hex } from '../../primitives/hex.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { type AbiItem, parsedAbi } from './abi-library.ts'

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
  // The stock service calls this selector to learn how a contract fails without the function.
  'tickertape: no such function',
]

/** Versions of a contract that are kept: those that were deployed before a developer recompiled it keep its name. */
const MAX_VERSIONS = 16

export interface AbiBookDeps {
  /** Called when a name is unknown: reads artifacts to add. */
  readonly newArtifacts: () => AsyncIterable<Artifact>
  /** Receives the error of reading them. */
  readonly onFailure: (error: unknown) => void
}

/** Names of functions, errors and contracts. */
export class AbiBook {
  readonly #functions = new Map<string, string>()
  /** By selector. A declaration is parsed at its first lookup. */
  readonly #errors = new Map<string, AbiItem | string>()
  readonly #byCodeSize = new Map<number, Set<Artifact>>()
  /** Versions of each contract, the newest last. */
  readonly #byName = new Map<string, Set<Artifact>>()
  readonly #deps: AbiBookDeps | undefined
  #reload: Promise<void> | undefined

  /** @param deps absent: the artifacts do not change */
  constructor(artifacts: readonly Artifact[] = [], deps?: AbiBookDeps) {
    this.#deps = deps
    for (const signature of USUAL_FUNCTIONS) this.#functions.set(selectorOf(signature), signature)
    this.add(artifacts)
  }

  add(artifacts: readonly Artifact[]): void {
    for (const artifact of artifacts) this.#add(artifact)
  }

  /** Adds declarations of Solidity, as in `error Unauthorized(address caller)`: functions and errors. */
  addDeclarations(declarations: readonly string[]): void {
    for (const declaration of declarations) {
      const isFunction = declaration.startsWith('function ')
      if (!isFunction && !declaration.startsWith('error ')) continue
      const signature = signatureOfDeclaration(declaration)
      if (isFunction) this.#functions.set(selectorOf(signature), signature)
      else this.#errors.set(selectorOf(signature), declaration)
    }
  }

  /** @example book.functionOf(input) // 'transfer(address,uint256)' */
  functionOf(input: Bytes): string | undefined {
    return input.length < 4 ? undefined : this.#find(() => this.#functions.get(selectorIn(input)))
  }

  /** The custom error of revert data. */
  errorOf(output: Bytes): AbiItem | undefined {
    if (output.length < 4) return undefined
    const selector = selectorIn(output)
    const found = this.#find(() => this.#errors.get(selector))
    if (typeof found !== 'string') return found
    const [item] = parsedAbi([found])
    this.#errors.set(selector, item!)
    return item
  }

  /** The name of the contract whose deployed code this is. */
  contractOf(code: Bytes): string | undefined {
    return this.compiledAs(code)?.name
  }

  /** The artifact with this deployed code. */
  compiledAs(code: Bytes): Artifact | undefined {
    if (code.length === 0) return undefined
    return this.#find(() => {
      for (const compiled of this.#byCodeSize.get(code.length) ?? []) if (matches(compiled, code)) return compiled
      return undefined
    })
  }

  /** Resolves when the artifacts that the last unknown name made the book read are known. */
  async reloaded(): Promise<void> {
    await this.#reload
  }

  /** An unknown name stays unknown in this report: waiting for files would delay the building of blocks. */
  #find<T>(look: () => T | undefined): T | undefined {
    const found = look()
    if (found === undefined && this.#deps !== undefined) this.#startReload(this.#deps)
    return found
  }

  #startReload({ newArtifacts, onFailure }: AbiBookDeps): void {
    this.#reload ??= this.#addAll(newArtifacts())
      .catch(onFailure)
      .finally(() => {
        this.#reload = undefined
      })
  }

  async #addAll(artifacts: AsyncIterable<Artifact>): Promise<void> {
    for await (const artifact of artifacts) this.#add(artifact)
  }

  #add(artifact: Artifact): void {
    for (const item of artifact.abi) {
      if (item.name === undefined) continue
      const signature = canonicalSignature(item)
      if (item.type === 'function') this.#functions.set(selectorOf(signature), signature)
      else if (item.type === 'error') this.#errors.set(selectorOf(signature), item)
    }
    if (artifact.code.length > 0) this.#addCode(artifact)
  }

  #addCode(artifact: Artifact): void {
    const { name, code } = artifact
    const versions = setAt(this.#byName, name)
    // A compiler rewrites files without a change, and a developer takes a change back.
    const known = [...versions].find((version) => Buffer.compare(version.code, code) === 0)
    if (known !== undefined) versions.delete(known)
    const newest = known ?? artifact
    versions.add(newest)
    setAt(this.#byCodeSize, code.length).add(newest)
    if (versions.size <= MAX_VERSIONS) return
    const [oldest] = versions
    versions.delete(oldest!)
    this.#byCodeSize.get(oldest!.code.length)!.delete(oldest!)
  }
}

/** The set at a key, which is added if it is absent. */
function setAt<K, T>(sets: Map<K, Set<T>>, key: K): Set<T> {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set)
  return set
}

/** Whether calldata calls this function. */
export function isCalledBy(item: AbiItem, input: Bytes): boolean {
  return item.type === 'function' && input.length >= 4 && selectorOf(canonicalSignature(item)) === selectorIn(input)
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
 * Reads an artifact, without items of its ABI that are malformed.
 *
 * @param fileName without its extension: the name of a contract of Foundry
 * @returns `undefined` for JSON that is no artifact
 */
export function artifactOf(json: unknown, fileName: string): Artifact | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { abi, contractName, deployedBytecode, immutableReferences } = json as Readonly<Record<string, unknown>>
  if (!Array.isArray(abi)) return undefined
  const { object, immutableReferences: nested } = (
    typeof deployedBytecode === 'object' && deployedBytecode !== null ? deployedBytecode : { object: deployedBytecode }
  ) as Readonly<Record<string, unknown>>
  return {
    name: typeof contractName === 'string' ? contractName : fileName,
    abi: abi.filter(isAbiItem),
    code: codeIn(object),
    immutables: rangesIn(nested ?? immutableReferences),
  }
}

/** Tuples within tuples; Solidity allows a few. */
const MAX_DEPTH = 32

function isAbiItem(item: unknown): item is AbiItem {
  const { type, name = '', inputs = [], outputs = [] } = (item ?? {}) as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof name === 'string' && areParameters(inputs, 0) && areParameters(outputs, 0)
}

function areParameters(list: unknown, depth: number): boolean {
  return Array.isArray(list) && depth < MAX_DEPTH && list.every((each) => isParameter(each, depth))
}

function isParameter(parameter: unknown, depth: number): boolean {
  const { type, name = '', components = [] } = (parameter ?? {}) as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof name === 'string' && areParameters(components, depth + 1)
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
