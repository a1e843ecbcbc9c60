import type { Logger } from 'pino'
import type { DropReason } from '../../../chain/transaction/drop-reason.ts'
import type { InvalidTransaction } from '../../../chain/transaction/refusal.ts'
import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import { evaluatePredicates } from '../../../chain/transaction/validity.ts'
import type { BlockBuilder, Inclusion } from '../../../engine/block/build-block.ts'
import { isTrap } from '../../../engine/session/session.ts'
import type { ForkError } from '../../../fork/source/fork-error.ts'
import type { Hash } from '../../../primitives/hex.ts'
import type { MaybePromise } from '../../../primitives/maybe-promise.ts'
import { MissingStateError } from '../../../state/missing-state.ts'
import type { StateLoads } from '../../forking/state-loads.ts'

/** A transaction that a block cannot include, and why: it is invalid, or its state cannot be loaded. */
export interface RefusedTransaction {
  /** Among those that the block was to include. */
  readonly index: number
  readonly hash: Hash
  readonly error: InvalidTransaction | ForkError
}

/**
 * Fate of a candidate. `later`: it stays in the pool. `full`: the same, as the block has no room for it. A reason: no
 * block can include it.
 */
export type CandidateOutcome = 'included' | 'later' | 'full' | DropReason

export function candidateOutcome(inclusion: Inclusion): CandidateOutcome {
  return inclusion.kind === 'included' ? 'included' : refusalOutcome(inclusion.error)
}

/** Gas left for a candidate, and the predicates that may still be evaluated. */
interface CandidateRoom {
  readonly free: bigint
  readonly checks: ValidityChecks
}

interface CandidateDeps {
  readonly log: Pick<Logger, 'error'>
  readonly loads?: Pick<StateLoads, 'add'> | undefined
}

/**
 * Adds a candidate to a block. Synchronous if possible: promises for each of thousands of transactions are expensive.
 *
 * @throws an error of the interpreter, after which the block cannot continue
 */
export function addCandidate(
  builder: BlockBuilder,
  transaction: PoolTransaction,
  { free, checks }: CandidateRoom,
  deps: CandidateDeps,
): MaybePromise<CandidateOutcome> {
  const faulty = (error: unknown) => faultyOutcome(error, transaction, deps)
  try {
    const failure = checks.failure(transaction, builder)
    if (failure !== undefined) return failure
    const inclusion = builder.add(transaction, free)
    return inclusion instanceof Promise ? inclusion.then(candidateOutcome).catch(faulty) : candidateOutcome(inclusion)
  } catch (error) {
    return faulty(error)
  }
}

function faultyOutcome(error: unknown, { hash }: PoolTransaction, { log, loads }: CandidateDeps): CandidateOutcome {
  if (loads !== undefined && error instanceof MissingStateError) {
    loads.add(hash, error.load)
    return 'later'
  }
  // The session is unusable, and with it the flashblock that is being built. The node fails; announced flashblocks
  // are on disk, and the next start resumes after them.
  if (isTrap(error)) throw error
  // A fault of this node, not of the sender: the block continues without the transaction.
  log.error({ err: error, hash }, 'a transaction could not be executed')
  return { code: 'INVALID', reason: 'execution failed' }
}

/** Decides whether a transaction that the block cannot include may be included later. */
function refusalOutcome(error: InvalidTransaction): CandidateOutcome {
  switch (error.code) {
    case 'BLOCK_GAS_EXCEEDED':
      return 'full'
    case 'FEE_CAP_TOO_LOW':
    case 'BLOB_FEE_CAP_TOO_LOW':
    case 'NONCE_TOO_HIGH':
      return 'later'
    case 'NONCE_TOO_LOW':
      return { code: 'NONCE_USED' }
    case 'INSUFFICIENT_FUNDS':
      return { code: 'INSUFFICIENT_FUNDS' }
    default:
      return { code: 'INVALID', reason: error.code }
  }
}

const CONDITION_FAILED: DropReason = Object.freeze({ code: 'INVALID', reason: 'a condition no longer holds' })

/** Evaluates the validity predicates of candidates for one flashblock. */
export class ValidityChecks {
  /** Predicates that may still be evaluated. */
  #left: number

  /** @param budget maximum number of predicates to evaluate */
  constructor(budget: number) {
    this.#left = budget
  }

  /**
   * The outcome of a transaction whose validity predicates do not hold at the end of a block so far; `undefined`: they
   * hold. `later` also when the budget left is smaller than their number: it waits for the next flashblock.
   *
   * @throws MissingStateError on a state that is read on demand; uses none of the budget then
   */
  failure(
    { validity, mustStayValid }: PoolTransaction,
    { attributes, state, trie }: Pick<BlockBuilder, 'attributes' | 'state' | 'trie'>,
  ): CandidateOutcome | undefined {
    if (validity === undefined) return undefined
    if (validity.length > this.#left) return 'later'
    const { number, timestamp } = attributes
    const { areValid, evaluated } = evaluatePredicates(validity, { number, timestamp, state, trie })
    this.#left -= evaluated
    if (areValid) return undefined
    return mustStayValid === true ? CONDITION_FAILED : 'later'
  }
}
