import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { ChainFork } from '../../fork/chain-fork.ts'
import { bytesToHex, type Hash, type Hex, type Slot } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import { TrieNodeError } from '../../state/trie/node-reading.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Clock } from '../core/clock.ts'

/** Milliseconds for which a transaction whose state could not be loaded is not tried again. */
const RETRY_AFTER_MS = 1_000

export interface StateLoadsDeps {
  readonly fork: Pick<ChainFork, 'state' | 'prefetcher'>
  readonly clock: Pick<Clock, 'monotonic'>
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
  readonly #deps: StateLoadsDeps
  readonly #loading = new Map<Hash, Promise<void>>()
  readonly #failed = new Map<Hash, Failure>()

  constructor(deps: StateLoadsDeps) {
    this.#deps = deps
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

  /** Loads what the upstream says that a transaction will read. */
  prefetch({ hash, from, to, value, data, ...transaction }: PoolTransaction): void {
    const accessList = 'accessList' in transaction ? transaction.accessList : []
    const call = { from, to, value, data: bytesToHex(data), accessList }
    this.add(hash, () => this.#deps.fork.prefetcher.prefetch(call))
  }

  /** Sets a transaction aside until its state is loaded. */
  add(hash: Hash, load: () => Promise<void>): void {
    const { clock, log } = this.#deps
    const before = this.#loading.get(hash) ?? Promise.resolve()
    const loading = before.then(load).then(
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

  /** Applies a diff to a state trie. Nodes that are no longer cached are proven again. */
  applied(before: StateTrie, diff: StateDiff): MaybePromise<StateTrie> {
    try {
      return applied(before, diff)
    } catch (error) {
      if (!(error instanceof TrieNodeError)) throw error
      return this.prove(diff).then(() => applied(before, diff))
    }
  }

  /** Obtains proofs of everything that a diff changes: the state may have been read without them, or not at all. */
  async prove({ accounts, storage }: StateDiff): Promise<void> {
    await this.#deps.fork.state.prove(
      [...accounts.keys()].map((address) => ({
        address,
        slots: [...(storage.get(address)?.keys() ?? [])] as readonly Hex[] as readonly Slot[],
      })),
    )
  }
}

function applied(before: StateTrie, diff: StateDiff): StateTrie {
  const after = before.apply(diff)
  // Computed on first access: in this step.
  void after.root
  return after
}
