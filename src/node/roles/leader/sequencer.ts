import type { Logger } from 'pino'
import type { Block } from '../../../chain/block/block.ts'
import { encodeExtraData } from '../../../chain/block/extra-data.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { DropReason } from '../../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../../chain/transaction/transaction.ts'
import { type BlockAttributes, type BlockChoices, nextAttributes } from '../../../engine/block/block-attributes.ts'
import {
  BlockBuilder,
  type BlockBuilderDeps,
  type BuiltFlashblock,
  type Inclusion,
  type OpenBlock,
} from '../../../engine/block/build-block.ts'
import { requestsFaultMessage } from '../../../engine/block/requests.ts'
import { isTrap } from '../../../engine/session.ts'
import type { Engine, InvalidTransaction } from '../../../engine/types.ts'
import type { Candidates } from '../../../pool/candidates.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, hexToBytes, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import type { MaybePromise } from '../../../primitives/maybe-promise.ts'
import { bigintToWord } from '../../../primitives/quantity.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'
import type { Clock } from '../../core/clock.ts'
import type { WorkMeter } from '../../core/node-settings.ts'
import type { BuiltBlock } from '../../replay/head.ts'
import { diffOfLayer, type LayerDiff } from '../../tries/layer-diff.ts'
import type { RemoteTries } from '../../tries/remote-tries.ts'
import { blockTimestamp, gasRoom, nextOpening, nextSlot, type Schedule } from './schedule.ts'

export interface SequencerOptions {
  readonly schedule: Schedule
  readonly gasLimit: bigint
  readonly coinbase: Address
  /** Share of an interval for execution, 0 to 1. */
  readonly timeBudget: number
  /** A block is open but never receives a transaction or a seal. */
  readonly standsStill: boolean
}

/** A sealed block to build on. */
export interface Parent {
  readonly block: Block
  readonly state: StateReader
  readonly trie: StateTrie
  /** The snapshot of `state` and `trie`; retained while a block is built on them. */
  readonly snapshot: Pick<Snapshot, 'retain' | 'release'>
  /** Blocks above the snapshot, oldest first. */
  readonly above: readonly Pick<BuiltBlock, 'layers'>[]
}

/** An open block to resume, with its state. */
export interface Resumable extends OpenBlock {
  /** State after its newest flashblock. */
  readonly state: StateReader
  readonly trie: StateTrie
  readonly snapshot: Parent['snapshot']
  readonly above: Parent['above']
}

/** The sequencer's collaborators. */
export interface SequencerDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Logger
  /** Executable transactions at a base fee, best first. */
  readonly candidates: (baseFee: bigint) => Candidates
  /** Whether a candidate is still in the pool: it may have been replaced or evicted during a yield. */
  readonly isWaiting: (hash: Hash) => boolean
  /** Marks a transaction as included in the flashblock that is being built. */
  readonly markExecuted: (hash: Hash) => void
  /** Removes a transaction from the pool that can never be included. */
  readonly drop: (hash: Hash, reason: DropReason) => void
  /** Announces a flashblock. Resolves when it is visible. */
  readonly announce: (flashblock: BuiltFlashblock) => Promise<void>
  /** Resolves when another block may be sealed: the store is not too far behind. */
  readonly room: () => Promise<void>
  /** Seals the block with this flashblock. Returns the parent of the next one. */
  readonly seal: (flashblock: BuiltFlashblock) => Parent
  /** Opens the next block; the preceding seal becomes visible in the same step. */
  readonly open: (first: BuiltFlashblock) => Promise<void>
  /** Building failed permanently: the open block cannot be continued. */
  readonly onFailure: (error: unknown) => void
  /** Yields to the event loop. */
  readonly yieldTurn: () => Promise<void>
  /** Applies diffs to the state trie. Default: this thread. */
  readonly tries?: Pick<RemoteTries, 'begin' | 'apply' | 'end'> | undefined
  readonly meter?: WorkMeter | undefined
}

export interface SequencerCounts {
  readonly flashblocks: number
  readonly missedSlots: number
}

/** Milliseconds of work on a slot between yields, in which submissions can be acknowledged. */
const TIME_SLICE_MS = 2
/** Maximum share of an interval for all yields, so that the flashblock is not late. */
const YIELD_SHARE = 0.1

/** Builds blocks on schedule, one slot at a time: execution awaits, so building a block is a critical section. */
export class Sequencer {
  readonly #options: SequencerOptions
  readonly #deps: SequencerDeps
  #builder: BlockBuilder | undefined
  #snapshot: Parent['snapshot'] | undefined
  #opening = 0
  #slot = 0
  #cancel: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  #flashblocks = 0
  #missedSlots = 0

  constructor(options: SequencerOptions, deps: SequencerDeps) {
    this.#options = options
    this.#deps = deps
  }

