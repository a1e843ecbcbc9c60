import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { DEPOSIT_TYPE, type DepositTransaction, type Transaction } from '../../chain/transaction/transaction.ts'
import { recoverTransaction } from '../../chain/transaction/transaction-codec.ts'
import { unchangedBlock } from '../../engine/block/unchanged-block.ts'
import type { ReplayedBlock } from '../../fork/source/fork-point.ts'
import type { Clock } from '../core/clock.ts'
import { type NextBlockSettings, withOnce } from '../development/next-block.ts'
import { type CommitResult, type PayloadChoices, planPayload } from '../development/payload-plan.ts'
import type { Announcer } from './building/announcer.ts'
import type { BlockAssembler, Mined } from './building/block-assembler.ts'
import type { RefusedTransaction } from './building/candidate-outcome.ts'
import type { Decision, NextBlock, OpeningPlan } from './building/next-block.ts'
import { transactionRefusal } from './building/payload.ts'

export interface MinerDeps {
  readonly assembler: BlockAssembler
  readonly announcer: Pick<Announcer, 'parent' | 'content' | 'seal'>
  readonly nextBlock: NextBlock
  readonly clock: Clock
  readonly config: ChainConfig
  /** Resolves when another group of unchanged blocks may be sealed: the store is not too far behind. */
  readonly room: () => Promise<void>
  /** The opening of a block now. */
  readonly opening: () => OpeningPlan
  /** Whether the node is stopping. */
  readonly isHalted: () => boolean
}

/** Blocks of a request that share a sync, a head and a commit: some ten milliseconds of work. */
const UNCHANGED_BLOCKS = 1_024
/** The last blocks of a request make their opening calls, so that contracts find the newest hashes and times. */
const EXECUTED_BLOCKS = 64

/** Determines the settings of a block. @param index of the block in its request */
export type DecideBlock<Refusal> = (settings: NextBlockSettings, parent: Header, index: number) => Decision<Refusal>

/** Builds and seals whole blocks. One operation at a time. */
export class Miner {
  readonly #deps: MinerDeps

  constructor(deps: MinerDeps) {
    this.#deps = deps
  }

  /**
   * Mines blocks one after the other, also without transactions. Most of many empty ones leave the state as it is: they
   * make no opening calls.
   *
   * @param isTimed whether `decide` determines timestamps: then an open block with transactions is sealed before
   * @param decide a refusal ends the work; one of the first block has no effect. Called twice for a block after an open
   * one that is sealed before
   */
  async mine<Refusal>(
    { blocks, isTimed }: { readonly blocks: number; readonly isTimed: boolean },
    decide: DecideBlock<Refusal>,
  ): Promise<Refusal | undefined> {
    const { assembler, opening, isHalted } = this.#deps
    if (isTimed && blocks > 0 && !assembler.isEmpty) {
      const { settings, parent } = this.next
      const { refused } = decide(settings, parent, 0)
      if (refused !== undefined) return refused
      await assembler.reopen(opening)
    }
    for (let index = 0; index < blocks && !isHalted(); ) {
      const unchanged = Math.min(UNCHANGED_BLOCKS, blocks - index - EXECUTED_BLOCKS)
      const isUnchanged = unchanged > 0 && this.#leavesState()
      const refused = isUnchanged
        ? await this.#mineUnchanged({ first: index, count: unchanged }, decide)
        : await this.#mineNext(decide, index)
      if (refused !== undefined) return refused
      index += isUnchanged ? unchanged : 1
    }
    return undefined
  }

  /** Settings and parent of the block that opens next: the one after an open block with transactions. */
  get next(): { readonly settings: NextBlockSettings; readonly parent: Header } {
    const { assembler, announcer, nextBlock } = this.#deps
    if (assembler.isEmpty) return { settings: nextBlock.settings, parent: announcer.parent().block.header }
    const { header } = announcer.content.pending!.block
    return { settings: nextBlock.settingsAfter(header.number), parent: header }
  }

