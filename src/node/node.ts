import type { Logger } from 'pino'
import type { ChainConfig } from '../chain/chain-config.ts'
import { forkAt } from '../chain/fork-schedule.ts'
import type { BlobTransaction, PoolTransaction } from '../chain/transaction.ts'
import { sidecarProofFaults } from '../engine/blobs/verify-sidecar.ts'
import type { Engine } from '../engine/types.ts'
import type { AdmissionRules } from '../pool/admission.ts'
import type { Dropped, Pool, PoolCounts } from '../pool/pool.ts'
import type { DropReason } from '../pool/types.ts'
import type { Bytes, Hash } from '../primitives/hex.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { Announcement } from './announcer.ts'
import { createNodeEvents, type NodeEventEmitter, type NodeEvents, type UnwoundBlock } from './events.ts'
import type { Head } from './head.ts'
import type { Journal } from './journal.ts'
import type { NodeService, SetHeadResult, SubmitRefusal, SubmitResult } from './node-service.ts'
import type { SenderRecovery } from './sender-recovery.ts'
import { senderState } from './sender-state.ts'
import type { SequencerCounts } from './sequencer.ts'
import { receiveTransaction } from './submission.ts'
import { View } from './view.ts'

export interface NodeOptions {
  readonly config: ChainConfig
  /** Milliseconds. */
  readonly blockTime: number
  /** Flashblocks of a block, the opening one besides. */
  readonly slots: number
  readonly gasLimit: bigint
}

export interface NodeParts {
  /** For readers; the sequencer has its own. */
  readonly engine: Engine
  readonly pool: Pool
  readonly journal: Journal
  readonly senders: SenderRecovery
  readonly log: Logger
  readonly operation: NodeOperation
  /** Lets others have their turn between steps of long work. */
  readonly yieldTurn: () => Promise<void>
}

/** What makes the chain go on, as the node's owner steers it. */
export interface NodeOperation {
  readonly counts: () => SequencerCounts
  readonly diskBytes: () => Promise<number>
  readonly setHead: (number: number) => Promise<SetHeadResult>
  /** Where the store and the records are, and the first record of what is above block `stored`. */
  readonly source: (stored: number) => FollowedSource
  /** Settles when the flashblock that is being made is announced, and sealed blocks are in the store. */
  readonly idle: () => Promise<void>
  /** Finishes what is being made and written, and closes the data directory. */
  readonly stop: () => Promise<void>
}

/** Where a follower on this machine begins (`HeadFollower`). */
export interface FollowedSource {
  readonly directory: string
  readonly from: number
}

/** Something that the node cannot go on without has failed before. */
export class NodeFailedError extends Error {
  readonly code = 'NODE_FAILED'
  override readonly name = 'NodeFailedError'
}

/** The chain and the pool as serving layers see them: one head, one pool, swapped and captured in single steps. */
export class Node implements NodeService {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter = createNodeEvents()
  readonly blockTime: number
  readonly slots: number
  readonly gasLimit: bigint
  readonly #pool: Pool
  readonly #journal: Journal
  readonly #senders: SenderRecovery
  readonly #log: Logger
  readonly #operation: NodeOperation
  readonly #yieldTurn: () => Promise<void>
  /** In the journal, but not in the pool yet. */
  readonly #arriving = new Set<PoolTransaction>()
  #hasFailed = false
  #view: View | undefined
  #base: Snapshot | undefined

  constructor(options: NodeOptions, parts: NodeParts) {
    this.config = options.config
    this.blockTime = options.blockTime / 1000
    this.slots = options.slots
    this.gasLimit = options.gasLimit
    this.engine = parts.engine
    this.#pool = parts.pool
    this.#journal = parts.journal
    this.#senders = parts.senders
    this.#log = parts.log
    this.#operation = parts.operation
    this.#yieldTurn = parts.yieldTurn
  }

  get counts(): SequencerCounts {
    return this.#operation.counts()
  }

  /** Waiting transactions, ready ones and those behind a nonce gap. */
  get poolCounts(): PoolCounts {
    return this.#pool.counts()
  }

