import contractAbis from '../../../live/names/contract-abis.json' with { type: 'json' }
import { createNames, type Names, NO_NAMES } from '../../../live/names/names.ts'
import { readStocks } from '../../../live/stock-list.ts'
import { boundedFetch } from '../../../primitives/bounded-fetch.ts'
import { type Address, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { fetchFailureReason, type JsonRpc, JsonRpcError } from '../../stock/chain/json-rpc.ts'
import { restAddress } from '../../stock/chain/rest-client.ts'
import { AbiBook } from '../../terminal/abi-book.ts'
import { type AbiItem, parsedAbi } from '../../terminal/abi-library.ts'
import type { ArtifactFolder } from '../../terminal/artifact-folder.ts'
import { Interfaces } from './interfaces.ts'

/** Name, source and ABI of the contract at an address. */
export interface ContractInfo {
  /** @example 'Vault', 'MRDTLd', 'Account 0' */
  readonly name?: string
  /** File of the verified source. @example 'src/Vault.sol' */
  readonly source?: string
  readonly abi: readonly AbiItem[]
  /** Contract whose code a proxy runs. */
  readonly implementation?: Address
}

export interface ContractsOptions {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
}

/** Contracts of one answer that are looked up: each is a request or two to the node. */
const MAX_NAMED = 40
const MAX_SOURCE_BYTES = 8 * 2 ** 20
const MAX_LIST_BYTES = 8 * 2 ** 20
const FIELDS = 'abi,compilation.fullyQualifiedName,proxyResolution'

/**
 * ABIs and sources as the node has verified them, otherwise as compiled. Names of stocks and known addresses come
 * first.
 */
export class Contracts {
  readonly #options: ContractsOptions
  readonly #rpc: JsonRpc
  readonly #artifacts: ArtifactFolder | undefined
  readonly #book = new AbiBook()
  readonly #known = Interfaces.known()
  #areArtifactsRead = false
  #chainId: Promise<bigint> | undefined
  #names: Promise<Names> | undefined

  /** @param artifacts compiled contracts of `--abi` */
  constructor(
    options: ContractsOptions,
    deps: { readonly rpc: JsonRpc; readonly artifacts: ArtifactFolder | undefined },
  ) {
    this.#options = options
    this.#rpc = deps.rpc
    this.#artifacts = deps.artifacts
  }

  /**
   * Reads artifacts that have changed since the last call, and forgets the list of stocks.
   *
   * @throws ArtifactsError the first time
   */
  async refresh(): Promise<void> {
    this.#names = undefined
    if (this.#artifacts === undefined) return
    const artifacts = this.#areArtifactsRead ? this.#artifacts.readChanged() : await this.#artifacts.readAll()
    this.#areArtifactsRead = true
    for await (const artifact of artifacts) {
      this.#book.add([artifact])
      this.#known.add(artifact.abi)
    }
  }

  /**
   * The contracts at the first 40 of these addresses, and the functions, errors and events of all of them.
   *
   * @param notes receives why verified sources could not be read, and that contracts were left without names
   * @throws StockError `NODE_UNREACHABLE`
   */
  async at(addresses: readonly Address[], notes: Set<string>): Promise<NamedContracts> {
    const infos = new Map<Address, ContractInfo>()
    const distinct = [...new Set(addresses)]
    if (distinct.length > MAX_NAMED) notes.add(`names were looked up for ${MAX_NAMED} of ${distinct.length} addresses`)
    for (const address of distinct.slice(0, MAX_NAMED)) {
      const info = await this.#infoOf(address, notes)
      infos.set(address, info)
      const { implementation } = info
      if (implementation !== undefined && !infos.has(implementation)) {
        infos.set(implementation, await this.#infoOf(implementation, notes))
      }
    }
    const interfaces = this.#known.copy()
    for (const { abi } of infos.values()) interfaces.add(abi)
    return new NamedContracts(infos, interfaces)
  }

  async #infoOf(address: Address, notes: Set<string>): Promise<ContractInfo> {
    this.#names ??= this.#readNames()
    const known = (await this.#names).of(address)
    const verified = await this.#verified(address, notes)
    if (verified !== undefined) return known === undefined ? verified : { ...verified, name: known.name }
    if (known?.abi !== undefined) return { name: known.name, abi: abiNamed(known.abi) }
    const compiled = this.#artifacts === undefined ? undefined : this.#book.compiledAs(await this.#codeAt(address))
    const name = known?.name ?? compiled?.name
    return { ...(name !== undefined && { name }), abi: compiled?.abi ?? [] }
  }

  /** A node without the service of stocks leaves the names that every chain has. */
  async #readNames(): Promise<Names> {
    const { rpcUrl, requestTimeoutMs } = this.#options
    const read = async (path: string) => {
      const url = restAddress({ rpcUrl, restUrl: undefined }, `/${path}`)
      const response = await boundedFetch(MAX_LIST_BYTES)(`${url}`, { signal: AbortSignal.timeout(requestTimeoutMs) })
      return { status: response.status, text: await response.text() }
    }
    return readStocks({ read }).then(createNames, () => NO_NAMES)
  }

  async #codeAt(address: Address): Promise<Uint8Array> {
    const code = await this.#rpc.request(['eth_getCode', address, 'pending'])
    return isHexBytes(code) ? hexToBytes(code) : new Uint8Array(0)
  }

  /**
   * Over the interface of Sourcify: status 404 means that the contract is not verified, or that the node has no such
   * interface. The tools need only names from it, so that another failure is a note.
   */
  async #verified(address: Address, notes: Set<string>): Promise<ContractInfo | undefined> {
    const { rpcUrl, requestTimeoutMs } = this.#options
    const url = new URL(rpcUrl)
    url.pathname = `/verify/sourcify/v2/contract/${await this.#chain()}/${address}`
    url.search = `?fields=${FIELDS}`
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs)
      const response = await boundedFetch(MAX_SOURCE_BYTES)(`${url}`, { signal })
      if (response.status === 200) return infoIn((await response.json()) as VerifiedContract)
      if (response.status !== 404) notes.add(unreadSources(`HTTP status ${response.status}`))
    } catch (error) {
      notes.add(unreadSources(fetchFailureReason(error, requestTimeoutMs)))
    }
    return undefined
  }

  #chain(): Promise<bigint> {
    this.#chainId ??= this.#rpc.request(['eth_chainId']).then((id) => BigInt(id as string))
    // A node that was away may be there at the next call.
    this.#chainId.catch(() => {
      this.#chainId = undefined
    })
    return this.#chainId
  }
}

