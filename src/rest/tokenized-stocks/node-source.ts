import type { Header } from '../../chain/block/header.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import type { Session } from '../../engine/types.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import type { View } from '../../node/view/view.ts'
import { type Bytes, type Hash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import { StatusError } from '../http/status.ts'
import { type BlockReads, type ChainSource, type ContractCall, READ_GAS, type SourceBlock } from './chain-source.ts'

/** Milliseconds of reading before yielding, so that a list does not delay a flashblock. */
const SLICE_MS = 8
const NO_CHECKS = { nonce: false, baseFee: false, senderWithoutCode: false, gasFunds: false }

export interface NodeSourceParts {
  readonly node: Pick<ServedNode, 'view' | 'engine' | 'config'>
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Yields to the event loop. Default: `setImmediate`. */
  readonly nextTurn?: () => Promise<void>
}

/** The chain of the node in this process. Each block is read in the view in which it was obtained. */
export class NodeSource implements ChainSource {
  readonly #parts: Required<NodeSourceParts>

  constructor(parts: NodeSourceParts) {
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
    return new NodeBlock(view, reference, hash, this.#parts)
  }
}

/** The chain of the node in this process, whose beginning another node has: blocks are loaded when they are read. */
export class ForkedSource implements ChainSource {
  readonly #source: NodeSource
  readonly #node: NodeSourceParts['node']

  constructor(parts: NodeSourceParts) {
    this.#source = new NodeSource(parts)
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

/** Whether a hash is a superseded partial hash: its block resolves, its state does not. */
function isSuperseded(view: View, reference: BlockReference): boolean {
  if (reference.kind !== 'hash') return false
  try {
    return view.state(reference) === undefined
  } catch (error) {
    if (isPruned(error)) return false
    throw error
  }
}

/** A block of a view. Its header is read in the constructor, because the view may be released later. */
class NodeBlock implements SourceBlock {
  readonly hash: Hash
  readonly status: SourceBlock['status']
  readonly #header: Header
  readonly #view: View
  readonly #reference: BlockReference
  readonly #parts: Required<NodeSourceParts>

  constructor(view: View, reference: BlockReference, hash: Hash, parts: Required<NodeSourceParts>) {
    this.hash = hash
    this.#header = view.header(reference)!
    this.#view = view
    this.#reference = reference
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
    const session = engine.open(blockEnv(this.#header, config), state, { withoutLogs: true })
    this.#view.retain()
    return {
      call: (calls) => callAll(session, calls, this.#parts),
      close: () => {
        session.close()
        this.#view.release()
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

async function callAll(
  session: Session,
  calls: readonly ContractCall[],
  { now, nextTurn }: Required<NodeSourceParts>,
): Promise<readonly (Bytes | undefined)[]> {
  const outputs: (Bytes | undefined)[] = []
  let sliceEnd = now() + SLICE_MS
  for (const call of calls) {
    if (now() > sliceEnd) {
      await nextTurn()
      sliceEnd = now() + SLICE_MS
    }
    outputs.push(await callAlone(session, call))
  }
  return outputs
}

/** Reverts the writes of the call. */
async function callAlone(session: Session, { to, data, gas = READ_GAS }: ContractCall): Promise<Bytes | undefined> {
  const call = {
    from: ZERO_ADDRESS,
    to,
    gasLimit: BigInt(gas),
    value: 0n,
    data,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
  }
  session.checkpoint()
  try {
    const result = await session.call(call, NO_CHECKS)
    return result.kind === 'executed' && result.status === 'success' ? result.output : undefined
  } finally {
    session.revert()
  }
}

function isPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'STATE_PRUNED' || error.code === 'BLOCK_PRUNED')
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
