import type { Withdrawal } from '../../chain/block/block.ts'
import { encodeWithdrawal } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { EMPTY_REQUESTS_HASH, MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Hash } from '../../primitives/hex.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { BlockEnv } from '../types.ts'

/** Members of a header that follow from what the transactions of its block used, and from the end of the block. */
export type ClosingMembers = Pick<Header, 'gasUsed' | 'withdrawalsRoot' | 'blobGasUsed' | 'requestsHash'>

export interface BlockEnd {
  /** Sums over all transactions. `blobGasUsed` is EIP-4844 blob gas, or the DA footprint on layer 2. */
  readonly used: { readonly gasUsed: number; readonly blobGasUsed: number }
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** Default: no requests. */
  readonly requestsHash: Hash | undefined
  /** After the block. `undefined` for a simulated block, whose `withdrawalsRoot` is that of its withdrawals. */
  readonly trie: Pick<StateTrie, 'storageRoot'> | undefined
}

/** The same for a block that is built, executed to verify it, or simulated; members that its fork lacks are absent. */
export function closingMembers(
  { fork, layer2 }: Pick<BlockEnv, 'fork' | 'layer2'>,
  { used, withdrawals = [], requestsHash = EMPTY_REQUESTS_HASH, trie }: BlockEnd,
): ClosingMembers {
  const { hasWithdrawals, hasBlobFee, hasRequests } = rulesOf(fork)
  // On layer 2 this member holds the storage root of the message passer (OP-stack specs: Isthmus).
  const passer = layer2?.hasMessagePasserRoot ? trie : undefined
  return {
    gasUsed: used.gasUsed,
    withdrawalsRoot: hasWithdrawals
      ? (passer?.storageRoot(MESSAGE_PASSER_ADDRESS) ?? orderedRoot(withdrawals.map(encodeWithdrawal)))
      : undefined,
    blobGasUsed: hasBlobFee ? used.blobGasUsed : undefined,
    requestsHash: hasRequests ? requestsHash : undefined,
  }
}