  async #mineNext<Refusal>(decide: DecideBlock<Refusal>, index: number): Promise<Refusal | undefined> {
    const { announcer, nextBlock } = this.#deps
    const decision = decide(nextBlock.settings, announcer.parent().block.header, index)
    if (decision.settings === undefined) return decision.refused
    nextBlock.settings = decision.settings
    await this.#mine({ isEmptyAllowed: true })
    return undefined
  }

  /** Whether the next block would be empty, so that it may leave the state as it is. */
  #leavesState(): boolean {
    const { assembler, announcer, config } = this.#deps
    if (config.layer2 === undefined || !assembler.isEmpty || assembler.hasCandidates()) return false
    // Its first transaction changes the state.
    if (config.layer2.upgradeTimes !== undefined) return false
    return announcer.parent().prelude === undefined
  }

  /** Mines empty blocks that leave the state as it is, and announces them together. */
  async #mineUnchanged<Refusal>(
    { first, count }: { readonly first: number; readonly count: number },
    decide: DecideBlock<Refusal>,
  ): Promise<Refusal | undefined> {
    const { assembler, announcer, nextBlock, clock, config, opening, room } = this.#deps
    await room()
    const below = announcer.parent()
    let parent: Block = below.block
    let refused: Refusal | undefined
    for (let index = first; index < first + count; index++) {
      const decision = decide(nextBlock.settings, parent.header, index)
      if (decision.settings === undefined) {
        refused = decision.refused
        break
      }
      nextBlock.settings = decision.settings
      const attributes = nextBlock.attributes(parent, { wallMs: clock.wall(), leadMs: 0, replaced: 0n })
      const unchanged = unchangedBlock(attributes, parent.header, { config, trie: below.trie })
      announcer.seal(unchanged)
      nextBlock.sealed(attributes.number)
      parent = unchanged.block
    }
    if (parent !== below.block) await assembler.openAfterUnchanged(opening())
    return refused
  }

  /** Mines a block of the deposits that wait, and of no transactions of the pool. */
  async mineDeposits(): Promise<void> {
    const { assembler, opening } = this.#deps
    if (!assembler.isEmpty) await assembler.reopen(opening)
    await assembler.mineExactly([], { ...opening(), takesDeposits: true }, opening)
  }

  /** Announces the executable transactions of the pool in the open block. */
  announce(): Promise<void> {
    return this.#deps.assembler.flashblock()
  }

  /** Mines the executable transactions of the pool, in as many blocks as they need. */
  async include(): Promise<void> {
    const { assembler, isHalted } = this.#deps
    for (let isFull = assembler.hasCandidates(); isFull && !isHalted(); ) {
      const mined = await this.#mine({ isEmptyAllowed: false })
      isFull = mined.isFull
    }
  }

  /**
   * Mines the transactions of a block of another chain on the same parent, in a block with its time, gas limit,
   * randomness, fee recipient and, on the OP stack, its deposits.
   *
   * @returns the first transaction that cannot be included; no block is mined then
   */
  async replay({ header, transactions }: ReplayedBlock): Promise<RefusedTransaction | undefined> {
    const { assembler, nextBlock, opening, config } = this.#deps
    const before = nextBlock.settings
    const { coinbase, gasLimit } = before
    const { number, timestamp, mixHash: prevRandao } = header
    const settings = { ...before, coinbase: header.miner, gasLimit: header.gasLimit }
    const deposits = config.layer2?.upgradeTimes === undefined ? [] : leadingDeposits(transactions)
    const { extraData, parentBeaconBlockRoot } = header
    const replayedOpening = deposits.length > 0 ? { extraData, parentBeaconBlockRoot, deposits } : undefined
    nextBlock.settings = withOnce(settings, { number, timestamp, prevRandao, replayed: replayedOpening })
    const replayed = transactions.slice(deposits.length).map(recoverTransaction)
    const refused = await assembler.mineExactly(replayed, opening(), () => {
      nextBlock.settings = { ...nextBlock.settings, coinbase, gasLimit }
      return opening()
    })
    if (refused === undefined) return undefined
    nextBlock.settings = before
    await assembler.reopen(opening)
    return refused
  }

  /**
   * Mines the block that a client chooses on the newest sealed one. An open block with transactions is announced: it is
   * sealed before, and is the parent, even if the chosen block is refused then.
   */
  async commit(choices: PayloadChoices): Promise<CommitResult> {
    const { assembler, announcer, opening, config } = this.#deps
    const newest = assembler.isEmpty ? announcer.parent() : announcer.content.pending!
    let plan = planPayload(newest.block, choices, config)
    if (!('code' in plan) && !assembler.isEmpty) {
      await assembler.reopen(opening)
      plan = planPayload(announcer.parent().block, choices, config)
    }
    if ('code' in plan) return { kind: 'refused', refusal: plan }
    const refused = await assembler.minePayload(plan, opening)
    if (refused === undefined) return { kind: 'committed', hash: announcer.parent().block.hash }
    const refusal =
      'code' in refused ? ({ code: 'INVALID_BLOCK', fault: refused } as const) : transactionRefusal(refused)
    return { kind: 'refused', refusal }
  }

  #mine({ isEmptyAllowed }: { readonly isEmptyAllowed: boolean }): Promise<Mined> {
    const { assembler, clock, opening } = this.#deps
    const plan = { wallMs: clock.wall(), leadMs: 0, replaced: 0n, takesDeposits: true }
    return assembler.mine(plan, { next: opening, isEmptyAllowed })
  }
}

/** The deposits with which a block of the OP stack begins. */
function leadingDeposits(transactions: readonly Transaction[]): readonly DepositTransaction[] {
  const deposits: DepositTransaction[] = []
  for (const transaction of transactions) {
    if (transaction.type !== DEPOSIT_TYPE) break
    deposits.push(transaction)
  }
  return deposits
}
