import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { Account } from '../state/account.ts'
import type { StateDiff } from '../state/state-diff.ts'
import type { StateReader } from '../state/state-reader.ts'

/** A state that executing writes, on top of one that it reads. Synchronous; `StateOverlay` is one. */
export interface WorldState extends StateReader {
  /** `undefined` deletes the account and its storage. */
  setAccount(address: Address, account: Account | undefined): void
  /** Stores the code and gives it to the account, which is created where there is none. */
  setCode(address: Address, code: Bytes): Hash
  /** Writes what a diff holds. */
  apply(diff: StateDiff): void
  /** Everything written since the last call. */
  takeDiff(): StateDiff
  /** Opens a checkpoint, inside those that are open. The answer names it for `revert`. */
  checkpoint(): number
  /** Back to the state at a checkpoint, by default the innermost; closes it and those inside it. */
  revert(checkpoint?: number): void
  /** Closes the innermost checkpoint and keeps what was written in it. */
  commit(): void
}