  get counts(): SequencerCounts {
    return { flashblocks: this.#flashblocks, missedSlots: this.#missedSlots }
  }

  /**
   * Opens a block on `parent` and runs until `stop`.
   *
   * @param replaced timestamp of an unwound block at this height; the new one is later, so that no hash or payload id
   * of the unwound block is reused
   */
  async start(parent: Parent, replaced = 0n): Promise<void> {
    this.#isStopped = false
    this.#opening = this.#deps.clock.monotonic()
    this.#deps.tries?.begin(diffsOf(parent))
    await this.#openBlock(parent, replaced)
    this.#scheduleNext()
  }

  /** Resumes a block that was open when the process ended, at its next index, and runs until `stop`. */
  resume(open: Resumable): void {
    const { clock, tries } = this.#deps
    this.#isStopped = false
    tries?.begin(diffsOf(open))
    this.#hold(open.snapshot)
    this.#builder = BlockBuilder.resume(open, this.#builderParts(open))
    this.#slot = Math.min(open.index, this.#options.schedule.slots - 1)
    // Sets the opening time so that its newest flashblock is due now.
    this.#opening = clock.monotonic() - this.#slot * this.#options.schedule.intervalMs
    this.#scheduleNext()
  }

  /** Stops taking slots. */
  halt(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  /** Stops taking slots, and waits for the slot in progress. */
  async stop(): Promise<void> {
    this.halt()
    await this.#working
    this.#builder?.close()
    this.#builder = undefined
    this.#hold(undefined)
    this.#deps.tries?.end()
  }

  /** Resolves when the slot in progress is complete. */
  idle(): Promise<void> {
    return this.#working
  }

  #scheduleNext(): void {
    if (this.#isStopped || this.#options.standsStill) return
    const { clock } = this.#deps
    const next = nextSlot(this.#options.schedule, this.#opening, this.#slot, clock.monotonic())
    this.#cancel = clock.at(next.at, () => {
      this.#working = this.#take().catch((error: unknown) => {
        this.#isStopped = true
        this.#deps.onFailure(error)
      })
    })
  }

  /** The slot that is due now; a late timer may have skipped earlier ones. */
  async #take(): Promise<void> {
    const { schedule } = this.#options
    const { clock, meter } = this.#deps
    const start = clock.monotonic()
    const { slot, at, missed } = nextSlot(schedule, this.#opening, this.#slot, start)
    meter?.('lateness', Math.max(0, start - at))
    if (missed > 0) this.#deps.log.warn({ missed, slot }, 'missed flashblock slots')
    this.#missedSlots += missed
    this.#slot = slot
    const builder = this.#builder!
    const yieldWhenDue = this.#yieldWhenDue()
    await this.#fill(gasRoom(schedule, slot, builder.attributes.gasLimit), yieldWhenDue)
    if (slot === schedule.slots) {
      const fault = await builder.complete()
      if (fault !== undefined) throw new Error(`no block can be sealed: ${requestsFaultMessage(fault)}`)
    }
    const flashblock = await this.#close(builder, yieldWhenDue)
    this.#flashblocks += 1
    const built = clock.monotonic()
    meter?.('build', built - start)
    if (slot < schedule.slots) {
      await this.#deps.announce(flashblock)
      meter?.('announce', clock.monotonic() - built)
    } else {
      await this.#deps.room()
      // In the same step as `#openBlock` retains the parent's snapshot: afterwards the store may replace it.
      const parent = this.#deps.seal(flashblock)
      builder.close()
      const next = nextOpening(schedule, this.#opening, clock.monotonic())
      if (next.missed > 0) this.#deps.log.warn({ missed: next.missed }, 'missed whole blocks')
      this.#missedSlots += next.missed
      this.#opening = next.at
      await this.#openBlock(parent)
      meter?.('seal', clock.monotonic() - built)
    }
    this.#scheduleNext()
  }

  async #openBlock(parent: Parent, replaced = 0n): Promise<void> {
    const { engine, clock } = this.#deps
    // Wall-clock time of the scheduled opening, however late this runs.
    const wall = clock.wall() - (clock.monotonic() - this.#opening)
    const { timestamp: before } = parent.block.header
    const timestamp = blockTimestamp(this.#options.schedule, wall, before > replaced ? before : replaced)
    const attributes = attributesOf(parent.block, timestamp, engine, this.#options)
    this.#hold(parent.snapshot)
    this.#builder = await BlockBuilder.open(attributes, this.#builderParts(parent))
    this.#slot = 0
    await this.#deps.open(await this.#close(this.#builder, this.#yieldWhenDue()))
  }

  #builderParts({ state, trie }: Pick<Parent, 'state' | 'trie'>): BlockBuilderDeps {
    const { engine, tries } = this.#deps
    const applyDiff: BlockBuilderDeps['applyDiff'] =
      tries && ((before, diff, { number }) => tries.apply(before, { number, diff }))
    return { engine, state, trie, applyDiff }
  }

  /** Retains the snapshot that the open block reads, and releases the previous one. */
  #hold(snapshot: Parent['snapshot'] | undefined): void {
    snapshot?.retain()
    this.#snapshot?.release()
    this.#snapshot = snapshot
  }

  /** Adds the best executable transactions until the gas released so far, the time budget or the pool is used up. */
  async #fill(room: bigint, yieldWhenDue: YieldWhenDue): Promise<void> {
    const { clock, candidates, drop, isWaiting, markExecuted } = this.#deps
    const { schedule, timeBudget } = this.#options
    const deadline = clock.monotonic() + schedule.intervalMs * timeBudget
    const builder = this.#builder!
    const queue = candidates(builder.attributes.baseFeePerGas)
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
      if (clock.monotonic() > deadline) return
      const turn = yieldWhenDue()
      if (turn !== undefined) await turn
      const free = room - BigInt(builder.gasUsed)
      if (next.gasLimit > free || !isWaiting(next.hash)) {
        queue.skipSender()
        continue
      }
      const added = this.#add(builder, next, free)
      const outcome = added instanceof Promise ? await added : added
      if (outcome === 'included') {
        markExecuted(next.hash)
        queue.accept()
      } else {
        queue.skipSender()
        if (outcome !== 'later') drop(next.hash, outcome)
      }
    }
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

  #yieldWhenDue(): YieldWhenDue {
    const { clock, yieldTurn } = this.#deps
    let left = this.#options.schedule.intervalMs * YIELD_SHARE
    let end = clock.monotonic() + TIME_SLICE_MS
    return () => {
      const now = clock.monotonic()
      if (now < end || left <= 0) return undefined
      return yieldTurn().then(() => {
        const after = clock.monotonic()
        left -= after - now
        end = after + TIME_SLICE_MS
      })
    }
  }

  /** Synchronous if possible: promises for each of thousands of transactions are expensive. */
  #add(builder: BlockBuilder, transaction: PoolTransaction, room: bigint): MaybePromise<InclusionResult> {
    const faulty = (error: unknown) => this.#faulty(error, transaction)
    try {
      const inclusion = builder.add(transaction, room)
      return inclusion instanceof Promise ? inclusion.then(outcomeOf).catch(faulty) : outcomeOf(inclusion)
    } catch (error) {
      return faulty(error)
    }
  }

  #faulty(error: unknown, { hash }: PoolTransaction): InclusionResult {
    // The open flashblock is lost with the session. Announced ones are on disk, and the next start resumes after them.
    if (isTrap(error)) throw error
    // A fault of this node, not of the sender: the block continues without the transaction.
    this.#deps.log.error({ err: error, hash }, 'a transaction could not be executed')
    return { code: 'INVALID', reason: 'execution failed' }
  }
}

