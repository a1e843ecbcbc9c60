import type { Address } from '../../primitives/hex.ts'
import type { Header } from '../block/header.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { GenesisAccount } from '../predeploys/predeploy.ts'

/** Block 0: chain configuration, accounts, and the header without the roots, which derive from them. */
export interface Genesis {
  readonly config: ChainConfig
  readonly header: Omit<Header, 'stateRoot' | 'withdrawalsRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>
  readonly alloc: ReadonlyMap<Address, GenesisAccount>
}
