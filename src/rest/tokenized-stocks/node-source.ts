import type { Header } from '../../chain/block/header.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import type { MayContinue, Session } from '../../engine/types.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { RecordedState, UnprovenRead } from '../../node/tools/read-proof/recorded-state.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import { hasProofs, oldestProofs, oldTrieSteps } from '../../node/view/old-tries.ts'
import type { View } from '../../node/view/view.ts'
import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import { StatusError } from '../http/status.ts'
import {
  type Ancestors,
  type BlockReads,
  type ChainReads,
  type ChainSource,
  type HolderSource,
  PROOF_LIMITS,
  type Proven,
  type SourceBlock,
} from './chain-source.ts'
import { LogsBelow, type ScanClock, scanNodeLogs } from './node-logs.ts'
import { type ReadLimits, sessionReads } from './session-reads.ts'

/** Milliseconds of reading before yielding, so that a list does not delay a flashblock. */
const SLICE_MS = 8

export interface NodeLimits extends ReadLimits {
  /** Age up to which blocks have proofs; see `hasProofs`. */
  readonly proofWindowSeconds: number
}

export interface NodeSourceParts {
  readonly node: Pick<ServedNode, 'view' | 'engine' | 'config'>
  /** Accounts of block 0, whose state may be pruned. */
  readonly genesis: Pick<Genesis, 'alloc'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Yields to the event loop. Default: `setImmediate`. */
  readonly nextTurn?: () => Promise<void>
}

interface BlockParts extends Required<NodeSourceParts> {
  readonly logsBelow: LogsBelow
  /** Accounts of block 0 without code, in order: a genesis may give them tokens without an event. */
  readonly genesisAccounts: () => readonly Address[]
}

/** The chain of the node in this process. Each block is read in the view in which it was obtained. */
export class NodeSource implements ChainSource {
  readonly #limits: NodeLimits
  readonly #parts: BlockParts

  constructor(limits: NodeLimits, parts: NodeSourceParts) {
    this.#limits = limits
    let accounts: readonly Address[] | undefined
    const genesisAccounts = () => {
      accounts ??= [...parts.genesis.alloc].flatMap(([address, { code }]) => (code.length === 0 ? address : [])).sort()
      return accounts
    }
    this.#parts = { nextTurn: nextRound, ...parts, logsBelow: new LogsBelow(parts), genesisAccounts }
  }

  get chainId(): bigint {
    return this.#parts.node.config.chainId
  }

  latestHash(): Hash {
    // The parent of the open block is the newest sealed one.
    return this.#parts.node.view().head.pending.block.header.parentHash
  }

  pendingHash(): Hash {
    return this.#parts.node.view().head.pending.block.hash
  }

