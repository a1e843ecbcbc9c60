import type { AccessList } from '../../chain/transaction/transaction.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import type { Clock } from '../core/clock.ts'
import { type BlockPlace, openingSlots } from './opening-slots.ts'

export interface OpeningLoadsDeps {
  readonly fork: Pick<ChainFork, 'state' | 'isOffline' | 'noteSkippedCalls'>
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  readonly log: { warn(details: object, message: string): void }
}

/** Whether a block may be late. */
export interface OpeningPatience {
  /** Milliseconds; 0: the block is opened with what is there. */
  readonly patienceMs: number
}

/** Block numbers and seconds whose slots are loaded together. */
const AHEAD = 16
/** Milliseconds without further attempts after one that failed. */
const PAUSE_MS = 1_000

/**
 * Loads the slots that the calls at the start of blocks overwrite (EIP-2935, EIP-4788) before the blocks are due. A
 * block whose slots are not there leaves out the calls, so that the schedule does not depend on the upstream.
 */
export class OpeningLoads {
  readonly #deps: OpeningLoadsDeps
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** Whether the upstream was too slow for the last block that waited. No block waits again before it has replied. */
  #isLate = false
  /** Loads in progress. */
  #running = 0

  constructor(deps: OpeningLoadsDeps) {
    this.#deps = deps
  }

  /** Call before a block is opened. Never rejects. */
  async beforeOpening(block: BlockPlace, { patienceMs }: OpeningPatience): Promise<void> {
    const needed = openingSlots(block)
    const isAhead = this.#isComplete(openingSlots(block, AHEAD / 2))
    const loading =
      isAhead || (this.#running > 0 && patienceMs === 0) ? undefined : this.#load(openingSlots(block, AHEAD))
    if (this.#isComplete(needed)) return
    if (loading !== undefined && patienceMs > 0 && !this.#isLate) await this.#within(patienceMs, loading)
    if (this.#isComplete(needed)) return
    this.#deps.fork.noteSkippedCalls()
    if (this.#deps.fork.isOffline) return
    const { number } = block
    this.#deps.log.warn(
      { block: number },
      'a block starts without its calls of EIP-2935 and EIP-4788: slots are missing',
    )
  }

  #isComplete(list: AccessList): boolean {
    const { state } = this.#deps.fork
    return list.every((item) => state.has(item))
  }

  /** `undefined`: the upstream failed a moment ago, or there is none. */
  #load(list: AccessList): Promise<void> | undefined {
    const { fork, clock, log } = this.#deps
    if (fork.isOffline || clock.monotonic() < this.#pausedUntil) return undefined
    this.#running += 1
    return fork.state
      .prefetch(list)
      .then(
        () => {
          this.#isLate = false
        },
        (error: unknown) => {
          this.#pausedUntil = clock.monotonic() + PAUSE_MS
          log.warn({ err: error }, 'the slots for the start of the next blocks could not be loaded')
        },
      )
      .finally(() => {
        this.#running -= 1
      })
  }

  async #within(milliseconds: number, loading: Promise<void>): Promise<void> {
    const { clock } = this.#deps
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.at(clock.monotonic() + milliseconds, () => {
        this.#isLate = true
        resolve()
      })
    })
    await Promise.race([loading, late])
    cancel()
  }
}
