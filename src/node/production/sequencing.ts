import { isDeepStrictEqual } from 'node:util'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { hasL1Attributes } from '../../chain/forks/chain-profile.ts'
import type { UserDeposit } from '../../chain/system-transactions/user-deposit.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { emptyDiff, isEmptyDiff } from '../../state/diff.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { SetHeadResult } from '../core/results.ts'
import { FLASHBLOCKS, type MiningMode } from '../development/mining-mode.ts'
import type { NextBlockSettings } from '../development/next-block.ts'
import type { StatePruned } from '../development/snapshots.ts'
import { WALL_CLOCK } from '../development/stored-time.ts'
import type { DepositResult } from '../layer1/waiting-deposits.ts'
import { type Finality, finalityOf } from '../machine/finality.ts'
import type { FollowedContent } from '../machine/followed-content.ts'
import { stateAbove } from '../machine/head-transitions.ts'
import type { FlashblockCounts } from '../view/events.ts'
import type { BlockDriver } from './block-driver.ts'
import { Announcer, type ChainStart } from './building/announcer.ts'
import { BlockAssembler } from './building/block-assembler.ts'
import { type Decision, NextBlock, type OpeningPlan } from './building/next-block.ts'
import type { Parent } from './building/parent.ts'
import { timedBlocks } from './building/schedule.ts'
import { FlashblockDriver } from './flashblock-driver.ts'
import { type DecideBlock, Miner } from './miner.ts'
import { OnDemandDriver } from './on-demand-driver.ts'
import type { SequencingDeps, SequencingOptions } from './sequencing-parts.ts'
import {
  type ReforkTarget,
  refork,
  setHead,
  type UnwindDeps,
  type UnwindTarget,
  unwindBelowFinalized,
} from './unwinding.ts'

/** Block production: assembler, announcer and the driver of the mining mode, on the same chain. */
export class Sequencing {
  readonly #deps: SequencingDeps
  readonly #announcer: Announcer
  readonly #nextBlock: NextBlock
  readonly #assembler: BlockAssembler
  readonly #miner: Miner
  readonly #scheduled: FlashblockDriver
  readonly #finality: Finality
  readonly #config: ChainConfig
  #mode: MiningMode
  #driver: BlockDriver
  /** The newest operation that runs between flashblocks. */
  #queue: Promise<unknown> = Promise.resolve()
  /** The block for transactions that were accepted after the last one was begun. */
  #including: Promise<void> | undefined
  #isHalted = false
  #hasBegun = false