/** Yields within a slot when a time slice is used up. */
type YieldWhenDue = () => Promise<void> | undefined

type InclusionResult = 'included' | 'later' | DropReason

function outcomeOf(inclusion: Inclusion): InclusionResult {
  return inclusion.kind === 'included' ? 'included' : refusalOutcome(inclusion.error)
}

/** Decides whether a transaction that the block cannot include may be included later. */
function refusalOutcome(error: InvalidTransaction): InclusionResult {
  switch (error.code) {
    case 'BLOCK_GAS_EXCEEDED':
    case 'FEE_CAP_TOO_LOW':
    case 'BLOB_FEE_CAP_TOO_LOW':
    case 'NONCE_TOO_HIGH':
      return 'later'
    case 'NONCE_TOO_LOW':
      return { code: 'NONCE_USED' }
    case 'INSUFFICIENT_FUNDS':
      return { code: 'INSUFFICIENT_FUNDS' }
    default:
      return { code: 'INVALID', reason: error.code }
  }
}

function diffsOf({ above }: Pick<Parent, 'above'>): readonly LayerDiff[] {
  return above.flatMap(({ layers }) => layers.map(diffOfLayer))
}

function attributesOf(parent: Block, timestamp: bigint, engine: Engine, options: SequencerOptions): BlockAttributes {
  const { config } = engine
  const number = parent.header.number + 1
  const choices: BlockChoices = {
    timestamp,
    gasLimit: options.gasLimit,
    miner: options.coinbase,
    // prevRandao is derived from the parent hash: there is no L1, so it is unique but predictable.
    mixHash: keccakHash(Buffer.concat([hexToBytes(parent.hash), bigintToWord(BigInt(number))])),
    extraData: extraDataOf(config),
    parentBeaconBlockRoot: ZERO_HASH,
    withdrawals: [],
  }
  return nextAttributes(parent, choices, config)
}

function extraDataOf({ layer2 }: ChainConfig): Bytes {
  if (layer2 === undefined) return EMPTY_BYTES
  const { eip1559Denominator, eip1559Elasticity, minBaseFee } = layer2
  return encodeExtraData({ denominator: eip1559Denominator, elasticity: eip1559Elasticity, minBaseFee })
}
