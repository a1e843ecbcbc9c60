import type { Address, Hash } from '../../primitives/hex.ts'
import { createHeader, type Header } from '../block/header.ts'
import { EMPTY_TRIE_ROOT } from '../constants.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { rulesOf } from '../forks/rules.ts'
import type { GenesisAccount } from '../predeploys/predeploy.ts'
import { BLOOM_BYTES } from '../receipt/bloom.ts'

/** Block 0: chain configuration, accounts, and the header without the roots, which derive from them. */
export interface Genesis {
  readonly config: ChainConfig
  readonly header: Omit<Header, 'stateRoot' | 'withdrawalsRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>
  readonly alloc: ReadonlyMap<Address, GenesisAccount>
}

/**
 * The header of block 0.
 *
 * @param stateRoot of the accounts in `genesis.alloc`
 * @param withdrawalsRoot storage root of the message passer on layer 2. Default: no withdrawals
 * @example hashHeader(genesisHeader(genesis, stateRoot))
 */
export function genesisHeader(genesis: Genesis, stateRoot: Hash, withdrawalsRoot: Hash = EMPTY_TRIE_ROOT): Header {
  const { header, config } = genesis
  return createHeader({
    ...header,
    stateRoot,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(BLOOM_BYTES),
    ...(rulesOf(forkAt(config, header.number, header.timestamp)).hasWithdrawals && { withdrawalsRoot }),
  })
}
