import type { Logger } from 'pino'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import type { BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { createEngine } from '../../../engine/create-engine.ts'
import type { Pool } from '../../../pool/pool.ts'
import type { Address } from '../../../primitives/hex.ts'
import type { ChainStore } from '../../../state/chain-store/chain-store.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { BlockWriter } from '../../core/block-writer.ts'
import type { ChainWriter } from '../../core/chain-writer.ts'
import type { Clock } from '../../core/clock.ts'
import type { CurrentView } from '../../core/current-view.ts'
import type { WorkMeter } from '../../core/node-settings.ts'
import type { SetHeadResult } from '../../core/results.ts'
import type { Journal } from '../../log/journal.ts'
import { type HeadContent, stateAbove } from '../../replay/head-transitions.ts'
import type { RemoteTries } from '../../tries/remote-tries.ts'
import { Announcer, type ChainAboveStore, parentOf } from './announcer.ts'
import type { Schedule } from './schedule.ts'
import { type Parent, Sequencer, type SequencerCounts } from './sequencer.ts'
import { setHead } from './set-head.ts'

export interface SequencingOptions {
  readonly config: ChainConfig
  readonly schedule: Schedule
  /** Gas limit of each block; on layer 1 the target of the gas limit. */
  readonly gasLimit: bigint
  readonly coinbase: Address
  /** `false`: no blocks are built, and transactions stay in the pool. Default: true. */
  readonly sequencing?: boolean | undefined
  /** Share of a flashblock interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** Blocks between latest and finalized. */
  readonly finalityDepth: number
}

export interface SequencingDeps {
  readonly chain: ChainStore
  readonly records: Journal
  readonly pool: Pool
  readonly current: CurrentView
  readonly writer: BlockWriter
  readonly chainWriter: ChainWriter
  /** Transactions that are acknowledged, or will be, and are in no flashblock yet. */
  readonly waiting: () => readonly PoolTransaction[]
  readonly clock: Clock
  readonly log: Logger
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Applies diffs to the state trie. Default: this thread. */
  readonly tries?: RemoteTries | undefined
  readonly meter?: WorkMeter | undefined
  /** Block building failed permanently. */
  readonly onFailure: (error: unknown) => void
}

/** A block whose seal ends the records. `unseen`: its flashblocks that were not shown. */
export interface SealedEnd {
  readonly content: HeadContent
  readonly unseen: readonly BuiltFlashblock[]
}

/** Block production: sequencer and announcer on the same chain. */
export class Sequencing {
  readonly #deps: SequencingDeps
  readonly #announcer: Announcer
  readonly #sequencer: Sequencer
  readonly #finalityDepth: number
  /** Serializes calls. */
  #unwinding: Promise<unknown> = Promise.resolve()

  /** @param content of the current head, or of recovery */
  constructor(content: ChainAboveStore, options: SequencingOptions, deps: SequencingDeps) {
    this.#deps = deps
    const { current, pool, writer, records, clock, log, meter, onFailure, yieldTurn } = deps
    const { config, schedule, gasLimit, timeBudget, coinbase, finalityDepth } = options
    this.#finalityDepth = finalityDepth
    const announcer = new Announcer(
      content,
      { finalityDepth },
      { journal: records, writer, publish: (announcement) => current.publish(announcement) },
    )
    this.#announcer = announcer
    this.#sequencer = new Sequencer(
      { schedule, gasLimit, timeBudget, coinbase, standsStill: options.sequencing === false },
      {
        engine: createEngine({ config }),
        clock,
        log,
        candidates: (baseFee) => pool.candidates(baseFee),
        isWaiting: (hash) => pool.has(hash),
        markExecuted: (executed) => pool.markExecuted(executed),
        drop: (dropped, reason) => current.dropTransaction(dropped, reason),
        announce: (flashblock) => announcer.announce(flashblock),
        room: () => writer.room(),
        seal: (flashblock) => announcer.seal(flashblock),
        open: (first) => announcer.open(first),
        onFailure,
        yieldTurn,
        tries: deps.tries,
        meter,
      },
    )
  }

  get counts(): SequencerCounts {
    return this.#sequencer.counts
  }

  /** The announced chain. */
  get content(): ChainAboveStore {
    return this.#announcer.content
  }

  /**
   * Resumes the open block at its next index, or opens the next block. Resolves when a block is open.
   *
   * @param sealed if the block that is shown as open is sealed already
   */
  async begin(sealed?: SealedEnd): Promise<void> {
    if (sealed !== undefined) {
      await this.#sequencer.start(this.#announcer.resumeSealed(sealed.content, sealed.unseen))
      return
    }
    const { base, baseTrie, recent, pending } = this.#announcer.content
    if (pending === undefined) {
      await this.#sequencer.start(
        recent.length > 0 ? parentOf({ base, baseTrie }, recent) : storedParent(base, baseTrie),
      )
      return
    }
    this.#announcer.resume()
    const { block, receipts, layers, trie } = pending
    const above = [...recent, pending]
    const state = stateAbove(base, above)
    this.#sequencer.resume({ block, receipts, trie, state, snapshot: base, above, index: layers.at(-1)!.index })
  }

  /** Enqueues the recovered sealed blocks above the store for writing. */
  storeRecent(): void {
    this.#announcer.storeRecent()
  }

  /** Moves to a newer base. */
  rebase(base: Snapshot, baseTrie: StateTrie): void {
    this.#announcer.rebase(base, baseTrie)
  }

  /** Unwinds the chain; an error fails the node. */
  setHead(number: number): Promise<SetHeadResult> {
    const { chain, records, writer, chainWriter, current, waiting, onFailure } = this.#deps
    const result = this.#unwinding.then(() =>
      setHead(number, {
        chain,
        journal: records,
        writer,
        chainWriter,
        announcer: this.#announcer,
        sequencer: this.#sequencer,
        head: () => current.head,
        finalityDepth: this.#finalityDepth,
        waiting,
        onUnwound: (blocks) => current.emitUnwound(blocks),
      }),
    )
    this.#unwinding = result.catch(onFailure)
    return result
  }

  /** Resolves when the flashblock in progress is announced. */
  idle(): Promise<void> {
    return this.#sequencer.idle()
  }

  /** Stops taking slots. */
  halt(): void {
    this.#sequencer.halt()
  }

  /** Stops taking slots, and waits for the flashblock in progress. */
  async stop(): Promise<void> {
    this.#sequencer.halt()
    await this.#unwinding
    await this.#sequencer.stop()
  }
}

/** The parent if no block is above the store. */
function storedParent(base: Snapshot, baseTrie: StateTrie): Parent {
  return { block: base.block(base.number)!, state: stateAbove(base, []), trie: baseTrie, snapshot: base, above: [] }
}
