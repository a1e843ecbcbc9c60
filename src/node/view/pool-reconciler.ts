import type { Header } from '../../chain/block/header.ts'
import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import { blobBaseFee } from '../../chain/fees/blob-fee.ts'
import type { DataFeeRules } from '../../chain/fees/data-cost.ts'
import { readL1BlockFees } from '../../chain/fees/l1-block.ts'
import { type ChainConfig, hasBlobs } from '../../chain/forks/chain-config.ts'
import { blobScheduleAt, forkAt } from '../../chain/forks/fork-schedule.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import type { DroppedTransaction } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { AdmissionRules } from '../../pool/admission.ts'
import type { Dropped, Pool } from '../../pool/pool.ts'
import type { Address } from '../../primitives/hex.ts'
import { MissingStateError } from '../../state/missing-state.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { Announcement } from '../machine/announcement.ts'
import type { Head } from '../machine/head.ts'
import { senderState } from './view.ts'

/** A transaction that left the pool without being included. `transaction`: absent if it was not in the pool. */
export interface RemovedTransaction extends DroppedTransaction {
  readonly transaction?: PoolTransaction
}

/**
 * How a head relates to the one that was shown before it. `unwinds`: blocks were taken back. `skips`: a snapshot took
 * the place of the chain, so that blocks between the two heads are unknown here.
 */
export type HeadStep = 'extends' | 'unwinds' | 'skips'

/** Transactions that leave the pool with a new head, by whether their fate is known. */
export interface Reconciliation {
  readonly left: readonly RemovedTransaction[]
  readonly unknown: readonly RemovedTransaction[]
}

/** Keeps the pool in step with the head: by which rules it judges, and what leaves it when the head changes. */
export class PoolReconciler {
  readonly #config: ChainConfig
  readonly #pool: Pool
  /** Admission rules for the current open block. */
  #rules: { readonly header: Header; readonly rules: AdmissionRules } | undefined

  constructor({ config }: { readonly config: ChainConfig }, { pool }: { readonly pool: Pool }) {
    this.#config = config
    this.#pool = pool
  }

  /** One object per open block. */
  rules({ pending: { state, block } }: Pick<Head, 'pending'>): AdmissionRules {
    const { header } = block
    if (this.#rules?.header !== header) this.#rules = { header, rules: rulesIn(header, state, this.#config) }
    return this.#rules.rules
  }

  /**
   * Removes what a new head includes or makes invalid.
   *
   * @param step after any but `extends`, any sender may have changed
   * @returns `left`: transactions that left without being included; `unknown`: those that left because their nonce is
   * used, by them or by others in a skipped block
   */
  reconcile({ head, flashblocks, sealed = [] }: Announcement, step: HeadStep): Reconciliation {
    const pool = this.#pool
    const { state } = head.pending
    const touched = [...changedAccounts(head, flashblocks)]
    const included = new Set(flashblocks.flatMap(({ layer }) => [...layer.positions.keys()]))
    const mayChangeAll = step !== 'extends'
    const unloaded = mayChangeAll && head.base.below !== undefined ? this.#removeUnknown(state) : []
    const changed = mayChangeAll ? pool.view().senders() : new Set(touched.filter((address) => pool.hasSender(address)))
    const dropped = pool.reconcile([...changed].map((address) => [address, senderState(state, address)] as const))
    const excluded = dropped.filter(({ transaction }) => !included.has(transaction.hash))
    const isUnknown = ({ reason }: Dropped) => step === 'skips' && reason.code === 'NONCE_USED'
    const expired = sealed.length === 0 ? [] : pool.expire(head.pending.block.header.number)
    const left = [...unloaded, ...excluded.filter((one) => !isUnknown(one)), ...expired]
    return { left: withHash(left), unknown: withHash(excluded.filter(isUnknown)) }
  }

  /** Another fork block may lack the state of senders until it is loaded: their transactions leave the pool. */
  #removeUnknown(state: StateReader): readonly Dropped[] {
    const pool = this.#pool
    const isUnknown = (sender: Address) => {
      try {
        senderState(state, sender)
        return false
      } catch (error) {
        if (error instanceof MissingStateError) return true
        throw error
      }
    }
    const entries = [...pool.view().senders()].filter(isUnknown).flatMap((sender) => pool.view().bySender(sender))
    return entries.flatMap(({ transaction }) => pool.remove(transaction.hash, { code: 'REMOVED' }) ?? [])
  }
}

/** Accounts that flashblocks changed, or alterations before the first one. */
function* changedAccounts({ pending }: Head, flashblocks: Announcement['flashblocks']): Iterable<Address> {
  for (const { layer } of flashblocks) yield* layer.diff.accounts.keys()
  if (pending.prelude === undefined || !flashblocks.some(({ layer }) => layer.index === 0)) return
  for (const diff of pending.prelude.diffs) yield* diff.accounts.keys()
}

/** @param state of the open block with this header */
function rulesIn(header: Header, state: StateReader, config: ChainConfig): AdmissionRules {
  const fork = forkAt(config, header.number, header.timestamp)
  const dataFees = dataFeesIn(header, state, config)
  return {
    config,
    fork,
    blockGasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    blobBaseFee: blobBaseFeeIn(header, fork, config),
    dataFees,
  }
}

/** `undefined` on a chain without blobs, where `excessBlobGas` has no price. */
function blobBaseFeeIn({ excessBlobGas }: Header, fork: Fork, config: ChainConfig): bigint | undefined {
  const schedule = hasBlobs(config) ? blobScheduleAt(config, fork) : undefined
  return excessBlobGas === undefined || schedule === undefined ? undefined : blobBaseFee(excessBlobGas, schedule)
}

function dataFeesIn({ timestamp }: Header, state: StateReader, config: ChainConfig): DataFeeRules | undefined {
  const rules = layer2RulesAt(config, timestamp)
  if (!rules?.hasL1Fee) return undefined
  return { rules, parameters: readL1BlockFees((slot) => state.storage(L1_BLOCK_ADDRESS, slot), rules) }
}

export function withHash(dropped: readonly Dropped[]): readonly RemovedTransaction[] {
  return dropped.map(({ transaction, reason }) => ({ hash: transaction.hash, reason, transaction }))
}
