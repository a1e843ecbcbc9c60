import type { BlockReference } from '../../node/core/block-reference.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { StatusError } from '../status.ts'

/**
 * Gas of one read of a contract that anybody may have written: real ones need a few thousand, those of vaults some ten
 * thousand. At the dearest of precompiles and loaded code a million takes 67 ms, which a flashblock would wait for.
 */
export const READ_GAS = 250_000

/** A read of a contract: a call from nobody that keeps nothing. */
export interface ContractCall {
  readonly to: Address
  readonly data: Bytes
  /** What it may use up; `READ_GAS` where it is left out. */
  readonly gas?: number
}

/** Reads upon one block, in its environment; the last thing to be done with them is `close`. */
export interface BlockReads {
  /**
   * What each call returned, in order; `undefined` where it failed, no bytes where there is no contract. Each call is
   * made on the state of the block: what another one wrote it does not see.
   *
   * @throws StatusError `unavailable` or `deadlineExceeded` when the chain cannot be asked
   * @throws BlockReplaced when the block is not the one under its number or tag any more, and cannot be read by its hash
   */
  call(calls: readonly ContractCall[]): Promise<readonly (Bytes | undefined)[]>
  close(): void
}

/** A block as one request sees it. Whatever is read at blocks of one hash is the same. */
export interface SourceBlock {
  readonly number: number
  /** Of the open block: of its header as it stands, which changes with every flashblock that changes anything. */
  readonly hash: Hash
  /** Unix seconds. */
  readonly timestamp: bigint
  /** `open`: not sealed yet. `final`: a reorganisation does not take it back. */
  readonly status: 'open' | 'sealed' | 'final'
  /**
   * To be called before anything is awaited after the block was handed out: then it can still be read.
   *
   * @throws StatusError `notFound` when its state is not kept any more
   */
  open(): BlockReads
}

/** The block was replaced before it was read: whoever wants the one that its reference names now begins again. */
export class BlockReplaced extends Error {
  override readonly name = 'BlockReplaced'
  /** On the monotonic clock, when beginning again has to end. */
  readonly deadline: number
  /** What to say when it is not begun again. */
  readonly refusal: StatusError

  constructor(deadline: number, refusal: StatusError) {
    super(refusal.message)
    this.deadline = deadline
    this.refusal = refusal
  }
}

/** Where the service reads a chain: the node that it runs in, or another one over JSON-RPC. */
export interface ChainSource {
  readonly chainId: bigint
  /** Of the block that `latest` names now, where nothing has to be asked to know it. */
  latestHash(): Hash | undefined
  /** Of the block that `pending` names now; a source that would have to ask has no such method. */
  pendingHash?(): Hash
  /**
   * The block that a reference names now; `undefined`: there is none. At once where no other process has to be asked.
   *
   * @throws StatusError `unavailable` or `deadlineExceeded` when the chain cannot be asked, or its newest block is too
   * old to be shown as such
   * @param after what the same request found at the block before: it keeps its deadline
   */
  block(reference: BlockReference, after?: BlockReplaced): SourceBlock | undefined | Promise<SourceBlock | undefined>
}

/** Reads upon a block, and ends that whatever comes of it. Begins at once. */
export async function readAt<T>(block: SourceBlock, read: (reads: BlockReads) => Promise<T>): Promise<T> {
  const reads = block.open()
  try {
    return await read(reads)
  } finally {
    reads.close()
  }
}
