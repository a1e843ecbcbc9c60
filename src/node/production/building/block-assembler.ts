import type { Logger } from 'pino'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import type { BlockAttributes } from '../../../engine/block/block-attributes.ts'
import { BlockBuilder, type BlockBuilderDeps, type BuiltFlashblock } from '../../../engine/block/build-block.ts'
import { type RequestsFault, requestsFaultMessage } from '../../../engine/block/requests.ts'
import type { Engine } from '../../../engine/types.ts'
import type { Pool } from '../../../pool/pool.ts'
import type { StateDiff } from '../../../state/state-diff.ts'
import type { Clock } from '../../core/clock.ts'
import type { WorkMeter } from '../../core/work-meter.ts'
import type { PayloadPlan } from '../../development/payload-plan.ts'
import type { StateLoads } from '../../forking/state-loads.ts'
import type { BlockWriter } from '../../store/block-writer.ts'
import type { RemoteTries } from '../../tries/remote-tries.ts'
import type { CurrentView } from '../../view/current-view.ts'
import type { Announcer } from './announcer.ts'
import { type Budget, unlimited, type YieldWhenDue, yieldingWork } from './budget.ts'
import { addCandidate, type RefusedTransaction, ValidityChecks } from './candidate-outcome.ts'
import { isSameBlock, type NextBlock, type OpeningPlan } from './next-block.ts'
import { diffsOf, type Parent, type Resumable } from './parent.ts'
import { addExactly } from './pool-filling.ts'

/** The collaborators of block building. */
export interface BlockAssemblerDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Logger
  readonly pool: Pick<Pool, 'candidates' | 'has' | 'markExecuted'>
  readonly current: Pick<CurrentView, 'pool'>
  readonly writer: Pick<BlockWriter, 'room'>
  readonly announcer: Pick<Announcer, 'announce' | 'seal' | 'alter' | 'replace' | 'show' | 'parent'>
  readonly nextBlock: NextBlock
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Applies diffs to the state trie. Default: this thread. */
  readonly tries?: Pick<RemoteTries, 'begin' | 'apply' | 'end'> | undefined
  readonly meter?: WorkMeter | undefined
  /** Loads the state of transactions of a forked chain. Default: the state is complete. */
  readonly loads?: StateLoads | undefined
  /** Whether the next block is due at a fixed time. Default: false. */
  readonly isScheduled?: (() => boolean) | undefined
}

/** Milliseconds for which a block on demand waits for the slots that its first calls need, on a forked chain. */
const PATIENCE_MS = 5_000

/**
 * Builds blocks from the pool: opens them, fills them, seals them. One operation at a time: execution awaits, so each
 * is a critical section. Drivers decide when.
 */
export class BlockAssembler {
  readonly #deps: BlockAssemblerDeps
  #builder: BlockBuilder | undefined
  #snapshot: Parent['snapshot'] | undefined
  #flashblocks = 0
  /** When the last flashblock of the newest sealed block was complete. */
  #completedAt: number | undefined

  constructor(deps: BlockAssemblerDeps) {
    this.#deps = deps
  }

  /** Flashblocks with user transactions, also empty ones, built so far. */
  get flashblocks(): number {
    return this.#flashblocks
  }

  /** Attributes of the open block. */
  get attributes(): BlockAttributes {
    return this.#builder!.attributes
  }

  /** Whether a block is open: none is while the chain is unwound. */
  get isOpen(): boolean {
    return this.#builder !== undefined
  }

  /** Whether the open block has no transactions. */
  get isEmpty(): boolean {
    return this.#builder!.isEmpty
  }

  /** Opens the first block, on a sealed one. */
  async start(parent: Parent, opening: OpeningPlan): Promise<void> {
    this.#deps.tries?.begin(diffsOf(parent))
    await this.open(parent, opening)
  }

  /** Resumes a block that was open when building stopped, at its next index. */
  resume(open: Resumable): void {
    this.#deps.tries?.begin(diffsOf(open))
    this.#hold(open.snapshot)
    this.#builder = BlockBuilder.resume(open, this.#builderParts(open))
  }

