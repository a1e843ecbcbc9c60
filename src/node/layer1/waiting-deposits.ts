import type { L1Attributes } from '../../chain/system-transactions/l1-attributes.ts'
import {
  type DepositFault,
  depositFault,
  MAX_DEPOSIT_GAS,
  type UserDeposit,
  userDepositTransaction,
} from '../../chain/system-transactions/user-deposit.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type Transaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'

/** Why a deposit is not made. */
export type DepositRefusal =
  | DepositFault
  /** The blocks of this chain do not begin with deposits. */
  | { readonly code: 'DEPOSITS_NOT_SUPPORTED' }
  /** Deposits come from a real layer 1. */
  | { readonly code: 'DEPOSITS_FROM_LAYER_1' }
  /** No blocks are built. */
  | { readonly code: 'DEPOSITS_STAND_STILL' }
  | { readonly code: 'TOO_MANY_DEPOSITS'; readonly limit: number }
  /** An empty block has less room. */
  | { readonly code: 'DEPOSIT_EXCEEDS_BLOCK'; readonly gasLimit: bigint; readonly room: bigint }
  | { readonly code: 'NODE_STOPPED' }

export type DepositResult =
  | { readonly kind: 'included'; readonly hash: Hash }
  | { readonly kind: 'refused'; readonly refusal: DepositRefusal }

interface Waiting {
  readonly deposit: UserDeposit
  /** Its transaction in the block that is being opened. */
  hash: Hash | undefined
  readonly resolve: (result: DepositResult) => void
}

/** Deposits that wait for a block at the same time: some ten megabytes of calldata at most. */
export const MAX_WAITING_DEPOSITS = 256
/** Keeps the log indexes of deposits in blocks of the same L1 origin apart. */
const INDEXES_PER_BLOCK = 65_536n

/**
 * User deposits without a layer 1, until a block begins with them. Nothing is acknowledged before its flashblock is
 * durable, so that they need no records of their own.
 */
export class WaitingDeposits {
  #waiting: Waiting[] = []
  #isHalted = false

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Resolves when the block that begins with the deposit is announced, or when it is refused. */
  add(deposit: UserDeposit): Promise<DepositResult> {
    const fault = depositFault(deposit)
    if (fault !== undefined) return Promise.resolve({ kind: 'refused', refusal: fault })
    if (this.#isHalted) return Promise.resolve({ kind: 'refused', refusal: { code: 'NODE_STOPPED' } })
    if (this.#waiting.length >= MAX_WAITING_DEPOSITS) {
      return Promise.resolve({ kind: 'refused', refusal: { code: 'TOO_MANY_DEPOSITS', limit: MAX_WAITING_DEPOSITS } })
    }
    return new Promise((resolve) => {
      this.#waiting.push({ deposit, hash: undefined, resolve })
    })
  }

  /**
   * The transactions of the oldest deposits that fit into a block, in the order of their arrival. Their events on
   * layer 1 are imaginary: in the block's L1 origin, at the index `sequenceNumber * 65536 + position`.
   *
   * @param room gas that the block has besides its system transactions
   */
  transactionsIn(l1: Pick<L1Attributes, 'hash' | 'sequenceNumber'>, room: bigint): readonly DepositTransaction[] {
    this.#refuse(
      ({ deposit }) => deposit.gasLimit > room,
      ({ gasLimit }) => ({ code: 'DEPOSIT_EXCEEDS_BLOCK', gasLimit, room }),
    )
    let free = room < MAX_DEPOSIT_GAS ? room : MAX_DEPOSIT_GAS
    const transactions: DepositTransaction[] = []
    for (const waiting of this.#waiting) {
      free -= waiting.deposit.gasLimit
      if (free < 0n) break
      const logIndex = l1.sequenceNumber * INDEXES_PER_BLOCK + BigInt(transactions.length)
      const transaction = userDepositTransaction(waiting.deposit, { l1BlockHash: l1.hash, logIndex })
      waiting.hash = transaction.hash
      transactions.push(transaction)
    }
    return transactions
  }

  /** Acknowledges the deposits with which a block begins. Call when its first flashblock is durable. */
  announced(transactions: readonly Transaction[]): void {
    if (this.isEmpty) return
    const included = new Set<Hash>()
    for (const { type, hash } of transactions) {
      if (type !== DEPOSIT_TYPE) break
      included.add(hash)
    }
    this.#resolve(
      ({ hash }) => hash !== undefined && included.has(hash),
      ({ hash }) => ({ kind: 'included', hash: hash! }),
    )
  }

  /**
   * Refuses further deposits, and those that are in no block: the node opens no further one. The others wait, because
   * the block that is being opened may still become durable.
   */
  halt(): void {
    this.#isHalted = true
    this.#refuse(
      ({ hash }) => hash === undefined,
      () => ({ code: 'NODE_STOPPED' }),
    )
  }

  /** Refuses all. Call when no block is being opened any more. */
  stop(): void {
    this.#isHalted = true
    this.#refuse(
      () => true,
      () => ({ code: 'NODE_STOPPED' }),
    )
  }

  #refuse(isRefused: (waiting: Waiting) => boolean, refusalOf: (deposit: UserDeposit) => DepositRefusal): void {
    this.#resolve(isRefused, ({ deposit }) => ({ kind: 'refused', refusal: refusalOf(deposit) }))
  }

  #resolve(isDecided: (waiting: Waiting) => boolean, resultOf: (waiting: Waiting) => DepositResult): void {
    const decided = this.#waiting.filter(isDecided)
    if (decided.length === 0) return
    this.#waiting = this.#waiting.filter((waiting) => !decided.includes(waiting))
    for (const waiting of decided) waiting.resolve(resultOf(waiting))
  }
}
