import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { emptyDiff, isEmptyDiff } from '../../state/diff.ts'
import { MissingStateError, orMissing, whenLoaded } from '../../state/missing-state.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import {
  type NonceRefusal,
  type StateChanges,
  withAddedBalance,
  withBalance,
  withCode,
  withNonce,
  withStorage,
} from '../development/state-changes.ts'
import type { StateLoads } from '../forking/state-loads.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { Sequencing } from './sequencing.ts'

export interface LeaderStateChangesDeps {
  readonly sequencing: Sequencing
  readonly current: Pick<CurrentView, 'pool'>
  /** Loads the state of a forked chain. Default: the state is complete. */
  readonly loads?: StateLoads | undefined
}

/** State changes of a node that leads. */
export class LeaderStateChanges implements StateChanges {
  readonly #deps: LeaderStateChangesDeps

  constructor(deps: LeaderStateChangesDeps) {
    this.#deps = deps
  }

  /**
   * Changes state. The open block is sealed first if it has transactions; an empty change has no effect. On a fork, the
   * state that the change needs is loaded between operations: an upstream that is slow or fails must not delay or end
   * the node.
   *
   * @param change given the state that the next block follows; may be called several times
   * @throws ForkError when the state cannot be loaded; nothing changes then
   */
  async alter(change: (state: StateReader) => StateDiff): Promise<void> {
    const { sequencing, loads } = this.#deps
    const diffNow = () => {
      const { state, trie } = sequencing.newest
      const diff = change(state)
      loads?.assertProven(trie, diff)
      return diff
    }
    if (loads !== undefined) await whenLoaded(diffNow)
    await whenLoaded(async () => {
      const missing = await sequencing.exclusively(async () => {
        // Another operation may have changed the chain since the loads, or the cache evicted something.
        const early = orMissing(diffNow)
        if (early instanceof MissingStateError) return early
        if (isEmptyDiff(early)) return undefined
        const diff = (await sequencing.sealOpen()) ? orMissing(diffNow) : early
        if (diff instanceof MissingStateError) return diff
        await sequencing.alter(diff)
        return undefined
      })
      if (missing !== undefined) throw missing
    })
  }

  setBalance(address: Address, wei: bigint): Promise<void> {
    return this.alter((state) => withBalance(state, address, wei))
  }

  addBalance(address: Address, wei: bigint): Promise<void> {
    return this.alter((state) => withAddedBalance(state, address, wei))
  }

  setCode(address: Address, code: Bytes): Promise<void> {
    return this.alter((state) => withCode(state, address, code))
  }

  async setNonce(
    address: Address,
    nonce: bigint,
    { isGuarded }: { readonly isGuarded: boolean },
  ): Promise<NonceRefusal | undefined> {
    let refused: NonceRefusal | undefined
    await this.alter((state) => {
      refused = isGuarded ? this.#nonceRefusal(nonce, state.account(address)?.nonce ?? 0n) : undefined
      return refused === undefined ? withNonce(state, address, nonce) : emptyDiff()
    })
    return refused
  }

  setStorage(address: Address, slot: Slot, value: bigint): Promise<void> {
    return this.alter((state) => withStorage(state, address, slot, value))
  }

  #nonceRefusal(nonce: bigint, existing: bigint): NonceRefusal | undefined {
    if (nonce < existing) return { code: 'NONCE_TOO_LOW', nonce, existing }
    return this.#deps.current.pool.waiting().length > 0 ? { code: 'POOL_NOT_EMPTY' } : undefined
  }
}
