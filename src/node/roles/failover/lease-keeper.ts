import type { Clock } from '../../core/clock.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import type { Lease } from './lease.ts'
import type { PeerIdentity } from './peers.ts'

export interface LeaseKeeperOptions {
  /** Milliseconds between attempts to acquire the lease. */
  readonly pollIntervalMs: number
  /** Milliseconds between renewals of a held lease. */
  readonly renewIntervalMs: number
  /**
   * Milliseconds for which only the last holder may acquire a free lease after an outage in which it could not renew
   * it.
   */
  readonly graceMs: number
}

export interface LeaseKeeperDeps {
  readonly lease: Lease
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
  /** Whether this node could lead. */
  readonly isWanted: () => boolean
  /** Called when this node can never hold the lease. */
  readonly onFailure: (error: unknown) => void
  /** Called with every change of the holder. */
  readonly onChange: (isHeld: boolean) => void
}

/**
 * Acquires a lease and renews it while it runs. It polls because NATS does not notify watchers when a key expires.
 * While the holder is unknown no role changes: the replicated log fences every node that must not publish.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #deps: LeaseKeeperDeps
  #isHeld = false
  /** Time since which the holder is known again; `undefined`: it is unknown. */
  #confirmedSince: number | undefined = Number.NEGATIVE_INFINITY
  #isStopped = true
  #cancel: () => void = () => undefined
  #running: Promise<void> = Promise.resolve()
  #loggedReason: string | undefined

  constructor(options: LeaseKeeperOptions, deps: LeaseKeeperDeps) {
    this.#options = options
    this.#deps = deps
  }

  start(): void {
    this.#isStopped = false
    this.#look()
  }

  /** Stops polling; the lease is not released. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#running
  }

  /** Releases the lease; the next attempt comes one interval later. */
  release(): Promise<void> {
    return this.#betweenLooks(async () => {
      this.#isHeld = false
      await this.#deps.lease.release().catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, 'the lease could not be given up: it ends by itself')
      })
    })
  }

  /**
   * Passes the lease to another node. `onChange` is called only if a third node holds it.
   *
   * @returns whether it was passed
   * @throws when the holder is unknown
   */
  pass(to: PeerIdentity): Promise<boolean> {
    return this.#betweenLooks(async () => {
      if (!this.#isHeld) return false
      const isPassed = await this.#deps.lease.pass(to)
      if (isPassed) this.#isHeld = false
      // The acknowledgement of a renewal may be lost: a look finds out who holds the lease.
      else await this.#hold()
      return isPassed
    })
  }

  /** As `Lease.takeBack`, without `onChange`. */
  takeBack(): Promise<boolean> {
    return this.#betweenLooks(async () => {
      // If the call throws, the next renewal finds out who holds the lease.
      this.#isHeld = true
      this.#isHeld = await this.#deps.lease.takeBack()
      return this.#isHeld
    })
  }

  /** Attempts to acquire or renew the lease now. @returns whether this node holds it */
  async look(): Promise<boolean> {
    await this.#betweenLooks(() => this.#hold())
    return this.#isHeld
  }

  async #betweenLooks<Result>(act: () => Promise<Result>): Promise<Result> {
    const acting = this.#pausedFor(act)
    this.#running = acting.then(
      () => undefined,
      () => undefined,
    )
    return acting
  }

  async #pausedFor<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#cancel()
    await this.#running
    this.#cancel()
    try {
      return await act()
    } finally {
      this.#schedule(this.#deps.clock.monotonic())
    }
  }

  #look(): void {
    const begun = this.#deps.clock.monotonic()
    this.#running = this.#hold().then(() => this.#schedule(begun))
  }

  #schedule(begun: number): void {
    if (this.#isStopped) return
    const { pollIntervalMs, renewIntervalMs } = this.#options
    this.#cancel()
    const interval = this.#isHeld && this.#confirmedSince !== undefined ? renewIntervalMs : pollIntervalMs
    this.#cancel = this.#deps.clock.at(begun + interval, () => this.#look())
  }

  async #hold(): Promise<void> {
    const { lease, clock, isWanted, onChange, log } = this.#deps
    if (!this.#isHeld && !isWanted()) return
    let isHeld: boolean
    try {
      const graceEnd = (this.#confirmedSince ?? Number.POSITIVE_INFINITY) + this.#options.graceMs
      isHeld = await lease.hold(this.#isHeld || clock.monotonic() >= graceEnd)
      this.#confirmedSince ??= clock.monotonic()
      this.#loggedReason = undefined
    } catch (error) {
      this.#confirmedSince = undefined
      if (error instanceof ReplicatedLogError && error.code === 'INCOMPATIBLE') {
        this.#isStopped = true
        this.#deps.onFailure(error)
        return
      }
      // The lease is polled several times per second: each reason is logged once, whatever it has measured.
      const reason = (error as Error).message.replace(/\d+/g, '#')
      if (reason !== this.#loggedReason) log.warn({ err: error }, 'the lease holder is unknown')
      this.#loggedReason = reason
      return
    }
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    if (!this.#isStopped) onChange(isHeld)
  }
}
