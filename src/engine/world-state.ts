import type { Address, Bytes, Hash } from '../primitives/hex.ts'
import type { Account } from '../state/account.ts'
import type { StateDiff } from '../state/state-diff.ts'
import type { StateReader } from '../state/state-reader.ts'

/** A writable state on top of a readable one. Synchronous; `StateOverlay` implements it. */
export interface WorldState extends StateReader {
  /** `undefined` deletes the account and its storage. */
  setAccount(address: Address, account: Account | undefined): void
  /** Stores code and sets it as the account's, creating the account if necessary. */
  setCode(address: Address, code: Bytes): Hash
  /** Applies a diff. */
  apply(diff: StateDiff): void
  /** Everything written since the last call. */
  takeDiff(): StateDiff
  /** Opens a nested checkpoint and returns its number for `revert`. */
  checkpoint(): number
  /** Reverts to a checkpoint, by default the innermost; closes it and those inside it. */
  revert(checkpoint?: number): void
  /** Closes the innermost checkpoint and keeps its writes. */
  commit(): void
}