  /** Leaves the open block as announced. */
  end(): void {
    this.#builder?.close()
    this.#builder = undefined
    this.#hold(undefined)
    this.#deps.tries?.end()
  }

  /** Opens a block; the preceding seal becomes visible with it. */
  async open(parent: Parent, opening: OpeningPlan): Promise<void> {
    const { announcer, clock, meter, nextBlock } = this.#deps
    const first = await this.#first(parent, this.#attributesAfter(parent, opening))
    await announcer.announce(first)
    nextBlock.opened(parent.block, first.block)
    if (this.#completedAt !== undefined) meter?.('seal', clock.monotonic() - this.#completedAt)
    this.#completedAt = undefined
  }

  /** Announces a flashblock with the best transactions of the pool. @param budget default: that of the block */
  async flashblock(budget = unlimited(this.attributes.gasLimit)): Promise<void> {
    const { announcer, clock, meter } = this.#deps
    const start = clock.monotonic()
    const yieldWhenDue = this.#yieldWhenDue(budget)
    await this.#fill(budget, yieldWhenDue)
    const flashblock = await this.#close(this.#builder!, yieldWhenDue)
    const built = clock.monotonic()
    meter?.('build', built - start)
    this.#flashblocks += 1
    await announcer.announce(flashblock)
    meter?.('announce', clock.monotonic() - built)
  }

  /** Seals the open block with a last flashblock. Returns the parent of the next one: call `open` at once. */
  async seal(budget: Budget): Promise<Parent> {
    const start = this.#deps.clock.monotonic()
    const yieldWhenDue = this.#yieldWhenDue(budget)
    await this.#fill(budget, yieldWhenDue)
    return this.#seal(yieldWhenDue, start)
  }

  /**
   * Builds and seals the next block from all executable transactions, then opens another one. An empty open block is
   * replaced first when its attributes differ from those of `opening`.
   *
   * @param next the opening of the block after it
   * @param isEmptyAllowed false: a block without transactions is not sealed
   */
  async mine(
    opening: OpeningPlan,
    { next, isEmptyAllowed }: { readonly next: () => OpeningPlan; readonly isEmptyAllowed: boolean },
  ): Promise<Mined> {
    if (this.isEmpty) await this.#replace(opening)
    const start = this.#deps.clock.monotonic()
    const budget = unlimited(this.attributes.gasLimit)
    const yieldWhenDue = this.#yieldWhenDue(budget)
    const { isFull } = await this.#fillWithAll(budget, yieldWhenDue)
    if (this.isEmpty && !isEmptyAllowed) {
      await this.#deps.announcer.show()
      return { isMined: false, isFull: false }
    }
    const parent = await this.#seal(yieldWhenDue, start)
    await this.open(parent, next())
    return { isMined: true, isFull }
  }

  /**
   * Builds and seals a block of these transactions alone, in their order, then opens another one. Waits for state that
   * is loaded on demand.
   *
   * @param next the opening of the block after it
   * @returns the first transaction that the block cannot include; then the block is open and empty
   */
  async mineExactly(
    transactions: readonly RecoveredTransaction[],
    opening: OpeningPlan,
    next: () => OpeningPlan,
  ): Promise<RefusedTransaction | undefined> {
    await this.#replace(opening)
    const refused = await addExactly(this.#builder!, transactions)
    if (refused !== undefined) {
      await this.#openInstead(this.#deps.announcer.parent(), this.attributes)
      return refused
    }
    const parent = await this.#seal(this.#yieldWhenDue(unlimited(0n)), this.#deps.clock.monotonic())
    await this.open(parent, next())
    return undefined
  }

  /**
   * Builds and seals a block of a payload, which replaces the empty open block, then opens another one.
   *
   * @param next the opening of the block after it
   * @returns why the block is not valid; another one is open then, and nothing has changed
   */
  async minePayload(
    { attributes, transactions }: PayloadPlan,
    next: () => OpeningPlan,
  ): Promise<RefusedTransaction | RequestsFault | undefined> {
    const start = this.#deps.clock.monotonic()
    const budget = unlimited(attributes.gasLimit)
    const yieldWhenDue = this.#yieldWhenDue(budget)
    const parent = this.#deps.announcer.parent()
    await this.#openInstead(parent, attributes)
    if (transactions === undefined) await this.#fillWithAll(budget, yieldWhenDue)
    const refused = transactions && (await addExactly(this.#builder!, transactions, yieldWhenDue))
    const fault = refused ?? (await this.#builder!.complete())
    if (fault !== undefined) {
      await this.#openInstead(parent, this.#attributesAfter(parent, next()))
      await this.#deps.announcer.show()
      return fault
    }
    await this.open(await this.#sealCompleted(yieldWhenDue, start), next())
    return undefined
  }

  /** Whether the pool has an executable transaction for the open block. */
  hasCandidates(): boolean {
    return this.#deps.pool.candidates(this.attributes.baseFeePerGas).peek() !== undefined
  }

  /** Opens the next block anew with the present settings: replaces an empty open block, and seals another one first. */
  async reopen(opening: () => OpeningPlan): Promise<void> {
    if (this.isEmpty) {
      await this.#replace(opening())
      await this.#deps.announcer.show()
      return
    }
    const start = this.#deps.clock.monotonic()
    const parent = await this.#seal(this.#yieldWhenDue(unlimited(0n)), start)
    await this.open(parent, opening())
  }

  /** Applies state changes from outside after the newest sealed block, and announces the empty open block anew. */
  async alter(diff: StateDiff): Promise<void> {
    const { announcer } = this.#deps
    const { attributes } = this
    announcer.alter(diff)
    await this.#openInstead(announcer.parent(), attributes)
    await announcer.show()
  }

  /** Opens a block on sealed ones that replaced the empty open block and left the state as it is. */
  async openAfterUnchanged(opening: OpeningPlan): Promise<void> {
    const { announcer, tries } = this.#deps
    const parent = announcer.parent()
    this.#builder!.close()
    tries?.begin(diffsOf(parent))
    await announcer.announce(await this.#first(parent, this.#attributesAfter(parent, opening)))
  }

  /** Replaces the empty open block if a block opened now would differ. Not visible before the next `open` or `show`. */
  async #replace(opening: OpeningPlan): Promise<void> {
    const parent = this.#deps.announcer.parent()
    const attributes = this.#attributesAfter(parent, opening)
    if (!isSameBlock(this.attributes, attributes)) await this.#openInstead(parent, attributes)
  }

  async #openInstead(parent: Parent, attributes: BlockAttributes): Promise<void> {
    const { announcer, tries } = this.#deps
    this.#builder!.close()
    tries?.begin(diffsOf(parent))
    announcer.replace(await this.#first(parent, attributes))
  }

  /** Opens a block and returns its flashblock of index 0. */
  async #first(parent: Parent, attributes: BlockAttributes): Promise<BuiltFlashblock> {
    const { loads, isScheduled } = this.#deps
    this.#hold(parent.snapshot)
    await loads?.opening.beforeOpening(attributes, { patienceMs: isScheduled?.() === true ? 0 : PATIENCE_MS })
    this.#builder = await BlockBuilder.open(attributes, this.#builderParts(parent))
    return this.#close(this.#builder, this.#yieldWhenDue(unlimited(0n)))
  }

  #attributesAfter(parent: Parent, opening: OpeningPlan): BlockAttributes {
    return this.#deps.nextBlock.attributes(parent.block, opening)
  }

  /** @param start of the work on its last flashblock */
  async #seal(yieldWhenDue: YieldWhenDue, start: number): Promise<Parent> {
    const fault = await this.#builder!.complete()
    if (fault !== undefined) throw new Error(`no block can be sealed: ${requestsFaultMessage(fault)}`)
    return this.#sealCompleted(yieldWhenDue, start)
  }

  async #sealCompleted(yieldWhenDue: YieldWhenDue, start: number): Promise<Parent> {
    const { announcer, clock, meter, nextBlock, writer } = this.#deps
    const builder = this.#builder!
    const flashblock = await this.#close(builder, yieldWhenDue)
    this.#completedAt = clock.monotonic()
    meter?.('build', this.#completedAt - start)
    this.#flashblocks += 1
    // The store must not be too far behind.
    await writer.room()
    // In the same step as `#first` retains the parent's snapshot: afterwards the store may replace it.
    announcer.seal(flashblock)
    const parent = announcer.parent()
    nextBlock.sealed(parent.block.header.number)
    builder.close()
    this.#hold(parent.snapshot)
    return parent
  }

  #builderParts({ state, trie }: Pick<Parent, 'state' | 'trie'>): BlockBuilderDeps {
    const { engine, tries, loads } = this.#deps
    const applyDiff: BlockBuilderDeps['applyDiff'] =
      tries !== undefined
        ? (before, diff, { number }) => tries.apply(before, { number, diff })
        : loads && ((before, diff) => loads.applied(before, diff))
    return { engine, state, trie, applyDiff, skipsMissingCalls: loads !== undefined }
  }

  /** Retains the snapshot that the open block reads, and releases the previous one. */
  #hold(snapshot: Parent['snapshot'] | undefined): void {
    snapshot?.retain()
    this.#snapshot?.release()
    this.#snapshot = snapshot
  }

  /** As `#fill`, and waits for the state of transactions that were set aside: a block on demand has no deadline. */
  async #fillWithAll(budget: Budget, yieldWhenDue: YieldWhenDue): Promise<Pick<Mined, 'isFull'>> {
    for (;;) {
      const filled = await this.#fill(budget, yieldWhenDue)
      const loaded = filled.isFull ? undefined : this.#deps.loads?.next()
      if (loaded === undefined) return filled
      await loaded
    }
  }

