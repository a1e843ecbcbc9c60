import type { Call, Engine, SessionOptions } from '../../engine/types.ts'
import type { ServedSolo } from '../../node/roles/node-handle.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { RpcClient } from '../protocol/rpc-client.ts'
import type { ReleasedSlot } from './released-slot.ts'
import { ClientGoneError } from './time-slices.ts'

type ServedFork = NonNullable<ServedSolo['fork']>

/** The forked node as the waits of a request see it. */
export interface WaitedFork extends Pick<ServedFork, 'waitLimitMs' | 'waitError'> {
  readonly prefetcher: Pick<ServedFork['prefetcher'], 'prefetch'>
}

export interface ForkWaitsDeps {
  readonly clock: Pick<MonotonicClock, 'monotonic'>
  readonly fork: WaitedFork
  readonly client: Pick<RpcClient, 'isGone'>
}

/**
 * The waits of one request for state of the forked node. They do not count towards the time limits of the request,
 * which bound its own work, and have a limit of their own.
 */
export class ForkWaits {
  readonly #method: string
  readonly #clock: Pick<MonotonicClock, 'monotonic'>
  readonly #fork: WaitedFork
  readonly #client: Pick<RpcClient, 'isGone'>
  readonly #hinted = new Set<string>()
  #running = 0
  #startedAt = 0
  #endedMs = 0

  /** @param options.method that the client called */
  constructor(options: { readonly method: string }, deps: ForkWaitsDeps) {
    this.#method = options.method
    this.#clock = deps.clock
    this.#fork = deps.fork
    this.#client = deps.client
  }

  /** Milliseconds in which at least one load was in progress. */
  get totalMs(): number {
    return this.#endedMs + (this.#running === 0 ? 0 : this.#clock.monotonic() - this.#startedAt)
  }

  /**
   * Waits for a load.
   *
   * @throws ForkError FORK_TIMEOUT when the request has used its time for waiting; ClientGoneError; errors of `load`
   */
  async awaitLoad(load: () => Promise<void>): Promise<void> {
    // A request that waits uses no slices of time, at whose ends it would notice.
    if (this.#client.isGone()) throw new ClientGoneError('the client is gone')
    if (this.totalMs > this.#fork.waitLimitMs) throw this.#fork.waitError(this.#method)
    if (this.#running === 0) this.#startedAt = this.#clock.monotonic()
    this.#running += 1
    try {
      await load()
    } finally {
      this.#running -= 1
      if (this.#running === 0) this.#endedMs += this.#clock.monotonic() - this.#startedAt
    }
  }

  /**
   * Waits for a load of a call, without the slot of the request. With the first load, the upstream is asked what else
   * the call will read.
   *
   * @throws as `awaitLoad`; RpcError -32005 when too many requests wait for a slot
   */
  awaitState(load: () => Promise<void>, slot: ReleasedSlot, call: Call | undefined): Promise<void> {
    return slot.awaitState(() =>
      this.awaitLoad(async () => {
        await Promise.all([load(), call && this.#prefetch(call)])
      }),
    )
  }

  async #prefetch({ from, to, value, data: bytes, accessList }: Call): Promise<void> {
    const data = bytesToHex(bytes)
    // An estimate runs a call several times, with other gas limits.
    const key = `${from} ${to} ${value} ${data}`
    if (this.#hinted.has(key)) return
    this.#hinted.add(key)
    // A failure is ignored here: the call loads missing state again when it needs it, and reports a failure then.
    await this.#fork.prefetcher.prefetch({ from, to, value, data, accessList }).catch(() => undefined)
  }
}

/** An engine whose sessions wait for state as `waits` do, and without the slot. */
export function waitingEngine(
  engine: Engine,
  options: { readonly forkBlock: number },
  deps: { readonly waits: ForkWaits; readonly slot: ReleasedSlot },
): Engine {
  const { waits, slot } = deps
  return {
    config: engine.config,
    open(env, state, given) {
      // The upstream names reads as of the fork block: below it, they would be loaded in vain.
      const isHinted = env.number >= options.forkBlock
      const awaitState: SessionOptions['awaitState'] = (load, call) =>
        waits.awaitState(load, slot, isHinted ? call : undefined)
      return engine.open(env, state, { ...given, awaitState })
    },
    precompiles: (env) => engine.precompiles(env),
  }
}
