import type { Block } from '../../chain/block/block.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Announcement, SealedBlock } from '../machine/announcement.ts'
import type { Head } from '../machine/head.ts'
import type { UnwoundBlock } from '../machine/unwinding.ts'
import { CurrentPool, type CurrentPoolDeps } from './current-pool.ts'
import { createNodeEvents, type EmitNodeEvent, emitIsolated, type NodeEventEmitter } from './events.ts'
import type { HeadStep } from './pool-reconciler.ts'
import { ShownHead } from './shown-head.ts'
import { View } from './view.ts'

export interface CurrentViewDeps extends CurrentPoolDeps {
  readonly log: {
    error(details: object, message: string): void
    fatal(details: object, message: string): void
  }
}

/**
 * The head and the pool of a node in any role, with event listeners. Each update and each capture of both is one
 * synchronous step.
 */
export class CurrentView {
  readonly events: NodeEventEmitter = createNodeEvents()
  readonly pool: CurrentPool
  readonly #log: CurrentViewDeps['log']
  readonly #emit: EmitNodeEvent
  readonly #shown = new ShownHead()
  #hasFailed = false
  /** How the next head relates to the one that is shown. */
  #step: HeadStep = 'extends'
  #view: View | undefined

  constructor({ config }: { readonly config: ChainConfig }, { log, ...deps }: CurrentViewDeps) {
    this.#log = log
    this.#emit = emitIsolated(this.events, log)
    this.pool = new CurrentPool({ config }, { ...deps, shown: () => this.#view!, emit: this.#emit })
  }

  /** Whether the node failed and must stop. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  get head(): Head {
    return this.#view!.head
  }

  /** Whether there is a head yet. */
  get isShown(): boolean {
    return this.#view !== undefined
  }

  view(): View {
    const pool = this.pool.view()
    const current = this.#view!
    if (current.pool !== pool) this.#view = new View(current.head, pool)
    return this.#view!
  }

  /** Swaps the head and removes included transactions from the pool in one synchronous step, then emits events. */
  publish({ head: announced, flashblocks, sealed = [] }: Announcement): void {
    const { pool } = this
    const head = this.#shown.swap(announced)
    const left = pool.reconcile({ head, flashblocks, sealed }, this.#step)
    this.#step = 'extends'
    const view = new View(head, pool.view())
    this.#view = view
    pool.announceDurable(head.sequence)
    this.#emitBlocks(view, flashblocks, sealed)
    pool.emitDropped(left)
  }

  #emitBlocks(view: View, flashblocks: Announcement['flashblocks'], sealed: readonly SealedBlock[]): void {
    const unannounced = new Map(sealed.map(({ block, receipts }) => [block, receipts] as const))
    const emitSealed = (block: Block) => {
      const receipts = unannounced.get(block)
      if (receipts === undefined) return
      this.#emit('sealed', { view, block, receipts })
      unannounced.delete(block)
    }
    // A follower may have shown the last flashblock before the seal arrived.
    const announced = new Set(flashblocks.map(({ block }) => block))
    for (const { block } of sealed) if (!announced.has(block)) emitSealed(block)
    for (const { layer, block } of flashblocks) {
      this.#emit('flashblock', { view, layer, block })
      emitSealed(block)
    }
  }

  /** See `ShownHead.keepFinalized`. */
  keepFinalized(number: number): void {
    this.#shown.keepFinalized(number)
  }

  /**
   * Emits `unwound`; a flashblock of the replacing block follows.
   *
   * @param isComplete false: some unwound blocks are unknown
   */
  emitUnwound(
    blocks: readonly UnwoundBlock[],
    { isComplete }: { readonly isComplete: boolean } = { isComplete: true },
  ): void {
    this.#step = isComplete && this.#step !== 'skips' ? 'unwinds' : 'skips'
    this.#shown.unwind(blocks)
    for (const { block } of blocks) this.pool.rememberUnwound(block)
    this.#emit('unwound', { blocks, isComplete })
  }

  /** Marks the node as failed and emits `failed`. */
  fail(error: unknown): void {
    this.#hasFailed = true
    this.#log.fatal({ err: error }, 'the node has failed')
    this.#emit('failed', error)
  }

  /** Releases the snapshot of the head. */
  releaseHead(): void {
    this.#shown.release()
  }
}
