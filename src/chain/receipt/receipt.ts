import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { ForeignMembers } from '../foreign-members.ts'
import type { Log } from './log.ts'

export interface Receipt {
  readonly type: number
  /** Status 1 is success, 0 failure; before Byzantium (EIP-658) a state root instead. */
  readonly outcome: { readonly status: 0 | 1 } | { readonly stateRoot: Hash }
  /** Gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: number
  readonly gasUsed: number
  /** 256 bytes. */
  readonly logsBloom: Bytes
  readonly logs: readonly Log[]
  /** Index of the first log in the block. */
  readonly firstLogIndex: number
  readonly contractAddress: Address | null
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  /** EIP-4844 blob gas of a type 3 transaction, or the DA footprint on layer 2 (Jovian). */
  readonly blobGasUsed?: number
  /** Wei; layer 1 with blob transactions only. */
  readonly blobGasPrice?: bigint
  readonly deposit?: { readonly nonce: bigint; readonly version: bigint }
  /** Members that only the forked chain knows. */
  readonly foreign?: ForeignMembers
}
