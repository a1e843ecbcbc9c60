import type { Clock } from '../../core/clock.ts'
import type { Lease } from './lease.ts'

export interface LeaseKeeperOptions {
  /** Milliseconds between looks whether the lease is free. */
  readonly pollInterval: number
  /** Milliseconds between renewals of one that is held. */
  readonly renewInterval: number
  /** Milliseconds that a free lease is left to the node that had it, after nobody could renew it for some time. */
  readonly settling: number
}

export interface LeaseKeeperParts {
  readonly lease: Lease
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
  /** Whether this node could do something with it. */
  readonly isWanted: () => boolean
  /** Hears of every change, and of nothing else. */
  readonly onChange: (isHeld: boolean) => void
}

/**
 * Tries to get a lease and to keep it, for as long as it runs. Watching would be no help: NATS tells nobody that a key's time
 * is over. While it cannot be known whose the lease is, nothing changes: the shared log lets nobody through who should not.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #parts: LeaseKeeperParts
  #isHeld = false
  /** Since when it is known again whose the lease is; `undefined`: it is not. */
  #knownSince: number | undefined = Number.NEGATIVE_INFINITY
  #isStopped = true
  #cancel: () => void = () => undefined
  #running: Promise<void> = Promise.resolve()
  #told: string | undefined

  constructor(options: LeaseKeeperOptions, parts: LeaseKeeperParts) {
    this.#options = options
    this.#parts = parts
  }

  start(): void {
    this.#isStopped = false
    this.#look()
  }

  /** Tries no more; the lease stays whose it is. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#running
  }

  /** Gives the lease up; it is tried for again after one more interval. */
  async release(): Promise<void> {
    this.#cancel()
    await this.#running
    this.#cancel()
    this.#isHeld = false
    await this.#parts.lease.release().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'the lease could not be given up: it ends by itself')
    })
    this.#schedule(this.#parts.clock.monotonic())
  }

  #look(): void {
    const begun = this.#parts.clock.monotonic()
    this.#running = this.#hold().then(() => this.#schedule(begun))
  }

  #schedule(begun: number): void {
    if (this.#isStopped) return
    const { pollInterval, renewInterval } = this.#options
    this.#cancel()
    const interval = this.#isHeld && this.#knownSince !== undefined ? renewInterval : pollInterval
    this.#cancel = this.#parts.clock.at(begun + interval, () => this.#look())
  }

  async #hold(): Promise<void> {
    const { lease, clock, isWanted, onChange, log } = this.#parts
    if (!this.#isHeld && !isWanted()) return
    let isHeld: boolean
    try {
      const settled = (this.#knownSince ?? Number.POSITIVE_INFINITY) + this.#options.settling
      isHeld = await lease.hold(this.#isHeld || clock.monotonic() >= settled)
      this.#knownSince ??= clock.monotonic()
      this.#told = undefined
    } catch (error) {
      this.#knownSince = undefined
      const reason = (error as Error).message
      // It is asked for several times a second: why is told once.
      if (reason !== this.#told) log.warn({ err: error }, 'it is not known who has the lease')
      this.#told = reason
      return
    }
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    if (!this.#isStopped) onChange(isHeld)
  }
}
