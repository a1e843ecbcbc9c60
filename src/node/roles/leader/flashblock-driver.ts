import type { Logger } from 'pino'
import type { Clock } from '../../core/clock.ts'
import type { WorkMeter } from '../../core/node-settings.ts'
import type { BlockAssembler } from './block-assembler.ts'
import type { BlockDriver } from './block-driver.ts'
import type { Budget } from './budget.ts'
import type { OpeningPlan } from './next-block.ts'
import { gasRoom, nextOpening, nextSlot, type Schedule } from './schedule.ts'

export interface FlashblockDriverOptions {
  readonly schedule: Schedule
  /** Share of an interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** A block is open but never receives a transaction or a seal. */
  readonly standsStill: boolean
  /**
   * Unix milliseconds at which a block is sealed, where that follows from its number (Denim): none is skipped, and
   * overdue blocks come at once. Default: blocks follow the schedule from the instant at which the first was opened.
   */
  readonly sealTimeOf?: ((number: number) => number) | undefined
}

export interface FlashblockDriverDeps {
  readonly assembler: BlockAssembler
  readonly clock: Clock
  readonly log: Logger
  /** Building failed permanently: the open block cannot be continued. */
  readonly onFailure: (error: unknown) => void
  readonly meter?: WorkMeter | undefined
  /** Called when a block is sealed and the next one open; the schedule continues when it resolves. */
  readonly sealed?: (() => Promise<void>) | undefined
}

/** Maximum share of an interval for all yields, so that the flashblock is not late. */
const YIELD_SHARE = 0.1

/** Builds blocks on schedule, one slot at a time. */
export class FlashblockDriver implements BlockDriver {
  readonly #options: FlashblockDriverOptions
  readonly #deps: FlashblockDriverDeps
  #openedAt: number | undefined
  #slot = 0
  #cancel: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = true
  #missedSlots = 0

  constructor(options: FlashblockDriverOptions, deps: FlashblockDriverDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Whether the open block never receives a seal. */
  get standsStill(): boolean {
    return this.#options.standsStill
  }

  /** Slots that were skipped because earlier work took too long. */
  get missedSlots(): number {
    return this.#missedSlots
  }

  resumed(index: number): void {
    this.#slot = Math.min(index, this.#options.schedule.slots - 1)
    // Its newest flashblock is due now.
    const instant = this.#deps.clock.monotonic() - this.#slot * this.#options.schedule.intervalMs
    this.#openedAt = this.#ownOpening() ?? instant
  }

  opened(instant: number): void {
    this.#openedAt = this.#ownOpening() ?? instant
    this.#slot = 0
  }

  /** The instant at which the open block is opened by its own time. */
  #ownOpening(): number | undefined {
    const { schedule, sealTimeOf } = this.#options
    if (sealTimeOf === undefined) return undefined
    const { assembler, clock } = this.#deps
    const sealing = clock.monotonic() + sealTimeOf(assembler.attributes.number) - clock.wall()
    return sealing - schedule.blockTimeMs
  }

  run(): void {
    this.#isStopped = false
    this.#scheduleNext()
  }

  halt(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  async stop(): Promise<void> {
    this.halt()
    await this.#working
  }

  idle(): Promise<void> {
    return this.#working
  }

  /** On the present slots, so that flashblocks keep their times. */
  get openingTime(): number {
    const { intervalMs } = this.#options.schedule
    const now = this.#deps.clock.monotonic()
    return now - ((now - (this.#openedAt ?? now)) % intervalMs)
  }

  opening(instant: number): OpeningPlan {
    const { clock } = this.#deps
    const wallMs = clock.wall() - (clock.monotonic() - instant)
    return { wallMs, leadMs: this.#options.schedule.blockTimeMs, replaced: 0n }
  }

  #scheduleNext(): void {
    if (this.#isStopped || this.#options.standsStill) return
    const { clock } = this.#deps
    const next = nextSlot(this.#options.schedule, this.#openedAt!, this.#slot, clock.monotonic())
    this.#cancel = clock.at(next.at, () => {
      this.#working = this.#take().catch((error: unknown) => {
        this.#isStopped = true
        this.#deps.onFailure(error)
      })
    })
  }

  /** The slot that is due now; a late timer may have skipped earlier ones. */
  async #take(): Promise<void> {
    const { schedule } = this.#options
    const { assembler, clock, log, meter } = this.#deps
    const start = clock.monotonic()
    const { slot, at, missed } = nextSlot(schedule, this.#openedAt!, this.#slot, start)
    meter?.('lateness', Math.max(0, start - at))
    if (missed > 0) log.warn({ missed, slot }, 'missed flashblock slots')
    this.#missedSlots += missed
    this.#slot = slot
    if (slot < schedule.slots) await assembler.flashblock(this.#budget(slot))
    else await this.#seal()
    this.#scheduleNext()
  }

  async #seal(): Promise<void> {
    const { schedule, sealTimeOf } = this.#options
    const { assembler, clock, log } = this.#deps
    const parent = await assembler.seal(this.#budget(schedule.slots))
    const now = clock.monotonic()
    const next = sealTimeOf === undefined ? nextOpening(schedule, this.#openedAt!, now) : { at: now, missed: 0 }
    if (next.missed > 0) log.warn({ missed: next.missed }, 'missed whole blocks')
    this.#missedSlots += next.missed
    await assembler.open(parent, { ...this.opening(next.at), takesDeposits: true })
    this.opened(next.at)
    await this.#deps.sealed?.()
  }

  #budget(slot: number): Budget {
    const { schedule, timeBudget } = this.#options
    return {
      gas: gasRoom(schedule, slot, this.#deps.assembler.attributes.gasLimit),
      executionMs: schedule.intervalMs * timeBudget,
      yieldMs: schedule.intervalMs * YIELD_SHARE,
    }
  }
}
