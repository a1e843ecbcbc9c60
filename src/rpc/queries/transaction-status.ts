import { type ChainConfig, hasBlobs } from '../../chain/forks/chain-config.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { maxFeePerGas, type PoolTransaction } from '../../chain/transaction/transaction.ts'
import { evaluatePredicates, type ValidityPredicate } from '../../chain/transaction/validity.ts'
import { dataFootprintOf } from '../../engine/block/block-tally.ts'
import { gasRoom } from '../../node/production/building/schedule.ts'
import type { View } from '../../node/view/view.ts'
import { entryCost } from '../../pool/sender-queue.ts'
import type { Address, Hash, Slot } from '../../primitives/hex.ts'
import type { ShownPlace, ShownTimes } from '../context/shown-times.ts'
import type { TransactionStatus, WaitReason } from '../format/transaction-status.ts'

interface StatusOptions {
  /** Flashblocks per block. */
  readonly slots: number
  readonly config: ChainConfig
  readonly shownTimes: ShownTimes
}

export function transactionStatus(hash: Hash, view: View, options: StatusOptions): TransactionStatus {
  const found = view.transaction(hash)
  if (found === undefined) {
    const reason = view.pool.dropReason(hash)
    return reason === undefined ? { kind: 'unknown' } : { kind: 'dropped', reason }
  }
  if (found.kind === 'pooled') return { kind: 'pooled', waiting: waitingOf(found.transaction, view, options) }
  const { block, status } = found.block
  const position = { blockNumber: block.header.number, blockHash: block.hash, index: found.index }
  const { flashblock: shown, preconfirmedAt, sealedAt } = options.shownTimes.of(position)
  // The times begin with this process, the partial hashes with the records, also after a restart.
  const flashblock = shown ?? flashblockOf(position, view)
  const inFlashblock = { ...position, flashblock, preconfirmedAt }
  if (status !== 'sealed') return { kind: 'preconfirmed', ...inFlashblock }
  return { kind: 'sealed', ...inFlashblock, sealedAt, finality: finalityOf(position.blockNumber, view) }
}

/** The flashblock of a transaction of the open block, or of a sealed one whose partial hashes are known. */
function flashblockOf({ blockNumber, index }: ShownPlace, { head }: View): number | undefined {
  const partials = head.partials[head.pending.block.header.number - blockNumber]
  if (partials === undefined) return undefined
  const before = [...partials.values()].findLast(({ transactionCount }) => transactionCount <= index)
  return before === undefined ? 0 : before.index + 1
}

function finalityOf(number: number, { head }: View): 'latest' | 'safe' | 'finalized' {
  const { safe, finalized } = head.sealed
  if (number <= finalized) return 'finalized'
  return number <= safe ? 'safe' : 'latest'
}

/** Earlier transactions of the sender whose predicates and size are examined: each may take a millisecond. */
const MAX_EXAMINED = 16

function waitingOf(transaction: PoolTransaction, view: View, options: StatusOptions): WaitReason {
  const { from, nonce } = transaction
  const { state } = view.head.pending
  const { nonce: first, balance } = view.account(state, from) ?? { nonce: 0n, balance: 0n }
  const expectedNonce = view.pool.nextNonce(from, first)
  if (nonce > expectedNonce) return { reason: 'nonceGap', expectedNonce }
  let cost = 0n
  let examined = 0
  for (const entry of view.pool.bySender(from)) {
    const { transaction: earlier } = entry
    if (earlier.nonce < first) continue
    cost += entryCost(entry)
    const isLast = earlier.hash === transaction.hash
    const obstacle =
      cost > balance
        ? { reason: 'balance' as const, balance, cost }
        : (gasObstacle(earlier, view, options) ??
          (isLast || examined < MAX_EXAMINED ? contentObstacle(earlier, view, options) : undefined))
    examined += 1
    if (isLast) return obstacle ?? { reason: 'flashblock' }
    if (obstacle !== undefined) return { reason: 'predecessor', hash: earlier.hash }
  }
  return { reason: 'flashblock' }
}

/** Why the open block cannot include it, by its gas and fee cap. */
function gasObstacle(transaction: PoolTransaction, view: View, { slots }: StatusOptions): WaitReason | undefined {
  const { pending } = view.head
  const { header } = pending.block
  const { gasLimit } = transaction
  const baseFeePerGas = header.baseFeePerGas ?? 0n
  const feeCap = maxFeePerGas(transaction)
  if (feeCap < baseFeePerGas) return { reason: 'baseFee', maxFeePerGas: feeCap, baseFeePerGas }
  const next = Math.min(pending.index + 1, slots)
  const room = gasRoom({ slots }, next, header.gasLimit) - BigInt(header.gasUsed)
  return gasLimit > room ? { reason: 'gasRoom', gasLimit, room } : undefined
}

/** Why the open block cannot include it, by its predicates and its compressed size. */
function contentObstacle(transaction: PoolTransaction, view: View, { config }: StatusOptions): WaitReason | undefined {
  const index = failingPredicate(transaction.validity ?? [], view)
  if (index !== -1) return { reason: 'predicates', index }
  return hasBlobs(config) ? undefined : footprintObstacle(transaction, view, config)
}

function failingPredicate(predicates: readonly ValidityPredicate[], view: View): number {
  const { block, trie } = view.head.pending
  const { number, timestamp } = block.header
  const context = { number, timestamp, state: openState(view), trie }
  return predicates.findIndex((predicate) => !evaluatePredicates([predicate], context).areValid)
}

function footprintObstacle(transaction: PoolTransaction, view: View, config: ChainConfig): WaitReason | undefined {
  const { header } = view.head.pending.block
  const block = { env: { layer2: layer2RulesAt(config, header.timestamp) }, state: openState(view) }
  const footprint = BigInt(dataFootprintOf(transaction, block, config.layer2!))
  const room = header.gasLimit - BigInt(header.blobGasUsed ?? 0)
  return footprint > room ? { reason: 'dataFootprint', footprint, room } : undefined
}

function openState(view: View) {
  const { state } = view.head.pending
  return {
    account: (address: Address) => view.account(state, address),
    storage: (address: Address, slot: Slot) => view.storage(state, address, slot),
  }
}
