import type { Withdrawal } from '../../chain/block/block.ts'
import { blockSize } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { blobGasOf } from '../../chain/fees/blob-fee.ts'
import { blockReward } from '../../chain/fees/block-reward.ts'
import { type ChainConfig, hasBlobs } from '../../chain/forks/chain-config.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { BLOOM_BYTES } from '../../chain/receipt/bloom.ts'
import { pushReceiptAndBloom } from '../../chain/receipt/receipt-codec.ts'
import { mapPacked } from '../../primitives/map-packed.ts'
import { type AsyncSteps, awaited } from '../../primitives/maybe-promise.ts'
import { pushEncoded } from '../../primitives/rlp-parts.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { orderedRootsOf } from '../../state/trie/ordered-root.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { creditDiff, rewardCredits, withdrawalCredits } from '../block/block-credits.ts'
import { newBlockEnv } from '../block/block-env.ts'
import { type BlockEnd, closingMembers } from '../block/closing-members.ts'
import { collectRequests } from '../block/requests.ts'
import { overrideBlockEnv } from '../call/block-overrides.ts'
import { resolveOverrides } from '../call/state-overrides.ts'
import {
  type BlockEnv,
  type Engine,
  type Executed,
  ExecutionStoppedError,
  type MayContinue,
  type Session,
  type Writable,
} from '../types.ts'
import { sharedOpening, simulatedOpeningCalls } from './block-opening.ts'
import type { PlannedBlock } from './chain-plan.ts'
import { type ExecutedCall, executeCalls } from './simulated-calls.ts'
import { openingHeader, type SimulatedParent } from './simulated-header.ts'
import { queueTransactionHashes } from './simulated-transaction.ts'
import type { BlockRequest, SimulatedBlock, SimulatedCall } from './simulation.ts'
import type { SimulationError } from './simulation-error.ts'

/** Context of a simulated block. */
export interface BlockContext {
  readonly engine: Engine
  readonly parent: SimulatedParent
  /** After the parent, including earlier simulated blocks. */
  readonly state: StateReader
  /** After the parent; absent when state roots stay zero. */
  readonly trie: StateTrie | undefined
  /** It is the first simulated block. */
  readonly isFirst: boolean
  /** It is the last simulated block. */
  readonly isLast: boolean
  /** Gas left for the whole request. */
  readonly gas: bigint
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly logIndexes: 'contiguous' | 'emitted'
  readonly mayContinue: MayContinue
  readonly onExecuted: ((result: Executed) => void) | undefined
}

export type BlockOutcome =
  | {
      readonly kind: 'simulated'
      readonly block: SimulatedBlock
      /** Absent if not needed: for the last block, without a trie. */
      readonly diff: StateDiff | undefined
      readonly trie: StateTrie | undefined
    }
  | { readonly kind: 'failed'; readonly error: SimulationError }

/** Simulates one block: overrides, system calls, calls, withdrawals and reward, then roots and hash. */
export function* simulateBlock(planned: PlannedBlock, context: BlockContext): AsyncSteps<BlockOutcome> {
  const { engine, parent, state, trie, validation, traceTransfers, mayContinue, onExecuted } = context
  const { blockOverrides = {}, stateOverrides = new Map(), calls = [] } = planned.request
  const header = openingHeader(planned, parent, engine.config, validation)
  // The writes of the last block are reverted if they are not needed, so that the next simulation reuses the cached
  // reads.
  const isReverted = trie === undefined && context.isLast
  let session: Session | undefined
  try {
    const isShared = isReverted && context.isFirst && !hasOverrides(planned.request)
    const opening = isShared ? yield* sharedOpening(header, context) : undefined
    const env = opening?.env ?? blockEnvOf(header, blockOverrides.blobBaseFee, engine.config)
    const overrides = resolveOverrides(stateOverrides, state, engine.precompiles(env))
    if (overrides.kind === 'refused') {
      return { kind: 'failed', error: { code: 'INVALID_OVERRIDE', error: overrides.error } }
    }
    const { movedPrecompiles } = overrides
    session = engine.open(env, opening?.state ?? state, { traceTransfers, movedPrecompiles, mayContinue })
    if (isReverted) session.checkpoint()
    if (opening === undefined) {
      applyTo(session, overrides.diff)
      yield* simulatedOpeningCalls(session, header)
    }
    const executed = yield* executeCalls(session, calls, {
      chainId: engine.config.chainId,
      gas: context.gas,
      validation,
      traceTransfers,
      mayContinue,
      onExecuted,
    })
    if (executed.kind === 'failed') return executed
    const hasWithdrawals = rulesOf(env.fork).hasWithdrawals
    const withdrawals = hasWithdrawals ? (blockOverrides.withdrawals ?? []) : undefined
    applyTo(session, creditsAtEnd(session, header, withdrawals))
    const receipts = mapPacked(executed.calls, ({ receipt }) => receipt)
    const requests = yield* awaited(collectRequests(session, engine.config, receipts))
    if (requests.kind === 'failed') return { kind: 'failed', error: { code: 'INVALID_BLOCK', fault: requests.fault } }
    const diff = isReverted ? undefined : session.takeDiff()
    if (isReverted) session.revert()
    const after = diff && trie?.apply(diff)
    setContentRoots(header, executed.calls)
    if (after !== undefined) header.stateRoot = after.root
    // The specs (Isthmus) give simulated blocks the root of their withdrawals on layer 2 too.
    const end = {
      used: usedBy(executed.calls, engine.config),
      withdrawals,
      requestsHash: requests.hash,
      trie: undefined,
    }
    Object.assign(header, closingMembers(env, end))
    const block = assemble(header, executed.calls, withdrawals, context.logIndexes)
    return { kind: 'simulated', block, diff, trie: after }
  } catch (error) {
    if (error instanceof ExecutionStoppedError) return { kind: 'failed', error: { code: 'TIMEOUT' } }
    throw error
  } finally {
    session?.close()
  }
}

