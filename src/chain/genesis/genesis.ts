import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import type { Header } from '../block/header.ts'
import type { ChainConfig } from '../forks/chain-config.ts'

export interface GenesisAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Bytes
  readonly storage: ReadonlyMap<Slot, bigint>
}

/** Block 0: chain configuration, accounts, and the header without the roots, which derive from them. */
export interface Genesis {
  readonly config: ChainConfig
  readonly header: Omit<Header, 'stateRoot' | 'withdrawalsRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>
  readonly alloc: ReadonlyMap<Address, GenesisAccount>
}
