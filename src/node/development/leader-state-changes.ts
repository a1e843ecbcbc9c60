import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { CurrentView } from '../core/current-view.ts'
import type { Sequencing } from '../roles/leader/sequencing.ts'
import {
  type NonceRefusal,
  type StateChanges,
  withAddedBalance,
  withBalance,
  withCode,
  withNonce,
  withStorage,
} from './state-changes.ts'

export interface LeaderStateChangesDeps {
  readonly sequencing: Sequencing
  readonly current: Pick<CurrentView, 'waiting'>
}

/** State changes of a node that leads. */
export class LeaderStateChanges implements StateChanges {
  readonly #deps: LeaderStateChangesDeps

  constructor(deps: LeaderStateChangesDeps) {
    this.#deps = deps
  }

  alter(change: (state: StateReader) => StateDiff): Promise<void> {
    return this.#deps.sequencing.alter(change)
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
    return this.#deps.current.waiting().length > 0 ? { code: 'POOL_NOT_EMPTY' } : undefined
  }
}
