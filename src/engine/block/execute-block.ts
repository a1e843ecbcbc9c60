import type { Block } from '../../chain/block/block.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import { mergeDiffs } from '../../state/diff.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import { type Engine, ExecutionStoppedError, type MayContinue, type Session } from '../types.ts'
import { creditDiff, rewardCredits, withdrawalCredits } from './block-credits.ts'
import { blockEnv } from './block-env.ts'
import { BlockTally } from './block-tally.ts'
import type { BlockEnd } from './closing-members.ts'
import { makeOpeningCalls } from './opening-calls.ts'
import { collectRequests, type RequestsFault } from './requests.ts'

export type BlockExecution =
  | {
      readonly kind: 'executed'
      readonly receipts: readonly Receipt[]
      readonly diff: StateDiff
      readonly trie: StateTrie
      /** See `BlockEnd`. */
      readonly used: BlockEnd['used']
      /** Layer 1 from Prague on (EIP-7685). */
      readonly requestsHash: Hash | undefined
    }
  | { readonly kind: 'invalid'; readonly index: number; readonly hash: Hash; readonly error: InvalidTransaction }
  | { readonly kind: 'failed'; readonly fault: RequestsFault }

/**
 * Applies a whole block to the state after its parent, regardless of the results that its header claims.
 *
 * @param options.mayContinue also called before each transaction. Default: never interrupted
 * @throws ExecutionStoppedError and errors of the state and trie readers
 */
export async function executeBlock(
  block: Block,
  parent: { readonly state: StateReader; readonly trie: StateTrie },
  engine: Engine,
  options: { readonly mayContinue?: MayContinue } = {},
): Promise<BlockExecution> {
  const session = engine.open(blockEnv(block.header, engine.config), parent.state, options)
  try {
    return await new Execution(block, parent.trie, engine, session, options.mayContinue).run()
  } finally {
    session.close()
  }
}

class Execution {
  readonly #block: Block
  readonly #engine: Engine
  readonly #session: Session
  readonly #mayContinue: MayContinue | undefined
  readonly #receipts: Receipt[] = []
  readonly #diffs: StateDiff[] = []
  #trie: StateTrie
  readonly #tally: BlockTally

  constructor(block: Block, trie: StateTrie, engine: Engine, session: Session, mayContinue: MayContinue | undefined) {
    this.#block = block
    this.#trie = trie
    this.#engine = engine
    this.#session = session
    this.#mayContinue = mayContinue
    this.#tally = new BlockTally(session, engine.config)
  }

  async run(): Promise<BlockExecution> {
    const { header, transactions, uncles, withdrawals = [] } = this.#block
    const session = this.#session
    const { fork } = session.env
    await makeOpeningCalls(session, header, this.#engine.config)
    for (const [index, transaction] of transactions.entries()) {
      if (this.#mayContinue !== undefined && !(await this.#mayContinue())) {
        throw new ExecutionStoppedError(`block ${header.number} took longer than it may: allow more time`)
      }
      const error = await this.#add(transaction)
      if (error !== undefined) return { kind: 'invalid', index, hash: transaction.hash, error }
    }
    session.apply(creditDiff(withdrawalCredits(withdrawals), session.state))
    const requests = await collectRequests(session, this.#engine.config, this.#receipts)
    if (requests.kind === 'failed') return requests
    session.apply(creditDiff(rewardCredits(header, uncles, fork), session.state))
    this.#takeDiff()
    return {
      kind: 'executed',
      receipts: Object.freeze(this.#receipts),
      diff: this.#diffs.length === 1 ? this.#diffs[0]! : mergeDiffs(this.#diffs),
      trie: this.#trie,
      used: this.#tally,
      requestsHash: requests.hash,
    }
  }

  async #add(transaction: RecoveredTransaction): Promise<InvalidTransaction | undefined> {
    const { gasLimit } = this.#block.header
    const result = await this.#session.execute(transaction, gasLimit - BigInt(this.#tally.gasUsed))
    if (result.kind === 'invalid') return result.error
    const receipt = this.#tally.add(transaction, result)
    if (rulesOf(this.#session.env.fork).hasReceiptStatus) this.#receipts.push(receipt)
    else {
      // EIP-658 replaced the state root by a status.
      this.#takeDiff()
      this.#receipts.push(Object.freeze({ ...receipt, outcome: { stateRoot: this.#trie.root } }))
    }
    return undefined
  }

  #takeDiff(): void {
    const diff = this.#session.takeDiff()
    this.#diffs.push(diff)
    this.#trie = this.#trie.apply(diff)
  }
}
