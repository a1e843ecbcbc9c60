import type { Hash } from '../../primitives/hex.ts'
import { createHeader, type Header } from '../block/header.ts'
import { EMPTY_TRIE_ROOT } from '../constants.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { rulesOf } from '../forks/rules.ts'
import { BLOOM_BYTES } from '../receipt/bloom.ts'
import type { Genesis } from './genesis.ts'

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
