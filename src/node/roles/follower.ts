import { randomInt } from 'node:crypto'
import type { Header } from '../../chain/block/header.ts'
import { hasBlobs } from '../../chain/forks/chain-config.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { beginAnew, dropReplacedRecords } from '../../state/chain-store/transfer/chain-transfer.ts'
import { storeGenesis } from '../core/genesis-chain.ts'
import type { SubmitResult } from '../core/results.ts'
import { forkOf } from '../following/fork-point.ts'
import { forwardRequest, forwardTransaction } from '../following/forwarded-send.ts'
import { PoolMirror } from '../following/pool-mirror.ts'
import { ReplicaChain } from '../following/replica-chain.ts'
import { restoreSnapshot } from '../following/restore-snapshot.ts'
import { SourceFollower } from '../following/source-follower.ts'
import type {
  LeaderReply,
  LeaderRequest,
  RecordConnection,
  RecordSource,
  StreamHandshake,
  StreamHello,
  StreamSettings,
} from '../log/record-source.ts'
import { type Finality, finalityOf } from '../machine/finality.ts'
import { finalizedHeight } from '../machine/head-transitions.ts'
import type { Epoch, Recovered } from '../machine/recovery.ts'
import { removedBlocks } from '../machine/unwinding.ts'
import { noteFinality } from '../store/stored-finality.ts'
import type { NodeCore } from './node-core.ts'
import type { FollowingProgress } from './node-handle.ts'
import { recoverStored } from './recover-stored.ts'

/** Maximum number of records that a standby may lack when it tries for the lease: it applies them before its epoch. */
const MAX_RECORDS_BEHIND = 5_000

export interface FollowerDeps {
  readonly core: NodeCore
  readonly source: RecordSource
  /** Finality depth of the followed node. */
  readonly finalityDepth: () => number
  /** Called with the settings of the followed node before any of its records is applied. */
  readonly onSettings: (settings: StreamSettings) => Promise<void>
  /** Called when a record of a change of leaders is applied. */
  readonly onEpoch?: ((epoch: Epoch) => void) | undefined
  /** The node cannot continue without an operator. */
  readonly onFailure: (error: unknown) => void
}

/** Follows a source with an open data directory: from the chain in the directory, or from nothing. */
export class Follower {
  readonly chain: ReplicaChain
  readonly mirror: PoolMirror
  readonly #source: SourceFollower
  readonly #deps: FollowerDeps
  #isBegun = false
  #isRestoring = false
  #isReplacing = false

