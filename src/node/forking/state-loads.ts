import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import { mayPass } from '../../fork/source/fork-error.ts'
import type { ExpectedCall } from '../../fork/state/prefetch.ts'
import { type Address, bytesToHex, type Hash, type Slot } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { emptyDiff } from '../../state/diff.ts'
import { MissingStateError } from '../../state/missing-state.ts'
import { stateChangeOf } from '../../state/records/record-kinds.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { TrieNodeError } from '../../state/trie/node-reading.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Clock } from '../core/clock.ts'
import type { NumberedRecord } from '../log/journal.ts'
import { OpeningLoads } from './opening-loads.ts'

/** Milliseconds after which something that could not be loaded is tried again. */
const RETRY_AFTER_MS = 1_000

export interface StateLoadsDeps {
  readonly fork: Pick<ChainFork, 'state' | 'prefetcher' | 'isOffline' | 'noteSkippedCalls'>
  readonly clock: Pick<Clock, 'monotonic' | 'at'>
  readonly log: { warn(details: object, message: string): void }
}

interface Failure {
  readonly error: unknown
  readonly at: number
}

/**
 * State that transactions of a forked chain lack. A transaction is set aside while its state loads, so that building
 * goes on with the others, and is offered again afterwards.
 */
export class StateLoads {
  /** State that the start of blocks needs. */
  readonly opening: OpeningLoads
  readonly #deps: StateLoadsDeps
  readonly #loading = new Map<Hash, Promise<void>>()
  readonly #failed = new Map<Hash, Failure>()
  readonly #prefetching = new Map<Hash, Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(deps: StateLoadsDeps) {
    const { fork, clock, log } = deps
    this.opening = new OpeningLoads({ fork, clock, log })
    this.#deps = deps
  }

  /** Ends the waits of `applied` for the upstream: they reject. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Whether a transaction is set aside. */
  isSetAside(hash: Hash): boolean {
    if (this.#loading.has(hash)) return true
    const failure = this.#failed.get(hash)
    return failure !== undefined && this.#deps.clock.monotonic() - failure.at < RETRY_AFTER_MS
  }

  /** Why the state of a transaction could not be loaded. */
  failureOf(hash: Hash): unknown {
    return this.#failed.get(hash)?.error
  }

  /** Resolves when one of the loads in progress ends; `undefined`: there is none. */
  next(): Promise<void> | undefined {
    return this.#loading.size === 0 ? undefined : Promise.race(this.#loading.values())
  }

  /**
   * Begins to load what the upstream says that a transaction will read. The transaction is not set aside before it
   * lacks something: the state may be there. It may be refused afterwards.
   */
  prefetch(transaction: PoolTransaction): void {
    const { hash } = transaction
    if (this.#prefetching.has(hash)) return
    const ended = this.#deps.fork.prefetcher
      .prefetch(callOf(transaction))
      // Missing state is loaded once more when it is needed, and a failure is reported then.
      .catch(() => undefined)
      .finally(() => this.#prefetching.delete(hash))
    this.#prefetching.set(hash, ended)
  }

  /** Sets a transaction aside until the state that it lacks, and what is being prefetched for it, are loaded. */
  add(hash: Hash, load: () => Promise<void>): void {
    const { clock, log } = this.#deps
    const loading = Promise.all([load(), this.#prefetching.get(hash)]).then(
      () => {
        this.#failed.delete(hash)
      },
      (error: unknown) => {
        log.warn({ err: error, hash }, 'the state for a transaction could not be loaded')
        this.#failed.set(hash, { error, at: clock.monotonic() })
      },
    )
    const ended = loading.then(() => {
      if (this.#loading.get(hash) === ended) this.#loading.delete(hash)
    })
    this.#loading.set(hash, ended)
  }

  /** Forgets a transaction that was included or dropped. */
  forget(hash: Hash): void {
    this.#failed.delete(hash)
  }

  /**
   * Applies a diff to a state trie. Nodes that are no longer cached are proven again, which is repeated while the
   * upstream fails: the block cannot go on without its root, and the node must not end.
   *
   * @throws ForkError when the upstream cannot prove the fork block any more, or after `stop`
   */
  applied(before: StateTrie, diff: StateDiff): MaybePromise<StateTrie> {
    try {
      return applied(before, diff)
    } catch (error) {
      if (!(error instanceof TrieNodeError)) throw error
      return this.#appliedOnceProven(before, diff)
    }
  }

  /** @throws MissingStateError unless `applied` would be synchronous */
  assertProven(before: StateTrie, diff: StateDiff): void {
    try {
      applied(before, diff)
    } catch (error) {
      if (!(error instanceof TrieNodeError)) throw error
      throw new MissingStateError('a part of the state trie', async () => {
        await this.#prove(diff)
        // Fails if other changes below this one lack their proofs.
        applied(before, diff)
      })
    }
  }

  /**
   * Recovers a chain. Where the cache no longer has the trie of the fork block, everything that the records change is
   * proven first.
   *
   * @throws ForkError; errors of `recover`
   */
  async recovered<T>(recover: () => Promise<T>, records: () => Iterable<NumberedRecord>): Promise<T> {
    try {
      return await recover()
    } catch (error) {
      if (!(error instanceof TrieNodeError)) throw error
    }
    const slots = new Map<Address, Set<Slot>>()
    for (const { record } of records()) {
      for (const [address, changed] of changedSlots(stateChangeOf(record) ?? emptyDiff())) {
        slots.set(address, new Set([...(slots.get(address) ?? []), ...changed]))
      }
    }
    await this.#deps.fork.state.prove(Array.from(slots, ([address, changed]) => ({ address, slots: [...changed] })))
    return recover()
  }

  async #appliedOnceProven(before: StateTrie, diff: StateDiff): Promise<StateTrie> {
    const { log } = this.#deps
    for (;;) {
      try {
        await this.#prove(diff)
        return applied(before, diff)
      } catch (error) {
        if (this.#stopping.signal.aborted || !mayPass(error)) throw error
        log.warn({ err: error }, 'a block waits for proofs of the upstream')
      }
      await this.#pause()
    }
  }

  #pause(): Promise<void> {
    const { clock } = this.#deps
    return new Promise((resolve) => {
      const cancel = clock.at(clock.monotonic() + RETRY_AFTER_MS, () => {
        this.#stopping.signal.removeEventListener('abort', end)
        resolve()
      })
      const end = () => {
        cancel()
        resolve()
      }
      this.#stopping.signal.addEventListener('abort', end, { once: true })
    })
  }

  /** Proofs of everything that a diff changes: the state may have been read without them, or not at all. */
  async #prove(diff: StateDiff): Promise<void> {
    await this.#deps.fork.state.prove(Array.from(changedSlots(diff), ([address, slots]) => ({ address, slots })))
  }
}

/** Changed accounts, each with its changed slots. */
function* changedSlots({ accounts, storage }: StateDiff): Iterable<readonly [Address, readonly Slot[]]> {
  for (const address of accounts.keys()) yield [address, [...(storage.get(address)?.keys() ?? [])]]
}

function callOf({ from, to, value, data, ...transaction }: PoolTransaction): ExpectedCall {
  const accessList = 'accessList' in transaction ? transaction.accessList : []
  return { from, to, value, data: bytesToHex(data), accessList }
}

function applied(before: StateTrie, diff: StateDiff): StateTrie {
  const after = before.apply(diff)
  // Computed on first access: in this step.
  void after.root
  return after
}
