import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Address } from '../../primitives/hex.ts'
import type { AccountChange } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Head } from '../machine/head.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'

/** Prefetches the trie nodes that pool transactions will change, so that building a flashblock need not read them. */
export class TriePrefetch {
  readonly #tries: Pick<RemoteTries, 'prefetch'> | undefined
  /** Accounts whose nodes were prefetched for the current open block. */
  #prefetched: { readonly trie: StateTrie; readonly addresses: Set<Address> } | undefined

  constructor({ tries }: { readonly tries?: Pick<RemoteTries, 'prefetch'> | undefined }) {
    this.#tries = tries
  }

  /** Call when a transaction enters the pool. */
  before({ from, to }: PoolTransaction, { base, pending: { trie } }: Pick<Head, 'base' | 'pending'>): void {
    // Nodes of a forked chain may be missing.
    if (base.below !== undefined) return
    if (this.#prefetched?.trie !== trie) this.#prefetched = { trie, addresses: new Set() }
    const { addresses } = this.#prefetched
    // Most transactions share sender and recipient with an earlier one.
    if (addresses.has(from) && (to === null || addresses.has(to))) return
    const added = (to === null ? [from] : [from, to]).filter((address) => !addresses.has(address))
    for (const address of added) addresses.add(address)
    if (this.#tries?.prefetch(added) === true) return
    const unknown = { account: undefined, storageCleared: false }
    const accounts = new Map<Address, AccountChange>(added.map((address) => [address, unknown]))
    trie.prefetch({ accounts, storage: new Map(), code: new Map() })
  }
}