function unreadSources(reason: string): string {
  return `verified sources cannot be read (${reason}): names of contracts and functions may be missing`
}

function abiNamed(name: string): readonly AbiItem[] {
  return Object.hasOwn(contractAbis, name) ? parsedAbi(contractAbis[name as keyof typeof contractAbis]) : []
}

interface VerifiedContract {
  readonly abi?: readonly AbiItem[]
  readonly compilation?: { readonly fullyQualifiedName?: string }
  readonly proxyResolution?: { readonly implementations?: readonly { readonly address: Address }[] }
}

function infoIn({ abi, compilation, proxyResolution }: VerifiedContract): ContractInfo {
  const qualified = compilation?.fullyQualifiedName ?? ''
  const end = qualified.lastIndexOf(':')
  const implementation = proxyResolution?.implementations?.[0]?.address
  return {
    ...(end > 0 && { name: qualified.slice(end + 1), source: qualified.slice(0, end) }),
    abi: Array.isArray(abi) ? abi : [],
    ...(implementation !== undefined && { implementation }),
  }
}

/** Contracts of one answer. */
export class NamedContracts {
  readonly #infos: ReadonlyMap<Address, ContractInfo>
  readonly interfaces: Interfaces

  constructor(infos: ReadonlyMap<Address, ContractInfo>, interfaces: Interfaces) {
    this.#infos = infos
    this.interfaces = interfaces
  }

  of(address: string | null | undefined): ContractInfo | undefined {
    return this.#infos.get(address?.toLowerCase() as Address)
  }

  /** Members of an answer that name the contract at an address. */
  named(address: string): { readonly address: string; readonly name?: string } {
    const name = this.of(address)?.name
    return { address, ...(name !== undefined && { name }) }
  }
}

/** The result of a request that not every node answers; `undefined` for an error response. */
export async function optional<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined
    throw error
  }
}
