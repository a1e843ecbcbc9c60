import type { Address } from '../../primitives/hex.ts'
import { type SourceErrorReason, VerificationError } from '../source-error.ts'
import { bestMatch, type VerificationRequest, type VerifiedSource } from '../store/verified-source.ts'

/** Verifications that wait, beside the one that runs. */
const MAX_WAITING = 16
/** Finished verifications whose result can be read. */
const MAX_FINISHED = 1_000

/** A verification as clients see it. */
export interface VerificationJob {
  readonly id: string
  readonly address: Address
  readonly startedAt: string
  readonly finishedAt?: string
  /** The result; absent while it is not finished, and if it failed. */
  readonly matches?: Pick<VerifiedSource, 'runtime' | 'creation' | 'verifiedAt'>
  readonly error?: { readonly code: SourceErrorReason; readonly message: string }
}

export interface VerificationQueueDeps {
  /** @throws VerificationError */
  readonly verify: (request: VerificationRequest) => Promise<VerifiedSource>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: { error(details: object, message: string): void }
}

/** Runs verifications one after the other: each may take all memory that the node allows a compiler. */
export class VerificationQueue {
  readonly #deps: VerificationQueueDeps
  /** Oldest first. */
  readonly #jobs = new Map<string, VerificationJob>()
  readonly #ends = new Map<string, Promise<void>>()
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: VerificationQueueDeps) {
    this.#deps = deps
  }

  /** @returns the identifier of the verification @throws VerificationError `too_many_jobs` */
  add(request: VerificationRequest): string {
    if (this.#isClosed) throw stopping()
    if (this.#ends.size > MAX_WAITING) {
      throw new VerificationError('too_many_jobs', 'too many verifications wait on this node: try again in a minute')
    }
    const { now, randomId } = this.#deps
    const id = randomId()
    this.#jobs.set(id, { id, address: request.address, startedAt: verificationTime(now()) })
    this.#last = this.#last.then(() => this.#run(id, request))
    this.#ends.set(id, this.#last)
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size > MAX_FINISHED) this.#jobs.delete(oldest!)
    return id
  }

  get(id: string): VerificationJob | undefined {
    return this.#jobs.get(id)
  }

  /** Resolves when a verification is finished; at once if it is unknown. */
  async finished(id: string): Promise<void> {
    await this.#ends.get(id)
  }

  /** Fails the verifications that wait. Resolves when the one that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
  }

  async #run(id: string, request: VerificationRequest): Promise<void> {
    const result = await this.#resultOf(request)
    this.#jobs.set(id, { ...this.#jobs.get(id)!, ...result, finishedAt: verificationTime(this.#deps.now()) })
    this.#ends.delete(id)
  }

  async #resultOf(request: VerificationRequest): Promise<Pick<VerificationJob, 'matches' | 'error'>> {
    try {
      if (this.#isClosed) throw stopping()
      const { runtime, creation, verifiedAt } = await this.#deps.verify(request)
      return { matches: { runtime, creation, verifiedAt } }
    } catch (error) {
      if (error instanceof VerificationError) return { error: { code: error.code, message: error.message } }
      this.#deps.log.error({ err: error, address: request.address }, 'a verification failed unexpectedly')
      return { error: { code: 'internal_error', message: 'internal error: the log of the node says more' } }
    }
  }
}

function stopping(): VerificationError {
  return new VerificationError('internal_error', 'the node stops: verify again after its next start')
}

export function verificationTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`
}

/** Whether a result adds to what is stored. */
export function isBetter(source: VerifiedSource, stored: VerifiedSource | undefined): boolean {
  return stored === undefined || (bestMatch(source) === 'exact_match' && bestMatch(stored) !== 'exact_match')
}