  constructor(deps: FollowerDeps) {
    this.#deps = deps
    const { core, source, onSettings, onEpoch, onFailure } = deps
    const { chain, records, writer, chainWriter, current, clock, log } = core
    this.mirror = new PoolMirror(current)
    this.chain = new ReplicaChain({
      chain,
      records,
      writer,
      chainWriter,
      current,
      pool: this.mirror,
      finality: () => this.#finality(),
      onEpoch,
    })
    this.#source = new SourceFollower({
      source,
      chain: this.chain,
      hello: (anew) => this.#hello(anew || this.#isReplacing),
      begin: (connection, anew) => this.#begin(connection, anew || this.#isReplacing),
      onSettings,
      clock,
      random: () => randomInt(2 ** 32) / 2 ** 32,
      log,
      onFailure,
    })
  }

  #finality(): Finality {
    const { core, finalityDepth } = this.#deps
    return finalityOf(finalityDepth(), core.config)
  }

  /** The newest block known here: the open one, or block 0 before a chain is shown. */
  get newest(): Header {
    const { current, genesis } = this.#deps.core
    return current.isShown ? current.head.pending.block.header : genesis.block.header
  }

  /** Whether there is a chain to continue. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Whether another chain is to take the place of that in the directory, such as a snapshot that is arriving. */
  get isRestoring(): boolean {
    return this.#isRestoring
  }

  /** Whether store and records are being replaced, so that they may not belong together. */
  get isReplacing(): boolean {
    return this.#isReplacing
  }

  get progress(): FollowingProgress {
    const { sequence, duplicates } = this.chain
    return { ...this.#source.status, sequence, duplicates }
  }

  /** Whether the chain here is complete enough to lead. */
  get couldLead(): boolean {
    const { connections, isAhead, newestSequence, sequence } = this.progress
    // A lost connection does not matter: a take-over reads the end of the log first. A log that lost its end sends no
    // records until a node leads that has them.
    const isCurrent = isAhead || (connections > 0 && newestSequence - sequence <= MAX_RECORDS_BEHIND)
    return this.#isBegun && !this.#isRestoring && isCurrent
  }

  /** Starts from the chain in the directory. */
  async resume(): Promise<Recovered> {
    const { core, finalityDepth } = this.#deps
    this.#keepUnfinalized()
    const { base, baseTrie, recovered, pooled, dropped } = await recoverStored(core, finalityDepth())
    this.mirror.begin(pooled, dropped, 0)
    const { recent, partials, open, altered } = recovered
    const { lastSequence: sequence } = core.records
    this.chain.begin({ sequence, base, baseTrie, recent, partials, pending: open, altered })
    this.#isBegun = true
    return recovered
  }

  /** Keeps the shown block finalized if the finality depth has changed. */
  noteFinality(): Promise<void> {
    const { core, finalityDepth } = this.#deps
    const { current, directory } = core
    return noteFinality(directory.store, finalityDepth(), current.isShown ? current.head.sealed.finalized : undefined)
  }

  /** @param anew start from a snapshot instead of the chain in the directory */
  start(options: { readonly anew: boolean }): void {
    this.#source.start(options)
  }

  /** Nothing is applied after this; the follower may be started again. */
  stop(): Promise<void> {
    return this.#source.stop()
  }

  /**
   * Forwards a transaction to the leader, and resolves when its record is applied here.
   *
   * @throws ReplicaError
   */
  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    const { config, senders, clock } = this.#deps.core
    return forwardTransaction(
      raw,
      { hasBlobs: hasBlobs(config) },
      {
        senders,
        clock,
        // The leader is on another machine and does not trust a sender recovered here.
        submit: (bytes) => this.#source.submit(bytes),
        applied: (sequence) => this.chain.applied(sequence),
      },
      from,
    )
  }

  /**
   * Forwards a request to the leader, and resolves when its effects are applied here.
   *
   * @throws ReplicaError
   */
  forward(request: LeaderRequest): Promise<LeaderReply> {
    return forwardRequest(request, {
      clock: this.#deps.core.clock,
      request: (sent) => this.#source.request(sent),
      applied: (sequence) => this.chain.applied(sequence),
    })
  }

  /** Retains the state of unfinalized blocks: the leader may unwind to its finalized block. */
  #keepUnfinalized(): void {
    const { core, finalityDepth } = this.#deps
    core.chain.keepAtLeast(finalityDepth())
  }

  #hello(anew: boolean): StreamHello {
    const { chainId, genesisHash } = this.#deps.core.identity
    return { chainId, genesisHash, cursor: anew ? undefined : this.chain.cursor(), finalized: this.#finalizedBlock() }
  }

  #finalizedBlock(): StreamHello['finalized'] {
    const { current } = this.#deps.core
    if (!current.isShown) return undefined
    // By the source's finality depth: it may unwind to there, even if a smaller depth finalized later blocks here.
    const { base, sealed } = current.head
    const number = finalizedHeight(sealed.latest, base, this.#finality())
    const hash = current.view().blockHash({ kind: 'number', number })
    return hash === undefined ? undefined : { number, hash }
  }

  async #begin(connection: RecordConnection, anew: boolean): Promise<void> {
    const { begins } = connection.handshake
    this.#keepUnfinalized()
    // A source that was unwound to block 0 offers its records since then to a replica without any.
    const continues = begins.kind === 'records' && begins.from <= this.chain.sequence + 1
    if (continues && this.#isBegun && !anew) return
    this.#isRestoring = true
    try {
      await this.#beginAnew(connection)
    } finally {
      // A transfer that breaks off before it replaces the chain here leaves that as it was.
      this.#isRestoring = this.#isReplacing
    }
  }

  async #beginAnew(connection: RecordConnection): Promise<void> {
    const { handshake } = connection
    const { writer, records } = this.#deps.core
    await writer.idle()
    const shown = this.#shownSequence()
    const isHeld = handshake.begins.from <= shown
    const onComplete = () => {
      this.#isReplacing = true
      // A lagging source may have another chain, or less of the same one: compare once its end is reached.
      this.chain.hold(isHeld ? Math.min(shown, handshake.newestSequence) : undefined)
    }
    if (handshake.begins.kind === 'records') {
      onComplete()
      await this.#beginAtGenesis(handshake.begins.from, isHeld ? shown : 0)
    } else {
      await this.#restoreSnapshot(connection, handshake.begins, { held: isHeld ? shown : undefined, onComplete })
    }
    await this.noteFinality()
    const { base, baseTrie } = this.#deps.core.storedBase()
    const { lastSequence: sequence } = records
    this.chain.begin({ sequence, base, baseTrie, recent: [], pending: undefined, partials: [] })
    this.#isBegun = true
    this.#isReplacing = false
  }

  #shownSequence(): number {
    const { current } = this.#deps.core
    return current.isShown ? current.head.sequence : 0
  }

  /** For a source with all records since genesis. @param held the record whose head stays shown until then; 0: none */
  async #beginAtGenesis(from: number, held: number): Promise<void> {
    const { directory, genesis, records, current } = this.#deps.core
    const { store } = directory
    await beginAnew(
      store,
      (tables) => storeGenesis(new ChainStore({ history: 'all' }, { store: tables }), genesis),
      from,
    )
    await dropReplacedRecords(store, (first) => records.reset(first))
    this.mirror.begin([], [], held)
    if (current.isShown && held === 0) current.emitUnwound([], { isComplete: false })
  }

  /** @param held the record whose head stays shown until the records reach it; `undefined`: they may not reach it */
  async #restoreSnapshot(
    connection: RecordConnection,
    begins: Extract<StreamHandshake['begins'], { kind: 'snapshot' }>,
    { held, onComplete }: { readonly held: number | undefined; readonly onComplete: () => void },
  ): Promise<void> {
    const { directory, cache, genesis, records, current } = this.#deps.core
    const { waiting, dropped, hashes } = await restoreSnapshot(connection, begins, {
      store: directory.store,
      cache,
      genesis,
      onComplete,
      resetRecords: (first) => records.reset(first),
    })
    // Not held: the records here are not those of the source.
    if (held === undefined) this.mirror.release()
    this.mirror.begin(waiting, dropped, Math.max(held ?? 0, begins.poolSequence))
    if (!current.isShown || held !== undefined) return
    const fork = forkOf(current.view(), hashes)
    current.emitUnwound(fork === undefined ? [] : removedBlocks(current.head, fork), { isComplete: false })
  }
}
