import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import type { WorkMeter } from '../core/work-meter.ts'
import type { BlockDriver } from './block-driver.ts'
import type { BlockAssembler } from './building/block-assembler.ts'
import type { Budget } from './building/budget.ts'
import type { OpeningPlan } from './building/next-block.ts'
import { gasRoom, nextOpening, nextSlot, type Schedule, type TimedBlock } from './building/schedule.ts'

export interface FlashblockDriverOptions {
  readonly schedule: Schedule
  /** Share of an interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** A block is open but never receives a transaction or a seal. */
  readonly standsStill: boolean
  /**
   * Schedule and time of a block, where they follow from its number (Denim): none is skipped, and overdue blocks come
   * at once. Default: blocks follow the schedule from the instant at which the first was opened.
   */
  readonly timed?: ((number: number) => TimedBlock) | undefined
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

/**
 * Validity predicates evaluated for a flashblock: 32 transactions with all 64. A transaction whose predicates do not
 * hold pays nothing: without a limit, such transactions of many senders use up the execution time of each flashblock.
 */
export const MAX_EVALUATED_PREDICATES = 2_048

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
    const { schedule } = this.#timing()
    this.#slot = Math.min(index, schedule.slots - 1)
    // Slots are counted from its newest flashblock, as if that one were due now: the pause does not count as missed.
    this.#openedAt = this.#deps.clock.monotonic() - this.#slot * schedule.intervalMs
  }

  opened(instant: number): void {
    this.#openedAt = instant
    this.#slot = 0
  }

  /** Schedule of the open block, and the instant at which that schedule begins. */
  #timing(): { readonly schedule: Schedule; readonly openedAt: number } {
    const { schedule, timed } = this.#options
    if (timed === undefined) return { schedule, openedAt: this.#openedAt! }
    const { assembler, clock } = this.#deps
    const own = timed(assembler.attributes.number)
    const sealing = clock.monotonic() + own.sealTimeMs - clock.wall()
    return { schedule: own.schedule, openedAt: sealing - own.schedule.blockTimeMs }
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
    const { schedule, openedAt } = this.#timing()
    const next = nextSlot(schedule, openedAt, this.#slot, clock.monotonic())
    this.#cancel = clock.at(next.at, () => {
      this.#working = this.#take().catch((error: unknown) => {
        this.#isStopped = true
        this.#deps.onFailure(error)
      })
    })
  }

  /** The slot that is due now; a late timer may have skipped earlier ones. */
  async #take(): Promise<void> {
    const { assembler, clock, meter } = this.#deps
    const start = clock.monotonic()
    const { schedule, openedAt } = this.#timing()
    const { slot, at, missed } = nextSlot(schedule, openedAt, this.#slot, start)
    meter?.('lateness', Math.max(0, start - at))
    if (missed > 0) this.#noteMissed(missed, { slot, isCatchingUp: start - at > schedule.blockTimeMs })
    this.#slot = slot
    if (slot < schedule.slots) await assembler.flashblock(this.#budget(schedule, slot))
    else await this.#seal(schedule)
    this.#scheduleNext()
  }

  /** Blocks that come at once after a pause have no flashblocks: one line for each would flood the log. */
  #noteMissed(missed: number, { slot, isCatchingUp }: { readonly slot: number; readonly isCatchingUp: boolean }): void {
    this.#missedSlots += missed
    this.#deps.log[isCatchingUp ? 'debug' : 'warn']({ missed, slot }, 'missed flashblock slots')
  }

  async #seal(schedule: Schedule): Promise<void> {
    const { assembler, clock, log } = this.#deps
    const parent = await assembler.seal(this.#budget(schedule, schedule.slots))
    const now = clock.monotonic()
    const isTimed = this.#options.timed !== undefined
    const next = isTimed ? { at: now, missed: 0 } : nextOpening(schedule, this.#openedAt!, now)
    if (next.missed > 0) log.warn({ missed: next.missed }, 'missed whole blocks')
    this.#missedSlots += next.missed
    await assembler.open(parent, { ...this.opening(next.at), takesDeposits: true })
    this.opened(next.at)
    await this.#deps.sealed?.()
  }

  #budget(schedule: Schedule, slot: number): Budget {
    const { timeBudget } = this.#options
    return {
      gas: gasRoom(schedule, slot, this.#deps.assembler.attributes.gasLimit),
      executionMs: schedule.intervalMs * timeBudget,
      predicates: MAX_EVALUATED_PREDICATES,
      yieldMs: schedule.intervalMs * YIELD_SHARE,
    }
  }
}
