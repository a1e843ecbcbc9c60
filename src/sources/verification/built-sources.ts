import { BoundedCache } from '../../primitives/bounded-cache.ts'
import { type Address, type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import type { BuiltRequest } from '../build-info/find-process.ts'
import type { BuiltContract } from '../build-info/read-build-infos.ts'
import { VerificationError } from '../source-error.ts'
import type { Deployment, VerifiedSource } from '../store/verified-source.ts'
import { verificationTime } from './verification-queue.ts'

/** Codes that wait for the one that is looked for. */
const MAX_WAITING = 16
/** Bytes of sources that are remembered, and of a contract without any. */
const MAX_REMEMBERED_BYTES = 64 * 2 ** 20
const ABSENT_BYTES = 200
/** A syntax tree has up to twenty times the size of its source. */
const TREE_FACTOR = 20
/** Milliseconds between two looks at the files. */
const MIN_INTERVAL_MS = 1_000

export interface BuiltSourcesDeps {
  /** Finds a contract in the build information, which takes as long as reading it. */
  readonly find: (request: BuiltRequest) => Promise<BuiltContract | undefined>
  /** Changes when the build information does; `undefined`: there is none. */
  readonly version: (folder: string) => Promise<string | undefined>
  readonly now: () => Date
}

function newCache() {
  return new BoundedCache<string, Promise<VerifiedSource | undefined>>({ maxBytes: MAX_REMEMBERED_BYTES })
}

function sizeOf({ input, contract }: VerifiedSource): number {
  const characters = Object.values(input.sources).reduce((sum, { content }) => sum + content.length, 0)
  return TREE_FACTOR * characters + contract.bytecode.object.length + contract.deployedBytecode.object.length
}

/** Sources of a project that was compiled on this machine: they are compared with the chain, but not compiled again. */
export class BuiltSources {
  readonly #folder: string
  readonly #deps: BuiltSourcesDeps
  /** By code and address; `undefined`: the project has no such contract. */
  #sources = newCache()
  #version: string | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #look: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** @param folder of artifacts, with a folder `build-info` */
  constructor(folder: string, deps: BuiltSourcesDeps) {
    this.#folder = folder
    this.#deps = deps
  }

  /**
   * The sources of a contract; `undefined`: the project does not have it, or too many others are looked for.
   *
   * @param deploymentOf finds how it was created
   */
  async source(
    deployed: { readonly address: Address; readonly code: Bytes; readonly codeHash: Hash },
    deploymentOf: () => Promise<Deployment | undefined>,
  ): Promise<VerifiedSource | undefined> {
    await this.#lookAtFiles()
    if (this.#version === undefined) return undefined
    const key = `${deployed.codeHash} ${deployed.address}`
    const known = this.#sources.get(key)
    if (known !== undefined || this.#waiting >= MAX_WAITING) return known
    const sources = this.#sources
    const source = this.#inTurn(() => this.#verified(deployed, deploymentOf))
    // Requests for the same contract wait for one search.
    sources.set(key, source, ABSENT_BYTES)
    try {
      const found = await source
      if (found !== undefined) sources.set(key, source, sizeOf(found))
      return found
    } catch (error) {
      sources.set(key, Promise.resolve(undefined), ABSENT_BYTES)
      throw error
    }
  }

  async #verified(
    { address, code }: { readonly address: Address; readonly code: Bytes },
    deploymentOf: () => Promise<Deployment | undefined>,
  ): Promise<VerifiedSource | undefined> {
    const built = await this.#deps.find({ folder: this.#folder, code: bytesToHex(code) })
    if (built === undefined) return undefined
    const { input, compilerVersion, output: contract } = built
    const deployment = await deploymentOf()
    // Loads the encoder of arguments.
    const { verifySource } = await import('./verify-source.ts')
    const time = verificationTime(this.#deps.now())
    try {
      return verifySource({ address, input }, { compilerVersion, contract }, { code, deployment }, time)
    } catch (error) {
      if (error instanceof VerificationError) return undefined
      throw error
    }
  }

  #lookAtFiles(): Promise<void> {
    const now = this.#deps.now().getTime()
    if (this.#look !== undefined && now - this.#lookedAt < MIN_INTERVAL_MS) return this.#look
    this.#lookedAt = now
    this.#look = this.#readVersion()
    return this.#look
  }

  async #readVersion(): Promise<void> {
    const version = await this.#deps.version(this.#folder)
    if (version !== this.#version) this.#sources = newCache()
    this.#version = version
  }

  /** One after the other: each reads the files of the project. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting += 1
    const result = this.#last.then(run)
    this.#last = result
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1
      })
    return result
  }
}
