import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import type { DroppedTransaction, DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { AdmissionRules } from '../../pool/admission.ts'
import type { ArrivingQueue } from '../../pool/arriving-queue.ts'
import type { Admissible, Dropped, Judgement, Pool, PoolCounts, PoolVerdict } from '../../pool/pool.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { AccountChange } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { Head } from '../replay/head.ts'
import { withFinalized } from '../replay/head-transitions.ts'
import type { Announcement } from '../roles/leader/announcer.ts'
import type { RemoteTries } from '../tries/remote-tries.ts'
import { createNodeEvents, type NodeEventEmitter, type NodeEvents, type UnwoundBlock } from './events.ts'
import { senderState } from './sender-state.ts'
import { View } from './view.ts'

export interface CurrentViewParts {
  readonly pool: Pool
  readonly log: {
    error(details: object, message: string): void
    fatal(details: object, message: string): void
  }
  /** Hears what left the pool without being included, before listeners do. */
  readonly onDropped?: (dropped: readonly LeftTransaction[]) => void
  /** Has the state trie that the next flashblock changes; left out: the head has. */
  readonly tries?: Pick<RemoteTries, 'prefetch'> | undefined
}

/** `transaction`: where it was in the pool. */
export interface LeftTransaction extends DroppedTransaction {
  readonly transaction?: PoolTransaction
}

/**
 * One head and one pool, swapped and captured in single steps, and who listens: what a sequencer and a replica show of
 * themselves.
 */
export class CurrentView {
  readonly events: NodeEventEmitter = createNodeEvents()
  readonly #config: ChainConfig
  readonly #parts: CurrentViewParts
  #hasFailed = false
  /** The highest block that was shown as finalized. */
  #finalized = 0
  /** Blocks are gone, the open one at least, and no head shows that yet. */
  #isUnwound = false
  #view: View | undefined
  /** Of the open block as it stands. */
  #rules: { readonly header: Header; readonly rules: AdmissionRules } | undefined
  #base: Snapshot | undefined
  /** Whose trie nodes were read for the open block as it stands. */
  #prefetched: { readonly trie: StateTrie; readonly addresses: Set<Address> } | undefined

  constructor({ config }: { readonly config: ChainConfig }, parts: CurrentViewParts) {
    this.#config = config
    this.#parts = parts
  }

  /** Whether something that the node cannot go on without has failed. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Waiting transactions, ready ones and those behind a nonce gap. */
  get poolCounts(): PoolCounts {
    return this.#parts.pool.counts()
  }

  get head(): Head {
    return this.#view!.head
  }

  /** Whether there is a head yet. */
  get isShown(): boolean {
    return this.#view !== undefined
  }

  view(): View {
    const pool = this.#parts.pool.view()
    const current = this.#view!
    if (current.pool !== pool) this.#view = new View(current.head, pool)
    return this.#view!
  }

  /** Whether the pool would refuse a transaction. @param arriving what of its sender enters the pool before it */
  judge(transaction: PoolTransaction, arriving?: ArrivingQueue): Judgement {
    const state = this.#senderState(transaction)
    // Of another nonce it cannot be there.
    const isUsed = transaction.nonce < state.nonce
    if (isUsed && this.#view!.isInOpenBlock(transaction.hash)) {
      return { kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } }
    }
    return this.#parts.pool.judge(transaction, state, this.#admissionRules(), arriving)
  }

  /**
   * Puts a transaction into the pool, and tells so.
   *
   * @param judged before, where it was
   */
  take(transaction: PoolTransaction, judged?: Admissible): PoolVerdict {
    const rules = this.#admissionRules()
    // With the same open block its state is the same.
    const state = judged?.rules === rules ? judged.state : this.#senderState(transaction)
    const verdict = this.#parts.pool.add(transaction, state, rules, judged)
    if (verdict.kind === 'refused') return verdict
    this.#prefetch(transaction)
    this.forget(withHash(verdict.dropped))
    this.#tell('pooled', transaction)
    return verdict
  }

  /**
   * Takes what was recorded before, in its order; what the chain or the pool has no use for stays out.
   *
   * @returns what stays out though it could be included: those who follow have it waiting
   */
  restorePool(
    transactions: readonly PoolTransaction[],
    dropped: readonly DroppedTransaction[],
  ): readonly LeftTransaction[] {
    const left: LeftTransaction[] = []
    for (const transaction of transactions) {
      const { hash } = transaction
      if (this.#view!.transaction(hash) !== undefined) continue
      const verdict = this.#parts.pool.add(transaction, this.#senderState(transaction), this.#admissionRules())
      if (verdict.kind === 'added') left.push(...withHash(verdict.dropped))
      else if (verdict.refusal.code !== 'NONCE_TOO_LOW') {
        left.push({ hash, reason: { code: 'INVALID', reason: verdict.refusal.code } })
      }
    }
    this.#parts.pool.remember(dropped)
    return left
  }

  /** One that waits. */
  pooled(hash: Hash): PoolTransaction | undefined {
    return this.#parts.pool.get(hash)
  }

  /** Everything in the pool, in the order in which it came. */
  waiting(): readonly PoolTransaction[] {
    const pool = this.#parts.pool.view()
    const pooled = [...pool.senders()].flatMap((sender) => pool.bySender(sender))
    return pooled.sort((a, b) => a.arrival - b.arrival).map(({ transaction }) => transaction)
  }

  /** What left the pool and is kept in mind, the oldest first. */
  dropped(): readonly DroppedTransaction[] {
    return this.#parts.pool.remembered()
  }

  /** Swaps the head and takes what it includes out of the pool in one synchronous step, then tells listeners. */
  publish({ head: announced, flashblocks, sealed }: Announcement): void {
    const { pool } = this.#parts
    const head = this.#withFinality(announced)
    const wentBack = this.#isUnwound
    this.#isUnwound = false
    this.#hold(head)
    const included = new Set(flashblocks.flatMap(({ layer }) => [...layer.positions.keys()]))
    const touched = flashblocks.flatMap(({ layer }) => [...layer.diff.accounts.keys()])
    const changed = wentBack ? pool.view().senders() : new Set(touched.filter((address) => pool.hasSender(address)))
    const { state } = head.pending
    const dropped = pool.reconcile([...changed].map((address) => [address, senderState(state, address)] as const))
    const expired = sealed === undefined ? [] : pool.expire()
    const left = withHash([...dropped.filter(({ transaction }) => !included.has(transaction.hash)), ...expired])
    this.#note(left)
    const view = new View(head, pool.view())
    this.#view = view
    const tellSealed = () => {
      if (sealed !== undefined) this.#tell('sealed', { view, block: sealed.block, receipts: sealed.receipts })
    }
    // Whoever follows may have shown the last flashblock before it knew of the seal.
    if (!flashblocks.some(({ block }) => block === sealed?.block)) tellSealed()
    for (const { layer, block } of flashblocks) {
      this.#tell('flashblock', { view, layer, block })
      if (block === sealed?.block) tellSealed()
    }
    this.#tellDropped(left)
  }

  /** Blocks up to `number` were finalized before this process started, or before its chain was restored. */
  keepFinalized(number: number): void {
    this.#finalized = Math.max(this.#finalized, number)
  }

  /** Blocks are gone; a flashblock of what replaces them follows. @param areAll whether nothing else is */
  tellUnwound(blocks: readonly UnwoundBlock[], { areAll }: { readonly areAll: boolean } = { areAll: true }): void {
    this.#isUnwound = true
    // Only a replica may have to go below what was finalized: its source has another chain.
    for (const { block, wasSealed } of blocks) {
      if (wasSealed) this.#finalized = Math.min(this.#finalized, block.header.number - 1)
    }
    this.#parts.pool.remember(
      blocks.flatMap(({ block }) => {
        const reason = { code: 'REORGANISED', blockNumber: block.header.number, blockHash: block.hash } as const
        return block.transactions.map(({ hash }) => ({ hash, reason }))
      }),
    )
    this.#tell('unwound', { blocks, areAll })
  }

  /** A transaction that no block can include. */
  drop(hash: Hash, reason: DropReason): void {
    const dropped = this.#parts.pool.remove(hash, reason)
    if (dropped !== undefined) this.forget(withHash([dropped]))
  }

  /** The same, told by whoever decides about the pool: it may be gone already, and listeners know then. */
  leave(hash: Hash, reason: DropReason): void {
    if (this.#parts.pool.has(hash)) this.drop(hash, reason)
    else this.#parts.pool.remember([{ hash, reason }])
  }

  /** These are in no block and not in the pool any more. */
  forget(left: readonly LeftTransaction[]): void {
    this.#note(left)
    this.#tellDropped(left)
  }

  /** Something that the node cannot go on without has failed: it stops, and says so. */
  fail(error: unknown): void {
    this.#hasFailed = true
    this.#parts.log.fatal({ err: error }, 'the node cannot go on')
    this.#tell('failed', error)
  }

  /** Gives back what the head reads. */
  releaseHead(): void {
    this.#base?.release()
    this.#base = undefined
  }

  /** A block that was shown as finalized stays so, though the base or the finality depth may be others now. */
  #withFinality(head: Head): Head {
    const { latest, finalized } = head.sealed
    this.#finalized = Math.min(latest, Math.max(this.#finalized, finalized))
    return finalized === this.#finalized ? head : withFinalized(head, this.#finalized)
  }

  /** The head owns its base: when the base moves on, the one before is given back. */
  #hold(head: Head): void {
    if (head.base === this.#base) return
    this.#base?.release()
    this.#base = head.base
  }

  /** Reads the trie nodes that including the transaction will change, now rather than while a flashblock is made. */
  #prefetch({ from, to }: PoolTransaction): void {
    const { trie } = this.#view!.head.pending
    if (this.#prefetched?.trie !== trie) this.#prefetched = { trie, addresses: new Set() }
    const { addresses } = this.#prefetched
    // Most are by those, and to those, of another one.
    if (addresses.has(from) && (to === null || addresses.has(to))) return
    const added = (to === null ? [from] : [from, to]).filter((address) => !addresses.has(address))
    for (const address of added) addresses.add(address)
    if (this.#parts.tries?.prefetch(added) === true) return
    const unknown = { account: undefined, storageCleared: false }
    const accounts = new Map<Address, AccountChange>(added.map((address) => [address, unknown]))
    trie.prefetch({ accounts, storage: new Map(), code: new Map() })
  }

  #senderState({ from }: PoolTransaction) {
    return senderState(this.#view!.head.pending.state, from)
  }

  /** The same object as long as the open block is the same. */
  #admissionRules(): AdmissionRules {
    const { header } = this.#view!.head.pending.block
    if (this.#rules?.header !== header) this.#rules = { header, rules: rulesIn(header, this.#config) }
    return this.#rules.rules
  }

  #note(left: readonly LeftTransaction[]): void {
    if (left.length === 0) return
    this.#parts.pool.remember(left)
    this.#parts.onDropped?.(left)
  }

  #tellDropped(left: readonly DroppedTransaction[]): void {
    for (const { hash, reason } of left) this.#tell('dropped', { hash, reason })
  }

  /** A listener that throws is its own problem: not the sequencer's, in whose step it is told, nor the next listener's. */
  #tell<Name extends keyof NodeEvents>(name: Name, ...event: NodeEvents[Name]): void {
    for (const listener of this.events.rawListeners(name)) {
      try {
        Reflect.apply(listener, this.events, event)
      } catch (error) {
        this.#parts.log.error({ err: error, event: name }, 'a listener failed')
      }
    }
  }
}

function rulesIn(header: Header, config: ChainConfig): AdmissionRules {
  const fork = forkAt(config, header.number, header.timestamp)
  return { config, fork, blockGasLimit: header.gasLimit, baseFee: header.baseFeePerGas ?? 0n }
}

function withHash(dropped: readonly Dropped[]): readonly LeftTransaction[] {
  return dropped.map(({ transaction, reason }) => ({ hash: transaction.hash, reason, transaction }))
}
