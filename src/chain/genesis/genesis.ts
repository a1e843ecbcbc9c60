import type { Address, Bytes, Slot } from '../../primitives/hex.ts'
import type { Header } from '../block/header.ts'
import type { ChainConfig } from '../forks/chain-config.ts'

export interface GenesisAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Bytes
  readonly storage: ReadonlyMap<Slot, bigint>
}

/** Block 0: its rules, its accounts, and its header members but for the roots, which follow from them. */
export interface Genesis {
  readonly config: ChainConfig
  readonly header: Omit<Header, 'stateRoot' | 'withdrawalsRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>
  readonly alloc: ReadonlyMap<Address, GenesisAccount>
}
