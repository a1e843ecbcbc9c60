import type { Header } from '../../chain/block/header.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import { decodeRevertReason } from '../../engine/call/revert-reason.ts'
import { ExecutionStoppedError, type MayContinue, type Result, type Session } from '../../engine/types.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import type { View } from '../../node/view/view.ts'
import { type Bytes, type Hash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import { StatusError } from '../http/status.ts'
import type { BlockReads, CallResult, ChainSource, ContractCall, SourceBlock } from './chain-source.ts'

/** Milliseconds of reading before yielding, so that a list does not delay a flashblock. */
const SLICE_MS = 8
const NO_CHECKS = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }

/** Limits of one read: those of `eth_call`. */
export interface ReadLimits {
  readonly callGasCap: bigint
  readonly callTimeoutMs: number
}

export interface NodeSourceParts {
  readonly node: Pick<ServedNode, 'view' | 'engine' | 'config'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Yields to the event loop. Default: `setImmediate`. */
  readonly nextTurn?: () => Promise<void>
}

/** The chain of the node in this process. Each block is read in the view in which it was obtained. */
export class NodeSource implements ChainSource {
  readonly #limits: ReadLimits
  readonly #parts: Required<NodeSourceParts>

  constructor(limits: ReadLimits, parts: NodeSourceParts) {
    this.#limits = limits
    this.#parts = { nextTurn: nextRound, ...parts }
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

  /** @throws MissingStateError on a chain whose beginning another node has (`ForkedSource`) */
  block(reference: BlockReference): SourceBlock | undefined {
    const view = this.#parts.node.view()
    const hash = view.blockHash(reference)
    if (hash === undefined || isSuperseded(view, reference)) return undefined
    return new NodeBlock({ reference, hash, limits: this.#limits }, view, this.#parts)
  }
}

/** The chain of the node in this process, whose beginning another node has: blocks are loaded when they are read. */
export class ForkedSource implements ChainSource {
  readonly #source: NodeSource
  readonly #node: NodeSourceParts['node']

  constructor(limits: ReadLimits, parts: NodeSourceParts) {
    this.#source = new NodeSource(limits, parts)
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

/** Whether a later flashblock replaced a hash: of the open block the service knows only the newest one. */
function isSuperseded(view: View, reference: BlockReference): boolean {
  if (reference.kind !== 'hash' || view.partial(reference.hash) === undefined) return false
  // An empty flashblock leaves the hash as it is, and that of the last one is the hash of the sealed block.
  return view.block(reference)?.status === 'superseded'
}

interface BlockOptions {
  readonly reference: BlockReference
  readonly hash: Hash
  readonly limits: ReadLimits
}

/** A block of a view. Its header is read in the constructor, because the view may be released later. */
class NodeBlock implements SourceBlock {
  readonly hash: Hash
  readonly status: SourceBlock['status']
  readonly #header: Header
  readonly #view: View
  readonly #reference: BlockReference
  readonly #limits: ReadLimits
  readonly #parts: Required<NodeSourceParts>

  constructor({ reference, hash, limits }: BlockOptions, view: View, parts: Required<NodeSourceParts>) {
    this.hash = hash
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

  get timestamp(): bigint {
    return this.#header.timestamp
  }

  open(): BlockReads {
    const { engine, config } = this.#parts.node
    const state = this.#state()
    const budget = new ReadBudget(this.#limits, this.#parts)
    const session = engine.open(blockEnv(this.#header, config), state, {
      withoutLogs: true,
      mayContinue: () => budget.mayContinue(),
    })
    const view = this.#view
    view.retain()
    return {
      call: (calls) => readInOrder(calls, budget, (call) => callAlone(session, call, budget.limits)),
      code: (addresses) =>
        readInOrder(addresses, budget, (address) => readLoaded(view, () => view.code(state, address))),
      close: () => {
        session.close()
        view.release()
      },
    }
  }

  #state() {
    try {
      return this.#view.state(this.#reference)!
    } catch (error) {
      if (!isPruned(error)) throw error
      throw new StatusError('notFound', `the state of block ${this.number} is not kept any more: ask for a newer one`)
    }
  }
}

/** Divides reads into slices and bounds the time of each call. */
class ReadBudget {
  readonly limits: ReadLimits
  readonly #parts: Pick<Required<NodeSourceParts>, 'now' | 'nextTurn'>
  #sliceEnd: number
  #callEnd = Number.POSITIVE_INFINITY

  constructor(limits: ReadLimits, parts: Pick<Required<NodeSourceParts>, 'now' | 'nextTurn'>) {
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

  async #yield(): Promise<true> {
    const { now, nextTurn } = this.#parts
    await nextTurn()
    this.#sliceEnd = now() + SLICE_MS
    return true
  }
}

async function readInOrder<I, O>(
  items: readonly I[],
  budget: ReadBudget,
  read: (item: I) => MaybePromise<O>,
): Promise<readonly O[]> {
  const results: O[] = []
  for (const item of items) {
    await budget.beginRead()
    results.push(await read(item))
  }
  return results
}

/** Reverts the writes of the call. */
async function callAlone(session: Session, { to, data }: ContractCall, limits: ReadLimits): Promise<CallResult> {
  const call = {
    from: ZERO_ADDRESS,
    to,
    gasLimit: limits.callGasCap,
    value: 0n,
    data,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  }
  session.checkpoint()
  try {
    return resultOf(await session.call(call, NO_CHECKS))
  } catch (error) {
    if (!(error instanceof ExecutionStoppedError)) throw error
    return failed(`execution aborted after ${limits.callTimeoutMs} ms`)
  } finally {
    session.revert()
  }
}

function resultOf(result: Result): CallResult {
  if (result.kind === 'invalid') return failed(invalidTransactionMessage(result.error))
  if (result.status === 'success') return { kind: 'returned', output: result.output }
  if (result.status === 'halt') return failed(result.halt ?? 'out of gas')
  const reason = decodeRevertReason(result.output)
  return failed(reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`, result.output)
}

function failed(message: string, data: Bytes = new Uint8Array(0)): CallResult {
  return { kind: 'failed', message, data }
}

function isPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'STATE_PRUNED' || error.code === 'BLOCK_PRUNED')
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
