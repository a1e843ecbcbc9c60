import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** A system error of a disk. */
export type DiskErrorCode = 'ENOSPC' | 'EIO'

/** Milliseconds of a sync or commit at most on a sound disk. */
const SOUND_MS = 10

/** The faults of the disk of a machine. Default: none. */
export class DiskCondition {
  readonly #deps: { readonly scheduler: Scheduler; readonly random: Random }
  #slow = { factor: 1, until: 0 }
  #failing: { readonly code: DiskErrorCode; readonly until: number } | undefined
  #flips = 0
  /** Whether an operation failed, or gave wrong bytes, since the last start. */
  hasFailed = false
  /** Whether every operation takes the time of a sound disk. */
  isSound = false

  constructor(deps: { readonly scheduler: Scheduler; readonly random: Random }) {
    this.#deps = deps
  }

  slowDown(factor: number, durationMs: number): void {
    this.#slow = { factor, until: this.#deps.scheduler.now + durationMs }
  }

  /** Lets writes and syncs fail for a while. */
  fail(code: DiskErrorCode, durationMs: number): void {
    this.#failing = { code, until: this.#deps.scheduler.now + durationMs }
  }

  /** Lets the next reads of old files give wrong bytes once each. */
  flip(count: number): void {
    this.#flips = count
  }

  heal(): void {
    this.#slow = { factor: 1, until: 0 }
    this.#failing = undefined
    this.#flips = 0
  }

  /** Milliseconds that an operation takes. @param medianMs without faults */
  delay(medianMs: number): number {
    const { scheduler, random } = this.#deps
    const factor = scheduler.now < this.#slow.until ? this.#slow.factor : 1
    // A slow disk takes some seconds at most, so that the recovery is not one operation that began before.
    if (factor > 1) return factor * medianMs
    return this.isSound ? Math.min(SOUND_MS, medianMs) : random.delay(medianMs)
  }

  /** The error of an operation that ends now. */
  failure(): Error | undefined {
    const { scheduler } = this.#deps
    if (this.#failing === undefined || scheduler.now >= this.#failing.until) return undefined
    this.hasFailed = true
    const { code } = this.#failing
    return Object.assign(new Error(`${code}: simulated`), { code })
  }

  /** The bytes of a read as they arrive. */
  read(bytes: Buffer): Buffer {
    if (this.#flips === 0 || bytes.length === 0) return bytes
    this.#flips -= 1
    this.hasFailed = true
    const at = this.#deps.random.integer(bytes.length)
    bytes[at] = bytes[at]! ^ (1 << this.#deps.random.integer(8))
    return bytes
  }
}
