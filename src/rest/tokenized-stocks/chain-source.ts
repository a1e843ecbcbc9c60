import type { Header } from '../../chain/block/header.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import type { Upgrade } from '../../chain/forks/upgrades.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { AccountProof } from '../../node/tools/read-proof/recorded-state.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'

/** A read of a contract: a call from the zero address whose writes are discarded. */
export interface ContractCall {
  readonly to: Address
  readonly data: Bytes
}

/** Outcome of a read with the limits of `eth_call`. */
export type CallResult =
  /** Empty for an address without code. */
  | { readonly kind: 'returned'; readonly output: Bytes }
  /** The contract reverted, halted or needed more gas or time. Equal failures have equal messages and data. */
  | { readonly kind: 'failed'; readonly message: string; readonly data: Bytes }

/** Reads at one block, in its environment. Must be closed. */
export interface BlockReads {
  /**
   * Results of the calls in order. Each call runs on the state of the block and does not see writes of the others.
   *
   * @throws StatusError `unavailable` or `deadlineExceeded` when the chain cannot be reached
   * @throws BlockReplaced when a reorganisation replaced the block and it cannot be read by hash
   */
  call(calls: readonly ContractCall[]): Promise<readonly CallResult[]>
  /**
   * Code of the addresses in order; empty for an address without code.
   *
   * @throws as `call`
   */
  code(addresses: readonly Address[]): Promise<readonly Bytes[]>
  close(): void
}

/** A search of the logs of a range of blocks. */
export interface LogScan {
  readonly query: LogQuery
  readonly from: number
  /** Inclusive; at most the block of the reads. */
  readonly to: number
  /**
   * Called with each matching log, in the order of the chain.
   *
   * @returns whether further logs of its address are needed; after `false` none of them is passed
   */
  readonly visit: (match: LogMatch) => boolean
}

/** Reads at one block and of the logs up to it. Must be closed. */
export interface ChainReads extends BlockReads {
  /**
   * Searches logs. Collects none of them, so that the memory does not depend on their number.
   *
   * @returns the lowest block of the range that was searched: those below it are not kept, or the upstream refuses
   * them. `undefined`: the search was ended by its time limit, and some of the logs were not passed.
   * @throws as `call`
   */
  scanLogs(scan: LogScan): Promise<number | undefined>
  /**
   * Whether a sealed block is the block of the reads or one of its ancestors that are kept.
   *
   * @throws as `call`
   */
  isOnChain(block: ChainPoint): Promise<boolean>
  /** Earlier blocks of the same chain; absent in sources that need a request for each of them. */
  readonly ancestors?: Ancestors
  /** Accounts that may hold tokens; absent in sources without an index of them. */
  readonly holders?: HolderSource
}

/** Accounts that may hold tokens: from the index of stored blocks, from logs of later blocks, and from block 0. */
export interface HolderSource {
  /** The first and the last block whose recipients the index has. */
  readonly indexed: { readonly from: number; readonly to: number }
  /** The first block whose transfers can be searched: 0, or on a fork the one after the fork block. */
  readonly first: number
  /** Accounts of block 0, in order; empty on a fork. */
  readonly genesis: readonly Address[]
  /** Whether a token has no transfers and balances before `first`. */
  beginsHere(token: Address): Promise<boolean>
  /**
   * Recipients of transfers of a token in the order of their addresses.
   *
   * @param range `from`: the lowest address
   */
  recipients(token: Address, range: { readonly from: Address; readonly limit: number }): readonly Recipient[]
}

/** An account that has received units of a token. */
export interface Recipient {
  readonly holder: Address
  /** Block of the first transfer to it. */
  readonly since: number
}

/** The blocks up to the block of the reads, which stay readable as long as the reads are open. */
export interface Ancestors {
  /** The oldest block of this chain that is kept. */
  readonly oldestBlock: number
  /** The oldest block whose state can be read. */
  readonly oldestState: number
  /** On a fork: the block that it forks; another node has the earlier ones. */
  readonly forkBlock: number | undefined
  /** Whether the reads of these blocks together have used the time of a call, which begins with the first look. */
  readonly isTimeOver: boolean
  /**
   * @param number at most that of the block of the reads
   * @throws StatusError `notFound` when the block is not kept
   */
  at(number: number): Promise<SourceBlock>
}