function hasOverrides({ blockOverrides, stateOverrides }: BlockRequest): boolean {
  return blockOverrides !== undefined || (stateOverrides !== undefined && stateOverrides.size > 0)
}

function applyTo(session: Session, diff: StateDiff): void {
  if (diff !== emptyDiff()) session.apply(diff)
}

/** Withdrawals and the reward as a diff. */
function creditsAtEnd(session: Session, header: Header, withdrawals: readonly Withdrawal[] = []): StateDiff {
  const { fork } = session.env
  // The common case needs no computation.
  if (withdrawals.length === 0 && blockReward(fork) === 0n) return emptyDiff()
  return creditDiff([...withdrawalCredits(withdrawals), ...rewardCredits(header, [], fork)], session.state)
}

/** The header has all overrides except the blob fee. */
function blockEnvOf(header: Header, blobBaseFee: bigint | undefined, config: ChainConfig): BlockEnv {
  const env = newBlockEnv(header, config)
  return blobBaseFee === undefined ? env : overrideBlockEnv(env, { blobBaseFee }, config)
}

function usedBy(calls: readonly ExecutedCall[], config: ChainConfig): BlockEnd['used'] {
  // Calls have no bytes for a DA footprint.
  const blobGasUsed = hasBlobs(config) ? calls.reduce((sum, { transaction }) => sum + blobGasOf(transaction), 0) : 0
  return { gasUsed: calls.at(-1)?.receipt.cumulativeGasUsed ?? 0, blobGasUsed }
}

/** Fills in the roots and the bloom of the content, and the hashes of the transactions. */
function setContentRoots(header: Writable<Header>, calls: readonly ExecutedCall[]): void {
  // From the runtime's pool; it lives as long as the response.
  const logsBloom = Buffer.allocUnsafe(BLOOM_BYTES).fill(0)
  const setHashes = queueTransactionHashes(mapPacked(calls, ({ transaction }) => transaction))
  const [transactionsRoot, receiptsRoot] = orderedRootsOf(calls, [
    ({ transaction }) => pushEncoded(transaction.raw),
    ({ receipt }) => pushReceiptAndBloom(receipt, logsBloom),
  ])
  setHashes()
  header.transactionsRoot = transactionsRoot!
  header.receiptsRoot = receiptsRoot!
  header.logsBloom = logsBloom
}

function assemble(
  header: Header,
  executed: readonly ExecutedCall[],
  withdrawals: readonly Withdrawal[] | undefined,
  logIndexes: BlockContext['logIndexes'],
): SimulatedBlock {
  const hash = hashHeader(header)
  const transactions = mapPacked(executed, ({ transaction }) => transaction)
  const uncles: readonly Header[] = []
  let logCount = 0
  const calls = mapPacked(executed, ({ transaction, result, logs, error }, transactionIndex): SimulatedCall => {
    const firstLog = logCount
    const emission = logIndexes === 'emitted' ? result.emission : undefined
    logCount += emission?.count ?? logs.length
    const call: Writable<SimulatedCall> = {
      status: result.status === 'success' ? 1 : 0,
      returnData: result.output,
      gasUsed: result.gasUsed,
      maxUsedGas: result.maxUsedGas,
      logs: mapPacked(logs, (log, position) => ({
        blockNumber: header.number,
        blockHash: hash,
        blockTimestamp: header.timestamp,
        log,
        transactionHash: transaction.hash,
        transactionIndex,
        logIndex: firstLog + (emission?.positions[position] ?? position),
      })),
    }
    if (error !== undefined) call.error = error
    return call
  })
  const size = blockSize({ header, transactions, uncles, withdrawals })
  return { header, hash, transactions, uncles, withdrawals, size, calls }
}