  /** Adds the best executable transactions until the gas, the time or the pool is used up. */
  async #fill({ gas, executionMs, predicates }: Budget, yieldWhenDue: YieldWhenDue): Promise<Pick<Mined, 'isFull'>> {
    const { clock, pool, current, loads } = this.#deps
    const deadline = clock.monotonic() + executionMs
    const builder = this.#builder!
    const checks = new ValidityChecks(predicates)
    const queue = pool.candidates(builder.attributes.baseFeePerGas)
    let isFull = false
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
      if (clock.monotonic() > deadline) return { isFull }
      const turn = yieldWhenDue()
      if (turn !== undefined) await turn
      const free = gas - BigInt(builder.gasUsed)
      // A candidate may have been replaced or evicted during a yield.
      if (next.gasLimit > free || !pool.has(next.hash) || loads?.isSetAside(next.hash) === true) {
        if (next.gasLimit > free && next.gasLimit <= gas) isFull = true
        queue.skipSender()
        continue
      }
      const added = addCandidate(builder, next, { free, checks }, this.#deps)
      const outcome = added instanceof Promise ? await added : added
      if (outcome !== 'later') loads?.forget(next.hash)
      if (outcome === 'included') {
        pool.markExecuted(next.hash)
        queue.accept()
      } else {
        queue.skipSender()
        // No block has room for what exceeds an empty one.
        if (outcome === 'full') isFull ||= !builder.isEmpty
        else if (outcome !== 'later') current.pool.drop(next.hash, outcome)
      }
    }
    return { isFull }
  }

  /** Closes the flashblock. Computing roots for a thousand transactions takes as long as executing them. */
  async #close(builder: BlockBuilder, yieldWhenDue: YieldWhenDue): Promise<BuiltFlashblock> {
    const steps = builder.flashblockSteps()
    for (;;) {
      const step = steps.next()
      await yieldWhenDue()
      if (step.done === true) return step.value
      await step.value
    }
  }

  #yieldWhenDue(budget: Budget): YieldWhenDue {
    return yieldingWork(budget, this.#deps)
  }
}

/** Outcome of mining a block. */
export interface Mined {
  /** Whether a block was sealed. */
  readonly isMined: boolean
  /** Whether executable transactions remain that did not fit in it. */
  readonly isFull: boolean
}
