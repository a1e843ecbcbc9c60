import type { Address, Slot } from '../../../primitives/hex.ts'
import type { Account } from '../../account.ts'
import type { StateReader } from '../../state-reader.ts'

export interface CachingReader extends StateReader {
  /** Empties the cache, for a state whose snapshot is released. */
  clear(): void
}

/**
 * Caches reads of a state that never changes.
 *
 * @param limit accounts, and slots, in the cache; it is emptied when full
 */
export function cachingReader(state: StateReader, limit: number): CachingReader {
  const accounts = new Map<Address, Account | undefined>()
  const slots = new Map<string, bigint>()
  return {
    account(address) {
      const known = accounts.get(address)
      if (known !== undefined || accounts.has(address)) return known
      const account = state.account(address)
      if (accounts.size >= limit) accounts.clear()
      accounts.set(address, account)
      return account
    },
    storage(address: Address, slot: Slot) {
      const key = address + slot
      const known = slots.get(key)
      if (known !== undefined) return known
      const value = state.storage(address, slot)
      if (slots.size >= limit) slots.clear()
      slots.set(key, value)
      return value
    },
    // Not cached: needed only for a contract creation.
    hasStorage: (address) => state.hasStorage(address),
    code: (hash) => state.code(hash),
    blockHash: (number) => state.blockHash(number),
    clear() {
      accounts.clear()
      slots.clear()
    },
  }
}
