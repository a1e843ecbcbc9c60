import type { Logger } from 'pino'
import type { L1Attributes } from '../../chain/system-transactions/l1-attributes.ts'
import { isSimulated, type L1Origin } from '../../chain/system-transactions/simulated-l1.ts'
import type { UserDeposit } from '../../chain/system-transactions/user-deposit.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import type { Hash } from '../../primitives/hex.ts'

/** A deposit with the index of its event in its block of layer 1. */
export interface DepositLog {
  readonly deposit: UserDeposit
  readonly logIndex: bigint
}

/** A block of layer 1, as far as layer 2 needs it. */
export interface L1Block extends L1Origin, Pick<L1Attributes, 'baseFee' | 'blobBaseFee'> {
  readonly parentHash: Hash
  readonly prevRandao: Hash
  readonly parentBeaconBlockRoot: Hash
  /** In the order of their events. */
  readonly deposits: readonly DepositLog[]
}

/** Reads layer 1. Both methods reject while it cannot be read. */
export interface L1Reader {
  /** Number of the newest block that may become an origin. */
  newest(): Promise<bigint>
  /** `undefined`: there is no such block. */
  block(number: bigint): Promise<L1Block | undefined>
}

export interface L1ChainDeps {
  readonly reader: L1Reader
  readonly clock: MonotonicClock
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Milliseconds between looks at layer 1, whose blocks come every 12 seconds. */
const INTERVAL_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** Blocks that are read ahead: more than layer 2 can use before the next look. */
const MOST_AHEAD = 32

/**
 * The blocks of a real layer 1 that become the origins of coming blocks, one after the other. Layer 1 is read in the
 * background and only while blocks are built, so that its failures never delay one: the chain then stays on its origin.
 */
export class L1Chain {
  readonly #deps: L1ChainDeps
  /** Successors of `#origin`, without gaps. */
  #ahead: L1Block[] = []
  /** The origin on which `#ahead` follows; `undefined`: the chain has none yet. */
  #origin: L1Origin | undefined
  #isReading = false
  #readsAt = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(deps: L1ChainDeps) {
    this.#deps = deps
  }

  /**
   * The origin after one, if it is known and not younger than the block.
   *
   * @param origin of the parent; a simulated one, or none, is followed by the newest block of layer 1
   * @param timestamp of the block, in Unix seconds
   */
  after(origin: L1Origin | undefined, timestamp: bigint): L1Block | undefined {
    const current = origin === undefined || isSimulated(origin) ? undefined : origin
    if (current?.hash !== this.#origin?.hash) {
      const used = this.#ahead.findIndex(({ hash }) => hash === current?.hash)
      this.#ahead = used < 0 ? [] : this.#ahead.slice(used + 1)
      this.#origin = current
    }
    this.#readInBackground()
    const next = this.#ahead[0]
    return next !== undefined && next.timestamp <= timestamp ? next : undefined
  }

  #readInBackground(): void {
    const { clock, log } = this.#deps
    if (this.#isReading || clock.monotonic() < this.#readsAt || this.#ahead.length >= MOST_AHEAD) return
    this.#isReading = true
    this.#read()
      .then(
        () => {
          if (this.#failures > 0) log.info('layer 1 can be read again')
          this.#failures = 0
          this.#readsAt = clock.monotonic() + INTERVAL_MS
        },
        (error: unknown) => {
          const waitMs = Math.min(LONGEST_WAIT_MS, INTERVAL_MS * 2 ** Math.min(this.#failures, 10))
          // One line for each outage.
          if (this.#failures === 0) log.warn({ err: error }, 'layer 1 cannot be read: blocks keep their L1 origin')
          this.#failures += 1
          this.#readsAt = clock.monotonic() + waitMs
        },
      )
      .finally(() => {
        this.#isReading = false
      })
  }

  async #read(): Promise<void> {
    const { reader } = this.#deps
    const newest = await reader.newest()
    for (;;) {
      const origin = this.#origin
      const last = this.#ahead.at(-1) ?? origin
      const number = last === undefined ? newest : last.number + 1n
      if (number > newest || this.#ahead.length >= MOST_AHEAD) return
      const block = await reader.block(number)
      if (block === undefined) return
      // Meanwhile a block with another origin may have been opened.
      if (origin?.hash !== this.#origin?.hash || (this.#ahead.at(-1) ?? origin)?.hash !== last?.hash) continue
      if (last !== undefined && block.parentHash !== last.hash) {
        this.#ahead = []
        throw new Error(`block ${number} of layer 1 does not follow block ${last.hash}: layer 1 was reorganized`)
      }
      this.#ahead.push(block)
    }
  }
}