  hasGenesisCode(address: Address): boolean {
    return (this.#parts.genesis.alloc.get(address)?.code.length ?? 0) > 0
  }

  /**
   * @throws StatusError `notFound` for a block that is not kept; MissingStateError on a chain whose beginning another
   * node has (`ForkedSource`)
   */
  block(reference: BlockReference): SourceBlock | undefined {
    const view = this.#parts.node.view()
    if (reference.kind === 'number' && !isKept(view, reference.number)) throw notKept(view, reference.number)
    const hash = view.blockHash(reference)
    if (hash === undefined || isSuperseded(view, reference)) return undefined
    return new NodeBlock({ reference, hash, limits: this.#limits }, view, this.#parts)
  }
}

/** Block 0 is a block of the other node. */
const NO_GENESIS = { alloc: new Map() }

/** The chain of the node in this process, whose beginning another node has: blocks are loaded when they are read. */
export class ForkedSource implements ChainSource {
  readonly #source: NodeSource
  readonly #node: NodeSourceParts['node']

  constructor(limits: NodeLimits, parts: Omit<NodeSourceParts, 'genesis'>) {
    this.#source = new NodeSource(limits, { ...parts, genesis: NO_GENESIS })
    this.#node = parts.node
  }

  get chainId(): bigint {
    return this.#source.chainId
  }

  latestHash(): Hash {
    return this.#source.latestHash()
  }

  pendingHash(): Hash {
    return this.#source.pendingHash()
  }

  block(reference: BlockReference): MaybePromise<SourceBlock | undefined> {
    const read = () => this.#source.block(reference)
    return mapMaybe(readLoaded(this.#node.view(), read), (block) => {
      // The caller opens the block in a later microtask.
      const view = this.#node.view()
      view.retain()
      setImmediate(() => view.release())
      return block
    })
  }
}

/**
 * Whether a block can be read by its number. A replica lacks the blocks before its snapshot, except block 0. A fork
 * reads earlier blocks from the forked node.
 */
function isKept(view: View, number: number): boolean {
  return number === 0 || number >= view.oldest().block || view.forkBlock !== undefined
}

/** On a fork the blocks below the fork block are those of another node. */
function oldestOf(view: View, kept: 'block' | 'state'): number {
  return Math.max(view.oldest()[kept], view.forkBlock ?? 0)
}

function notKept(view: View, number: number): StatusError {
  const first = oldestOf(view, 'state')
  return new StatusError('notFound', `the state of block ${number} is not kept any more: the first block is ${first}`)
}

/** Whether a later flashblock replaced a hash: of the open block the service knows only the newest one. */
function isSuperseded(view: View, reference: BlockReference): boolean {
  if (reference.kind !== 'hash' || view.partial(reference.hash) === undefined) return false
  // An empty flashblock leaves the hash as it is, and that of the last one is the hash of the sealed block.
  return view.block(reference)?.status === 'superseded'
}

interface BlockOptions {
  readonly reference: BlockReference
  readonly hash: Hash
  readonly limits: NodeLimits
  /** Shared by blocks that one request reads. Default: each has its own. */
  readonly budget?: ReadBudget
}

/** A block of a view. Its header is read in the constructor, because the view may be released later. */
class NodeBlock implements SourceBlock {
  readonly hash: Hash
  readonly status: SourceBlock['status']
  readonly #header: Header
  readonly #view: View
  readonly #reference: BlockReference
  readonly #limits: NodeLimits
  readonly #parts: BlockParts
  readonly #sharedBudget: ReadBudget | undefined

  constructor({ reference, hash, limits, budget }: BlockOptions, view: View, parts: BlockParts) {
    this.hash = hash
    this.#sharedBudget = budget
    this.#header = view.header(reference)!
    this.#view = view
    this.#reference = reference
    this.#limits = limits
    this.#parts = parts
    const { pending, sealed } = view.head
    if (hash === pending.block.hash) this.status = 'open'
    else this.status = this.number <= sealed.finalized ? 'final' : 'sealed'
  }

  get number(): number {
    return this.#header.number
  }

  get parentHash(): Hash {
    return this.#header.parentHash
  }

  get timestamp(): bigint {
    return this.#header.timestamp
  }

  open(): ChainReads {
    const view = this.#view
    view.retain()
    const budget = this.#budget()
    return {
      ...this.#readsOf(this.#state(), budget, { ...this.#limits, close: () => view.release() }),
      scanLogs: (scan) => scanNodeLogs(view, scan, { clock: budget, logsBelow: this.#parts.logsBelow }),
      isOnChain: async ({ number, hash }) =>
        isKept(view, number) && (await readLoaded(view, () => view.blockHash({ kind: 'number', number }))) === hash,
      ancestors: this.#ancestors(budget),
      holders: this.#holders(),
    }
  }

  #holders(): HolderSource {
    const view = this.#view
    const { base } = view.head
    const { forkBlock } = view
    return {
      indexed: { from: base.holdersFrom, to: base.number },
      first: forkBlock === undefined ? 0 : forkBlock + 1,
      genesis: this.#parts.genesisAccounts(),
      // On a fork another node has the earlier transfers: a token without code at the fork block has none.
      beginsHere: async (token) => forkBlock === undefined || (await this.#codeAt(forkBlock, token)).length === 0,
      recipients: (token, range) => base.holders(token, range),
    }
  }

  async #codeAt(number: number, address: Address): Promise<Bytes> {
    const view = this.#view
    // A fork keeps the state of its fork block.
    return readLoaded(view, () => view.code(view.state({ kind: 'number', number })!, address))
  }

  #ancestors(budget: ReadBudget): Ancestors {
    const view = this.#view
    return {
      oldestBlock: oldestOf(view, 'block'),
      oldestState: oldestOf(view, 'state'),
      forkBlock: view.forkBlock,
      get isTimeOver() {
        return budget.isTimeOver
      },
      at: async (number) => {
        if (number === this.number) return this
        if (budget.isSliceOver) await budget.nextSlice()
        const reference: BlockReference = { kind: 'number', number }
        const hash = number < oldestOf(view, 'block') ? undefined : view.blockHash(reference)
        if (hash === undefined) throw notKept(view, number)
        return new NodeBlock({ reference, hash, limits: this.#limits, budget }, view, this.#parts)
      },
    }
  }

  async prove<T>(read: (reads: BlockReads) => Promise<T>): Promise<Proven<T>> {
    const view = this.#view
    const fork = view.head.base.below?.number ?? 0
    if (this.number < fork) {
      const message = `this node has no proofs of blocks below its fork block ${fork}: ask the node that it forks`
      throw new StatusError('failedPrecondition', message)
    }
    const { config } = this.#parts.node
    const budget = this.#budget()
    view.retain()
    try {
      const state = new RecordedState(this.#state(), this.#header)
      const reads = this.#readsOf(state, budget, { ...PROOF_LIMITS, close: () => undefined })
      const value = await read(reads).finally(() => reads.close())
      const trie = await this.#trie(budget)
      const { fork: evmFork, layer2 } = blockEnv(this.#header, config)
      const rules = { chainId: config.chainId, fork: evmFork, upgrade: layer2?.upgrade }
      return { value, header: this.#header, rules, accounts: state.proofs(trie) }
    } catch (error) {
      if (!(error instanceof UnprovenRead)) throw error
      throw new StatusError('failedPrecondition', `the contract reads what has no proof: ${error.message}`)
    } finally {
      view.release()
    }
  }

  #budget(): ReadBudget {
    return this.#sharedBudget ?? new ReadBudget(this.#limits, this.#parts)
  }

  #readsOf(state: State, budget: ReadBudget, { close, ...limits }: ReadLimits & { close(): void }): BlockReads {
    const { engine, config } = this.#parts.node
    let session: Session | undefined
    const opened = () => {
      session ??= engine.open(blockEnv(this.#header, config), state, {
        withoutLogs: true,
        mayContinue: () => budget.mayContinue(),
      })
      return session
    }
    return sessionReads(limits, {
      session: opened,
      code: (address) => readLoaded(this.#view, () => this.#view.code(state, address)),
      beginRead: () => budget.beginRead(),
      close() {
        session?.close()
        close()
      },
    })
  }

  /** @throws StatusError `notFound` beyond the proof window; `deadlineExceeded` */
  async #trie(budget: ReadBudget) {
    const view = this.#view
    const block = (await readLoaded(view, () => view.block(this.#reference)))!
    const trie = view.trieOf(block)
    if (trie !== undefined) return trie
    const { proofWindowSeconds } = this.#limits
    if (!hasProofs(view, this.#header, proofWindowSeconds)) {
      const message = `block ${this.number} is older than the proof window, whose first block is ${oldestProofs(view, proofWindowSeconds)}: name a newer one, or start the node with a longer --proof-window`
      throw new StatusError('notFound', message)
    }
    await budget.beginRead()
    const steps = oldTrieSteps(view, block)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (!(await budget.mayContinue())) {
        throw new StatusError('deadlineExceeded', `the proof needs more than --call-timeout-ms: name a newer block`)
      }
    }
  }

  #state(): State {
    try {
      return this.#view.state(this.#reference)!
    } catch (error) {
      if (!isPruned(error)) throw error
      throw notKept(this.#view, this.number)
    }
  }
}

type State = NonNullable<ReturnType<View['state']>>

/** Divides reads into slices and bounds the time of each call, and that of all searches of logs together. */
class ReadBudget implements ScanClock {
  readonly limits: NodeLimits
  readonly #parts: Pick<Required<NodeSourceParts>, 'now' | 'nextTurn'>
  #sliceEnd: number
  #callEnd = Number.POSITIVE_INFINITY
  #scanEnd: number | undefined

  constructor(limits: NodeLimits, parts: Pick<Required<NodeSourceParts>, 'now' | 'nextTurn'>) {
    this.limits = limits
    this.#parts = parts
    this.#sliceEnd = parts.now() + SLICE_MS
  }

  /** Called before each read. */
  async beginRead(): Promise<void> {
    const now = this.#parts.now()
    if (now > this.#sliceEnd) await this.#yield()
    this.#callEnd = now + this.limits.callTimeoutMs
  }

  /** See `SessionOptions`. */
  mayContinue(): ReturnType<MayContinue> {
    const now = this.#parts.now()
    if (now > this.#callEnd) return false
    return now > this.#sliceEnd ? this.#yield() : true
  }

  get isSliceOver(): boolean {
    return this.#parts.now() > this.#sliceEnd
  }

  get isTimeOver(): boolean {
    const now = this.#parts.now()
    this.#scanEnd ??= now + this.limits.callTimeoutMs
    return now > this.#scanEnd
  }

  async nextSlice(): Promise<void> {
    await this.#yield()
  }

  async #yield(): Promise<true> {
    const { now, nextTurn } = this.#parts
    await nextTurn()
    this.#sliceEnd = now() + SLICE_MS
    return true
  }
}

function isPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'STATE_PRUNED' || error.code === 'BLOCK_PRUNED')
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
