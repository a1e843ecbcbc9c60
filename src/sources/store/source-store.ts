import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address } from '../../primitives/hex.ts'
import { VerificationError } from '../source-error.ts'
import type { VerifiedSource } from './verified-source.ts'

/** Contracts of a store: each has sources of up to 5 MB. */
const MAX_CONTRACTS = 10_000
/** Directory of the store in the data directory of a network. */
export const SOURCES_DIRECTORY = 'sources'

const FILE = /^(0x[0-9a-f]{40})\.json$/

/** Verified sources as files, one for each contract. */
export class SourceStore {
  readonly #directory: string
  /** Addresses of the files; `undefined` before they are listed. */
  #addresses: Promise<Set<Address>> | undefined

  /** @param options.directory is created with the first contract */
  constructor({ directory }: { readonly directory: string }) {
    this.#directory = directory
  }

  /** The contract of an address; `undefined`: there is none, or it was written by a newer version. */
  async get(address: Address): Promise<VerifiedSource | undefined> {
    if (!(await this.#known()).has(address)) return undefined
    const source = JSON.parse(await readFile(this.#pathOf(address), 'utf8')) as VerifiedSource
    return source.format === 1 ? source : undefined
  }

  /** @throws VerificationError `too_many_jobs` when the store is full */
  async put(source: VerifiedSource): Promise<void> {
    const known = await this.#known()
    if (known.size >= MAX_CONTRACTS && !known.has(source.address)) {
      throw new VerificationError('too_many_jobs', `the node stores sources of ${MAX_CONTRACTS} contracts at most`)
    }
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(source.address)
    // A crash leaves the former file or the new one.
    await writeFile(`${path}.new`, JSON.stringify(source), { flush: true, mode: 0o600 })
    await rename(`${path}.new`, path)
    known.add(source.address)
  }

  /** Addresses of all contracts, sorted. */
  async addresses(): Promise<readonly Address[]> {
    return [...(await this.#known())].sort()
  }

  #known(): Promise<Set<Address>> {
    this.#addresses ??= listed(this.#directory)
    return this.#addresses
  }

  #pathOf(address: Address): string {
    return join(this.#directory, `${address}.json`)
  }
}

async function listed(directory: string): Promise<Set<Address>> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return new Set(names.flatMap((name) => (FILE.exec(name)?.[1] as Address | undefined) ?? []))
}
