import type { Bytes, Slot } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { secureKey } from './secure-key.ts'
import type { TrieChange } from './update.ts'

/** Changes of an account's storage trie. */
export function slotChanges(slots: ReadonlyMap<Slot, bigint>): TrieChange<Bytes>[] {
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