/** A block of a chain. */
export interface ChainPoint {
  readonly number: number
  readonly hash: Hash
}

/** A block as one request sees it. Reads at blocks with equal hashes are equal. */
export interface SourceBlock extends ChainPoint {
  /** For the open block, the hash of its current header, which changes with each non-empty flashblock. */
  readonly hash: Hash
  /** `undefined` where the source does not know it. */
  readonly parentHash: Hash | undefined
  /** Unix seconds. */
  readonly timestamp: bigint
  /** `open`: not sealed yet. `final`: no reorganisation can replace it. */
  readonly status: 'open' | 'sealed' | 'final'
  /**
   * Must be called in the same synchronous step in which the block was obtained.
   *
   * @throws StatusError `notFound` when the state of the block is pruned
   */
  open(): ChainReads
  /**
   * Reads with proofs of everything that was read, with the limits `PROOF_LIMITS` for each call. Absent in sources
   * without state tries. Must be called as `open`.
   *
   * @throws StatusError `notFound` beyond the proof window; `failedPrecondition` when a contract reads what no proof
   * shows
   */
  prove?<T>(read: (reads: BlockReads) => Promise<T>): Promise<Proven<T>>
}

/** A block with open reads. */
export interface OpenedBlock {
  readonly at: SourceBlock
  readonly reads: ChainReads
}

/** Rules by which the contracts of a block run. */
export interface BlockRules {
  readonly chainId: bigint
  /** Of Ethereum. */
  readonly fork: Fork
  /** Of the OP stack or Base; `undefined` on chains that schedule none. */
  readonly upgrade: Upgrade | undefined
}

/** A result of reads with the proofs of what they read. */
export interface Proven<T> {
  readonly value: T
  readonly header: Header
  readonly rules: BlockRules
  readonly accounts: readonly AccountProof[]
}

/** Fixed, so that a verifier executes calls with the same gas. */
export const PROOF_LIMITS = { callGasCap: 30_000_000n, callTimeoutMs: 5_000 }

/**
 * A reorganisation replaced the block before it was read. The caller may retry at the block to which the reference now
 * refers.
 */
export class BlockReplaced extends Error {
  override readonly name = 'BlockReplaced'
  /** Deadline for retries, on the monotonic clock. */
  readonly deadline: number
  /** The error to report without a retry. */
  readonly refusal: StatusError

  constructor(deadline: number, refusal: StatusError) {
    super(refusal.message)
    this.deadline = deadline
    this.refusal = refusal
  }
}

/**
 * The source can be reached, but refuses this read, or its response is too large: a read of fewer or newer blocks may
 * succeed.
 */
export class ReadRefused extends StatusError {}

/** Where the service reads a chain: the node in this process, or another node over JSON-RPC. */
export interface ChainSource {
  readonly chainId: bigint
  /** Hash of the latest block if it is known without a request. */
  latestHash(): Hash | undefined
  /** Whether block 0 has code at an address; absent in sources that must read its state, which may be pruned. */
  hasGenesisCode?(address: Address): boolean
  /** Hash of the pending block; absent in sources that would need a request. */
  pendingHash?(): Hash
  /**
   * The current block of a reference; `undefined` if there is none. Synchronous in sources that need no request.
   *
   * @throws StatusError `unavailable` or `deadlineExceeded` when the chain cannot be reached, or its newest block is
   * too old
   * @param after the replacement in an earlier attempt of the same request, whose deadline stays in force
   */
  block(reference: BlockReference, after?: BlockReplaced): SourceBlock | undefined | Promise<SourceBlock | undefined>
}

/** Opens reads at a block, synchronously, and closes them afterwards. */
export async function readAt<T>(block: SourceBlock, read: (reads: ChainReads) => Promise<T>): Promise<T> {
  const reads = block.open()
  try {
    return await read(reads)
  } finally {
    reads.close()
  }
}
