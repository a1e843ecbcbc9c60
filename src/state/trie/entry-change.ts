import type { Bytes, Slot } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { clearsStorage } from '../diff.ts'
import type { AccountChange } from '../state-diff.ts'
import { type AccountEntry, encodeAccount, storageRootIn } from './account-entry.ts'
import { rootReference, unresolvedNode } from './node.ts'
import { secureKey } from './secure-key.ts'
import type { TrieContext } from './trie-context.ts'
import { type TrieChange, update } from './update.ts'

/** The trie of an account's storage. */
interface StorageContext {
  /** See TrieContext. */
  readonly stored: number
  /** Called only for an account whose slots change: most change only their nonce and balance. */
  readonly words: () => TrieContext<Bytes>
}

/** The entry of an account after its change, `undefined` if it is deleted; the same object if nothing changes. */
export function entryAfter(
  before: AccountEntry | undefined,
  change: AccountChange,
  slots: ReadonlyMap<Slot, bigint> | undefined,
  { stored, words }: StorageContext,
): AccountEntry | undefined {
  if (change.account === undefined) return undefined
  const kept = clearsStorage(change) ? undefined : before?.storage
  const storage = slots === undefined ? kept : update(kept, slotChanges(slots), words())
  const isKept = before !== undefined && storage === before.storage
  const storageRoot =
    storage === undefined
      ? undefined
      : isKept
        ? storageRootIn(before.encoding)
        : rootReference(storage, (word: Bytes) => word)
  const encoding = encodeAccount(change.account, storageRoot)
  if (isKept && sameBytes(encoding, before.encoding)) return before
  const isStored = isKept && storage !== undefined && storage.version <= stored
  return { encoding, storage: isStored ? unresolvedNode(storageRootIn(encoding)) : storage }
}

function slotChanges(slots: ReadonlyMap<Slot, bigint>): TrieChange<Bytes>[] {
  const changes: TrieChange<Bytes>[] = []
  for (const [slot, value] of slots) {
    const word = value === 0n ? undefined : encodeRlp(value)
    const after = (before: Bytes | undefined) =>
      before !== undefined && word !== undefined && sameBytes(before, word) ? before : word
    changes.push({ key: secureKey(slot), after })
  }
  return changes
}

export function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false
  }
  return true
}