  /** Whether something that the node cannot go on without has failed. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Bytes that the data directory takes on disk. */
  diskBytes(): Promise<number> {
    return this.#operation.diskBytes()
  }

  idle(): Promise<void> {
    return this.#operation.idle()
  }

  /** What leads to the present head, for a follower. */
  followed(): FollowedSource & { readonly to: number } {
    const { base, sequence } = this.#view!.head
    return { ...this.#operation.source(base.number), to: sequence }
  }

  /** The node answers nothing after this. */
  async stop(): Promise<void> {
    await this.#operation.stop()
  }

  setHead(number: number): Promise<SetHeadResult> {
    return this.#operation.setHead(number)
  }

  view(): View {
    const pool = this.#pool.view()
    const current = this.#view!
    if (current.pool !== pool) this.#view = new View(current.head, pool)
    return this.#view!
  }

  /** Accepted only when it is on disk: an acknowledged transaction survives (design claim 2). */
  async submit(raw: Bytes): Promise<SubmitResult> {
    this.#checkUsable()
    const received = await receiveTransaction(raw, { isLayer2: this.config.layer2 !== undefined }, this.#senders)
    if (received.kind === 'refused') return received
    const { transaction } = received
    const { hash } = transaction
    const early = transaction.type === 3 ? await this.#blobRefusal(transaction) : undefined
    // Nothing comes between judging and the journal: what failed or arrived while this one was checked counts.
    this.#checkUsable()
    const refusal = early ?? this.#refusal(transaction)
    if (refusal !== undefined) return { kind: 'refused', hash, refusal }
    this.#arriving.add(transaction)
    try {
      this.#journal.append({ kind: 'pool', transactions: [transaction] })
      await this.#journal.sync()
    } finally {
      this.#arriving.delete(transaction)
    }
    // Others may have come first while the disk was busy.
    const verdict = this.#pool.add(transaction, this.#senderState(transaction), this.#rules())
    if (verdict.kind === 'refused') return { kind: 'refused', hash, refusal: verdict.refusal }
    this.#prefetch(transaction)
    this.#forget(verdict.dropped)
    this.#tell('pooled', transaction)
    return { kind: 'accepted', transaction }
  }

  /** Takes transactions that were journaled before, in their order; what the chain or the pool has no use for stays out. */
  restorePool(transactions: readonly PoolTransaction[]): void {
    for (const transaction of transactions) {
      if (this.#view!.transaction(transaction.hash) !== undefined) continue
      this.#pool.add(transaction, this.#senderState(transaction), this.#rules())
    }
  }

  /** Everything that was acknowledged, or will be, and is in no flashblock yet. */
  waiting(): readonly PoolTransaction[] {
    const pool = this.#pool.view()
    const pooled = [...pool.senders()].flatMap((sender) => pool.bySender(sender))
    return [...pooled.sort((a, b) => a.arrival - b.arrival).map(({ transaction }) => transaction), ...this.#arriving]
  }

  /** Swaps the head and takes what it includes out of the pool in one synchronous step, then tells listeners. */
  publish({ head, flashblocks, sealed }: Announcement): void {
    const wentBack = this.#view !== undefined && head.sealed.latest < this.#view.head.sealed.latest
    this.#hold(head)
    const included = new Set(flashblocks.flatMap(({ layer }) => [...layer.positions.keys()]))
    const touched = flashblocks.flatMap(({ layer }) => [...layer.diff.accounts.keys()])
    const changed = wentBack
      ? this.#pool.view().senders()
      : new Set(touched.filter((address) => this.#pool.hasSender(address)))
    const { state } = head.pending
    const dropped = this.#pool.reconcile([...changed].map((address) => [address, senderState(state, address)] as const))
    const expired = sealed === undefined ? [] : this.#pool.expire()
    const left = withHash([...dropped.filter(({ transaction }) => !included.has(transaction.hash)), ...expired])
    this.#pool.remember(left)
    const view = new View(head, this.#pool.view())
    this.#view = view
    for (const { layer, block, receipts } of flashblocks) {
      this.#tell('flashblock', { view, layer, block })
      if (block === sealed?.block) this.#tell('sealed', { view, block, receipts })
    }
    this.#tellDropped(left)
  }

  /** Blocks are gone; a flashblock of what replaces them follows. */
  tellUnwound(blocks: readonly UnwoundBlock[]): void {
    this.#pool.remember(
      blocks.flatMap(({ block }) => {
        const reason = { code: 'REORGANISED', blockNumber: block.header.number, blockHash: block.hash } as const
        return block.transactions.map(({ hash }) => ({ hash, reason }))
      }),
    )
    this.#tell('unwound', { blocks })
  }

  /** A transaction that no block can include. */
  drop(hash: Hash, reason: DropReason): void {
    const dropped = this.#pool.remove(hash, reason)
    if (dropped !== undefined) this.#forget([dropped])
  }

  /** Something that the node cannot go on without has failed: it stops, and says so. */
  fail(error: unknown): void {
    this.#hasFailed = true
    this.#log.fatal({ err: error }, 'the node cannot go on')
    this.#tell('failed', error)
  }

  /** Gives back what the head reads. */
  releaseHead(): void {
    this.#base?.release()
    this.#base = undefined
  }

  /** The head owns its base: when the base moves on, the one before is given back. */
  #hold(head: Head): void {
    if (head.base === this.#base) return
    this.#base?.release()
    this.#base = head.base
  }

  /** Reads the trie nodes that including the transaction will change, now rather than while a flashblock is made. */
  #prefetch({ from, to }: PoolTransaction): void {
    const touched = to === null ? [from] : [from, to]
    const accounts = new Map(touched.map((address) => [address, { account: undefined, storageCleared: false }]))
    this.#view!.head.pending.trie.prefetch({ accounts, storage: new Map(), code: new Map() })
  }

  #checkUsable(): void {
    if (this.#hasFailed) throw new NodeFailedError('the node has failed and accepts nothing more: see its log')
  }

  #refusal(transaction: PoolTransaction): SubmitRefusal | undefined {
    const known = this.#view!.transaction(transaction.hash)
    if (known?.kind === 'included' && known.block.status === 'open') return { code: 'ALREADY_KNOWN' }
    return this.#pool.judge(transaction, this.#senderState(transaction), this.#rules())
  }

  /** The proofs last: nothing else about a transaction takes so long to check. */
  async #blobRefusal(transaction: BlobTransaction & PoolTransaction): Promise<SubmitRefusal | undefined> {
    const refusal = this.#refusal(transaction)
    const { sidecar } = transaction
    if (refusal !== undefined || sidecar === undefined) return refusal
    for (const reason of sidecarProofFaults(sidecar)) {
      if (reason !== undefined) return { code: 'INVALID_BLOBS', reason }
      await this.#yieldTurn()
    }
    return undefined
  }

  #senderState({ from }: PoolTransaction) {
    return senderState(this.#view!.head.pending.state, from)
  }

  #rules(): AdmissionRules {
    const { header } = this.#view!.head.pending.block
    const fork = forkAt(this.config, header.number, header.timestamp)
    return { config: this.config, fork, blockGasLimit: header.gasLimit, baseFee: header.baseFeePerGas ?? 0n }
  }

  #forget(dropped: readonly Dropped[]): void {
    const left = withHash(dropped)
    this.#pool.remember(left)
    this.#tellDropped(left)
  }

  #tellDropped(left: readonly NodeEvents['dropped'][0][]): void {
    for (const event of left) this.#tell('dropped', event)
  }

  /** A listener that throws is its own problem: not the sequencer's, in whose step it is told, nor the next listener's. */
  #tell<Name extends keyof NodeEvents>(name: Name, ...event: NodeEvents[Name]): void {
    for (const listener of this.events.rawListeners(name)) {
      try {
        Reflect.apply(listener, this.events, event)
      } catch (error) {
        this.#log.error({ err: error, event: name }, 'a listener failed')
      }
    }
  }
}

function withHash(dropped: readonly Dropped[]): readonly NodeEvents['dropped'][0][] {
  return dropped.map(({ transaction, reason }) => ({ hash: transaction.hash, reason }))
}
