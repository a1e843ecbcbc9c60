import type { Address } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { codeAt, deploymentOf, type NodeRequest } from '../chain/node-requests.ts'
import type { Compilation, CompileRequest } from '../compiler/compile-messages.ts'
import { compilerVersion, findCompiler, type InstalledCompiler } from '../compiler/installed-compilers.ts'
import { VerificationError } from '../source-error.ts'
import type { SourceStore } from '../store/source-store.ts'
import {
  bestMatch,
  type SourceSummary,
  type VerificationRequest,
  type VerifiedSource,
} from '../store/verified-source.ts'
import type { BuiltSources } from './built-sources.ts'
import { isBetter, type VerificationJob, VerificationQueue, verificationTime } from './verification-queue.ts'

/** Stored contracts that one listing compares with the chain. */
const MAX_EXAMINED = 1_000

/** Verified sources of one chain. */
export interface Sources {
  /** Begins a verification. @returns its identifier @throws VerificationError */
  submit(request: VerificationRequest): Promise<string>
  /** A verification, finished unless it takes longer than `patienceMs`. @throws VerificationError `job_not_found` */
  job(id: string, patienceMs: number): Promise<VerificationJob>
  /**
   * The sources of a contract; `undefined`: they are not verified.
   *
   * @param includesProject whether those of a project on the machine of the node count. Default: true.
   */
  source(address: Address, includesProject?: boolean): Promise<VerifiedSource | undefined>
  /** Contracts with verified sources behind an address, in the order of addresses. */
  list(after: Address | undefined, limit: number): Promise<readonly SourceSummary[]>
}

/** Sources for clients that may not read those of a project on the machine of the node. */
export function withoutProject(sources: Sources): Sources {
  return {
    submit: (request) => sources.submit(request),
    job: (id, patienceMs) => sources.job(id, patienceMs),
    source: (address) => sources.source(address, false),
    list: (after, limit) => sources.list(after, limit),
  }
}

export interface LocalSourcesDeps {
  readonly store: SourceStore
  readonly request: NodeRequest
  /** Compilers that are installed now: users install one while the node runs. */
  readonly compilers: () => readonly InstalledCompiler[]
  readonly compile: (request: Omit<CompileRequest, 'maxMemoryBytes'>) => Promise<Compilation>
  readonly now: () => Date
  readonly randomId: () => string
  /** Resolves after this many milliseconds. */
  readonly delay: (milliseconds: number) => Promise<void>
  readonly log: { error(details: object, message: string): void }
  /** Sources of a project on this machine. Default: none. */
  readonly built?: BuiltSources | undefined
}

/** The sources in the data directory of this node. */
export class LocalSources implements Sources {
  readonly #deps: LocalSourcesDeps
  readonly #queue: VerificationQueue

  constructor(deps: LocalSourcesDeps) {
    this.#deps = deps
    const { now, randomId, log } = deps
    this.#queue = new VerificationQueue({ verify: (request) => this.#verify(request), now, randomId, log })
  }

  async submit(request: VerificationRequest): Promise<string> {
    const { version } = compilerVersion(request.compilerVersion)
    const stored = await this.source(request.address, false)
    if (stored !== undefined && bestMatch(stored) === 'exact_match') throw alreadyVerified()
    findCompiler(this.#deps.compilers(), version)
    return this.#queue.add(request)
  }

  async job(id: string, patienceMs: number): Promise<VerificationJob> {
    await Promise.race([this.#queue.finished(id), this.#deps.delay(patienceMs)])
    const job = this.#queue.get(id)
    if (job === undefined) throw new VerificationError('job_not_found', `there is no verification ${id.slice(0, 80)}`)
    return job
  }

  async source(address: Address, includesProject = true): Promise<VerifiedSource | undefined> {
    const { store, request } = this.#deps
    const built = includesProject ? this.#deps.built : undefined
    const stored = await store.get(address)
    if (stored === undefined && built === undefined) return undefined
    const code = await codeAt(request, address)
    const codeHash = keccakHash(code)
    if (stored?.codeHash === codeHash) return stored
    // A fork does not have the history of the other chain.
    const deployment = () => deploymentOf(request, { address, code }).catch(() => undefined)
    return code.length === 0 ? undefined : built?.source({ address, code, codeHash }, deployment)
  }

  async list(after: Address | undefined, limit: number): Promise<readonly SourceSummary[]> {
    const { store } = this.#deps
    const addresses = (await store.addresses()).filter((address) => after === undefined || address > after)
    const found: SourceSummary[] = []
    for (const address of addresses.slice(0, MAX_EXAMINED)) {
      if (found.length >= limit) break
      const summary = await store.summary(address)
      if (summary !== undefined && (await this.#isCurrent(summary))) found.push(summary)
    }
    return found
  }

  /** Otherwise the chain was unwound, or the account has other code now. */
  async #isCurrent({ address, codeHash }: SourceSummary): Promise<boolean> {
    return keccakHash(await codeAt(this.#deps.request, address)) === codeHash
  }

  /** Fails verifications that wait, and waits for the one that runs. */
  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #verify(wanted: VerificationRequest): Promise<VerifiedSource> {
    const { request, compilers, compile, now, store } = this.#deps
    const { address, input, contract, creationTransactionHash } = wanted
    const code = await codeAt(request, address)
    if (code.length === 0) {
      throw new VerificationError('contract_not_deployed', `there is no contract at ${address} on this chain`)
    }
    const { version, commit } = compilerVersion(wanted.compilerVersion)
    const { directory } = findCompiler(compilers(), version)
    const [compilation, deployment] = await Promise.all([
      compile({ directory, input, contract, commit }),
      // A fork does not have the history of the other chain.
      deploymentOf(request, { address, code, hash: creationTransactionHash }).catch(() => undefined),
    ])
    // Loads the encoder of arguments.
    const { verifySource } = await import('./verify-source.ts')
    const source = verifySource(wanted, compilation, { code, deployment }, verificationTime(now()))
    if (!isBetter(source, await this.source(address, false))) throw alreadyVerified()
    await store.put(source, (summary) => this.#isCurrent(summary))
    return source
  }
}

function alreadyVerified(): VerificationError {
  return new VerificationError(
    'already_verified',
    'the contract is verified already, and the result is no better match',
  )
}