  constructor(start: ChainStart, options: SequencingOptions, deps: SequencingDeps) {
    this.#deps = deps
    const { current, writer, records, clock, log, meter, onFailure } = deps
    const { config, schedule, gasLimit, timeBudget, coinbase, finalityDepth, mining = FLASHBLOCKS } = options
    this.#finality = finalityOf(finalityDepth, config)
    this.#config = config
    this.#announcer = new Announcer(
      start,
      { finality: this.#finality, checksRecords: deps.checksRecords },
      {
        journal: records,
        writer,
        publish: (announcement) => current.publish(announcement),
      },
    )
    const { time = WALL_CLOCK, l1, l1Chain } = options
    const settings = { gasLimit, coinbase, ...time }
    this.#nextBlock = new NextBlock({ settings, config, l1, l1Chain }, { clock, deposits: deps.deposits })
    const parts = { announcer: this.#announcer, nextBlock: this.#nextBlock, clock }
    const isScheduled = () => this.#hasBegun && this.#mode.kind === 'flashblocks'
    this.#assembler = new BlockAssembler({ ...deps, ...parts, engine: createEngine({ config }), isScheduled })
    this.#miner = new Miner({
      ...parts,
      assembler: this.#assembler,
      config,
      room: () => writer.roomForUnchanged(),
      opening: () => this.#opening(),
      isHalted: () => this.#isHalted,
    })
    this.#scheduled = new FlashblockDriver(
      { schedule, timeBudget, standsStill: options.sequencing === false, timed: timedBlocks(config, schedule) },
      { assembler: this.#assembler, clock, log, onFailure, meter, sealed: () => this.#keepTime() },
    )
    this.#mode = mining
    this.#driver = this.#driverOf(mining)
  }

  get counts(): FlashblockCounts {
    return { flashblocks: this.#assembler.flashblocks, missedSlots: this.#scheduled.missedSlots }
  }

  /** The announced chain. */
  get content(): FollowedContent {
    return this.#announcer.content
  }

  get mode(): MiningMode {
    return this.#mode
  }

  /** Settings of coming blocks. */
  get settings(): NextBlockSettings {
    return this.#nextBlock.settings
  }

  /**
   * Resumes the open block at its next index, or opens the next block if it is complete. Resolves when a block is open.
   */
  async begin(): Promise<void> {
    this.#announcer.appendMissingSeal()
    if (!this.#announcer.isOpen) {
      const instant = this.#driver.openingTime
      await this.#assembler.start(this.#announcer.parent(), this.#driver.opening(instant))
      this.#driver.opened(instant)
    } else {
      this.#announcer.resume()
      const { base, recent, pending } = this.#announcer.content
      const { block, receipts, layers, trie } = pending!
      const above = [...recent, pending!]
      const { index } = layers.at(-1)!
      this.#assembler.resume({ block, receipts, trie, state: stateAbove(base, above), snapshot: base, above, index })
      this.#driver.resumed(index)
    }
    this.#hasBegun = true
    this.#run()
  }

  /**
   * Call when pool and blocks are restored. Where blocks are built on demand, seals an open block with transactions:
   * the process ended before its seal, or the mode was another one. Then mines the pool if the mode is automatic.
   */
  async settleRecovered(): Promise<void> {
    if (this.#mode.kind === 'flashblocks') return
    await this.exclusively(() => this.#reopen())
    if (this.isAuto) await this.include()
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
    return this.exclusively(() => setHead(number, this.#unwinding()))
  }

  /** Unwinds the chain, also below the finalized block, within `exclusively`. @returns why nothing was unwound */
  unwind(target: UnwindTarget): Promise<StatePruned | undefined> {
    return unwindBelowFinalized(target, this.#unwinding())
  }

  /**
   * Runs an operation between flashblocks, after those requested before it. An error fails the node: refusals are
   * results.
   */
  exclusively<Result>(operation: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(async () => {
      await this.#driver.stop()
      const value = await operation()
      await this.#keepTime()
      this.#run()
      return value
    })
    this.#queue = result.catch((error: unknown) => {
      this.#isHalted = true
      this.#deps.onFailure(error)
    })
    return result
  }

  /** Changes what makes the node build blocks. The open block is sealed if it has transactions. */
  setMode(change: (mode: MiningMode) => MiningMode): Promise<void> {
    return this.exclusively(() => this.switchMode(change))
  }

  /** As `setMode`, within `exclusively`. */
  async switchMode(change: (mode: MiningMode) => MiningMode): Promise<void> {
    const mode = change(this.#mode)
    if (isDeepStrictEqual(mode, this.#mode)) return
    this.#mode = mode
    this.#driver = this.#driverOf(mode)
    await this.#reopen()
  }

  /**
   * Changes settings of coming blocks. The open block is sealed if it has transactions, and replaced otherwise. Equal
   * settings have no effect.
   *
   * @param decide receives the parent of the next block
   * @param options.isMarked whether the next block may break a rule of its header: a marker, which is an alteration
   * without content, is recorded before it, so that verification accepts the block
   * @returns the refusal of `decide`
   */
  change<Refusal>(
    decide: (settings: NextBlockSettings, parent: Header) => Decision<Refusal>,
    { isMarked = false }: { readonly isMarked?: boolean } = {},
  ) {
    return this.exclusively(async (): Promise<Refusal | undefined> => {
      const { settings, parent } = this.#miner.next
      const decision = decide(settings, parent)
      if (decision.settings === undefined) return decision.refused
      if (isDeepStrictEqual(decision.settings, settings)) return undefined
      this.#nextBlock.settings = decision.settings
      await this.#reopen()
      if (isMarked) await this.#assembler.alter(emptyDiff())
      return undefined
    })
  }

  /** Seals the open block if it has transactions, within `exclusively`. @returns whether it was sealed */
  async sealOpen(): Promise<boolean> {
    if (this.#assembler.isEmpty) return false
    await this.#reopen()
    return true
  }

  /** The state that the next block follows: that after an open block with transactions, or after the sealed ones. */
  get newest(): Pick<Parent, 'state' | 'trie'> {
    const assembler = this.#assembler
    if (!assembler.isOpen || assembler.isEmpty) return this.#announcer.parent()
    const { base, recent, pending } = this.#announcer.content
    return { state: stateAbove(base, [...recent, pending!]), trie: pending!.trie }
  }

  /** Applies state changes from outside while the open block is empty, within `exclusively`. */
  async alter(diff: StateDiff): Promise<void> {
    if (!isEmptyDiff(diff)) await this.#assembler.alter(diff)
  }

  /** Mines blocks one after the other, as `Miner.mine`. */
  mine<Refusal>(
    request: { readonly blocks: number; readonly isTimed: boolean },
    decide: DecideBlock<Refusal>,
  ): Promise<Refusal | undefined> {
    return this.exclusively(() => this.#miner.mine(request, decide))
  }

  /** Begins on another fork block, within `exclusively`. */
  refork(target: ReforkTarget): Promise<void> {
    return refork(target, this.#unwinding())
  }

  /**
   * Includes a deposit at the beginning of the next block; where blocks are built on demand, in a block of its own.
   * Resolves when that block is announced.
   */
  async deposit(deposit: UserDeposit): Promise<DepositResult> {
    const { deposits } = this.#deps
    const refused = (code: 'DEPOSITS_NOT_SUPPORTED' | 'DEPOSITS_FROM_LAYER_1' | 'DEPOSITS_STAND_STILL') =>
      ({ kind: 'refused', refusal: { code } }) as const
    if (deposits === undefined || !hasL1Attributes(this.#config)) return refused('DEPOSITS_NOT_SUPPORTED')
    if (this.#nextBlock.followsLayer1) return refused('DEPOSITS_FROM_LAYER_1')
    const isOnDemand = this.#mode.kind === 'on-demand'
    if (!isOnDemand && this.#scheduled.standsStill) return refused('DEPOSITS_STAND_STILL')
    const result = deposits.add(deposit)
    if (isOnDemand) this.#mineDeposits()
    return result
  }

  /** Mines within `exclusively`. */
  get miner(): Pick<Miner, 'mine' | 'mineDeposits' | 'replay' | 'commit' | 'announce'> {
    return this.#miner
  }

  /** Whether each transaction is included before it is answered. */
  get isAuto(): boolean {
    return this.#mode.kind === 'on-demand' && this.#mode.auto
  }

  /**
   * Mines the executable transactions of the pool, and resolves when they are announced; transactions of calls during
   * one block share the next.
   */
  include(): Promise<void> {
    this.#including ??= this.exclusively(() => {
      this.#including = undefined
      return this.#miner.include()
    })
    return this.#including
  }

  /** Resolves when the work in progress is announced. */
  async idle(): Promise<void> {
    await this.#driver.idle()
    await this.#queue
  }

  /** Stops building blocks. */
  halt(): void {
    this.#isHalted = true
    this.#driver.halt()
  }

  /** Stops building blocks, and waits for the work in progress. */
  async stop(): Promise<void> {
    this.halt()
    await this.#queue
    await this.#driver.stop()
    await this.#keepTime()
    this.#assembler.end()
  }

  #unwinding(): UnwindDeps {
    const { chain, records: journal, writer, chainWriter, current, waiting, yieldTurn } = this.#deps
    return {
      chain,
      journal,
      writer,
      chainWriter,
      announcer: this.#announcer,
      assembler: this.#assembler,
      nextBlock: this.#nextBlock,
      driver: this.#driver,
      head: () => current.head,
      finality: this.#finality,
      waiting,
      onUnwound: (blocks) => current.emitUnwound(blocks),
      yieldTurn,
    }
  }

  /** Resolves when settings that changed are durable. */
  async #keepTime(): Promise<void> {
    await this.#deps.timeStore?.keep(this.settings)
  }

  #run(): void {
    if (this.#isHalted) return
    this.#driver.run()
    // They waited for a scheduled block, and the mode has changed.
    if (this.#mode.kind === 'on-demand' && this.#deps.deposits?.isEmpty === false) this.#mineDeposits()
  }

  /** An error fails the node. */
  #mineDeposits(): void {
    const mine = async () => {
      if (this.#deps.deposits?.isEmpty === false) await this.#miner.mineDeposits()
    }
    this.exclusively(mine).catch(() => {})
  }

  #driverOf(mode: MiningMode): BlockDriver {
    if (mode.kind === 'flashblocks') return this.#scheduled
    const { clock, random = Math.random } = this.#deps
    const mine = () => this.mine<never>({ blocks: 1, isTimed: false }, (settings) => ({ settings }))
    return new OnDemandDriver(mode, { clock, random, mine })
  }

  async #reopen(): Promise<void> {
    await this.#assembler.reopen(() => this.#opening())
  }

  /** The opening of a block now. */
  #opening(): OpeningPlan {
    const instant = this.#driver.openingTime
    this.#driver.opened(instant)
    return this.#driver.opening(instant)
  }
}
