import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address } from '../../primitives/hex.ts'
import { VerificationError } from '../source-error.ts'
import type { SourceSummary, VerifiedSource } from './verified-source.ts'

/** Contracts of a store. */
const MAX_CONTRACTS = 10_000
/** Bytes of all files of a store: it shares its disk with the chain. */
const MAX_STORE_BYTES = 2 * 2 ** 30
/** Directory of the store in the data directory of a network. */
export const SOURCES_DIRECTORY = 'sources'

const FILE = /^(0x[0-9a-f]{40})\.json$/

interface StoredFile {
  readonly bytes: number
  /** `undefined` before it is read. */
  summary?: SourceSummary
}

/** Verified sources as files, one for each contract. */
export class SourceStore {
  readonly #directory: string
  readonly #maxBytes: number
  /** `undefined` before the directory is listed. */
  #files: Promise<Map<Address, StoredFile>> | undefined

  /** @param options.directory is created with the first contract */
  constructor({ directory, maxBytes = MAX_STORE_BYTES }: { readonly directory: string; readonly maxBytes?: number }) {
    this.#directory = directory
    this.#maxBytes = maxBytes
  }

  /** The contract of an address; `undefined`: there is none, or it was written by a newer version. */
  async get(address: Address): Promise<VerifiedSource | undefined> {
    const files = await this.#known()
    if (!files.has(address)) return undefined
    const text = await readFile(this.#pathOf(address), 'utf8').catch(absent)
    if (text === undefined) {
      files.delete(address)
      return undefined
    }
    const source = JSON.parse(text) as VerifiedSource
    return source.format === 1 ? source : undefined
  }

  /** As `get`; reads the file once. */
  async summary(address: Address): Promise<SourceSummary | undefined> {
    const file = (await this.#known()).get(address)
    if (file === undefined || file.summary !== undefined) return file?.summary
    const source = await this.get(address)
    if (source !== undefined) file.summary = summaryOf(source)
    return file.summary
  }

  /**
   * Stores a contract. A full store first removes contracts that are not current.
   *
   * @throws VerificationError `too_many_jobs` when the store is full
   */
  async put(source: VerifiedSource, isCurrent: (summary: SourceSummary) => Promise<boolean>): Promise<void> {
    const { address } = source
    const files = await this.#known()
    const text = JSON.stringify(source)
    const bytes = Buffer.byteLength(text)
    if (!this.#fits(files, address, bytes)) await this.#removeStale(files, isCurrent)
    if (!this.#fits(files, address, bytes)) {
      const limits = `${MAX_CONTRACTS} contracts and ${this.#maxBytes} bytes`
      const advice = 'delete files of the folder sources in its data directory'
      throw new VerificationError('too_many_jobs', `the node stores sources of at most ${limits}: ${advice}`)
    }
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(address)
    // A crash leaves the former file or the new one.
    await writeFile(`${path}.new`, text, { flush: true, mode: 0o600 })
    await rename(`${path}.new`, path)
    files.set(address, { bytes, summary: summaryOf(source) })
  }

  /** Addresses of all contracts, sorted. */
  async addresses(): Promise<readonly Address[]> {
    return [...(await this.#known()).keys()].sort()
  }

  #fits(files: ReadonlyMap<Address, StoredFile>, address: Address, bytes: number): boolean {
    const others = [...files].filter(([other]) => other !== address)
    const total = others.reduce((sum, [, file]) => sum + file.bytes, bytes)
    return others.length < MAX_CONTRACTS && total <= this.#maxBytes
  }

  async #removeStale(
    files: Map<Address, StoredFile>,
    isCurrent: (summary: SourceSummary) => Promise<boolean>,
  ): Promise<void> {
    for (const address of [...files.keys()]) {
      const summary = await this.summary(address)
      if (summary === undefined || (await isCurrent(summary))) continue
      await rm(this.#pathOf(address), { force: true })
      files.delete(address)
    }
  }

  #known(): Promise<Map<Address, StoredFile>> {
    this.#files ??= listed(this.#directory).catch((error: unknown) => {
      // The next request lists it again.
      this.#files = undefined
      throw error
    })
    return this.#files
  }

  #pathOf(address: Address): string {
    return join(this.#directory, `${address}.json`)
  }
}

function summaryOf({ address, codeHash, verifiedAt, runtime, creation }: VerifiedSource): SourceSummary {
  return { address, codeHash, verifiedAt, runtime: { match: runtime.match }, creation: { match: creation.match } }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function listed(directory: string): Promise<Map<Address, StoredFile>> {
  const names = (await readdir(directory).catch(absent)) ?? []
  const files = new Map<Address, StoredFile>()
  for (const name of names) {
    const address = FILE.exec(name)?.[1] as Address | undefined
    const size = address && (await stat(join(directory, name)).catch(absent))?.size
    if (address !== undefined && size !== undefined) files.set(address, { bytes: size })
  }
  return files
}
