import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { Address } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { meaningOf, type RpcReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { StatusError } from '../http/status.ts'
import type { CallResult, ContractCall } from '../tokenized-stocks/chain-source.ts'
import { outcomeOf, type PlannedCall, planApart, planCode, planTogether } from './read-plan.ts'
import { blockCall, blockOf, type UpstreamBlock } from './upstream-block.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'

interface Parts {
  readonly client: Pick<UpstreamClient, 'request' | 'batchSize'>
}

/** The block to read at. */
export interface BlockTarget {
  readonly block: UpstreamBlock
  readonly isOpen: boolean
}

/** What is read at one block: contracts, or code. */
export type ReadRequest =
  | { readonly kind: 'call'; readonly calls: readonly ContractCall[] }
  | { readonly kind: 'code'; readonly addresses: readonly Address[] }

/** Results of all reads, or that the block was replaced. */
export type BlockReading =
  | { readonly kind: 'read'; readonly results: readonly CallResult[] }
  | { readonly kind: 'replaced' }

/** How `eth_call` refers to the block: by hash (EIP-1898), or by number or tag. */
type Naming = 'hash' | 'numberOrTag'

/** Why a block could not be read: the node does not have it, or does not support the reference. */
type Unread = { readonly kind: 'missing' } | { readonly kind: 'unsupported' }
type Attempt = Unread | { readonly kind: 'read'; readonly results: readonly CallResult[] }

const MISSING: Unread = { kind: 'missing' }

/** Distance in blocks from a block without Multicall3 within which Multicall3 is not tried again. */
const LOOK_AGAIN = 100

/**
 * Reads contracts at exactly one block: by hash if the upstream supports it (EIP-1898), otherwise by number or tag,
 * checking before and after that the block is still the same.
 */
export class BlockReader {
  readonly #client: Parts['client']
  /** Kinds of blocks that the upstream does not serve by hash. */
  readonly #withoutEip1898 = new Set<'open' | 'sealed'>()
  /** Newest block known to have no Multicall3. */
  #withoutMulticall = Number.NEGATIVE_INFINITY

  constructor({ client }: Parts) {
    this.#client = client
  }

  /**
   * @throws UpstreamError
   * @throws StatusError `notFound` when the state is pruned
   */
  async read(request: ReadRequest, target: BlockTarget, deadline: Deadline): Promise<BlockReading> {
    const kind = target.isOpen ? 'open' : 'sealed'
    const byHash = this.#withoutEip1898.has(kind) ? undefined : await this.#attempt(request, target, 'hash', deadline)
    if (byHash?.kind === 'read') return byHash
    const byNumberOrTag = await this.#attempt(request, target, 'numberOrTag', deadline)
    if (byNumberOrTag.kind !== 'read') return { kind: 'replaced' }
    // Calls of a batch may run concurrently: only a later request is certainly after all of them.
    const [reply] = await this.#client.request([blockCall(referenceTo(target))], deadline)
    if (!isStill(target, reply!)) return { kind: 'replaced' }
    // Some nodes, such as Anvil, do not serve open blocks by hash. A sealed block may be missing on one of several
    // nodes that is behind.
    if (target.isOpen || byHash?.kind === 'unsupported') this.#withoutEip1898.add(kind)
    return byNumberOrTag
  }

  async #attempt(request: ReadRequest, target: BlockTarget, naming: Naming, deadline: Deadline): Promise<Attempt> {
    const calls = request.kind === 'call' ? request.calls : []
    const results: CallResult[] = []
    let plan = request.kind === 'call' ? this.#firstPlan(calls, target) : planCode(request.addresses)
    while (plan.length > 0) {
      const separate = await this.#run(plan, target, naming, results, deadline)
      if ('kind' in separate) return separate
      plan = planApart(calls, separate)
    }
    return { kind: 'read', results }
  }

  #firstPlan(calls: readonly ContractCall[], { block: { number } }: BlockTarget): readonly PlannedCall[] {
    const lacksMulticall =
      number <= this.#withoutMulticall + LOOK_AGAIN && number >= this.#withoutMulticall - LOOK_AGAIN
    return lacksMulticall ? planApart(calls, [...calls.keys()]) : planTogether(calls)
  }

  /** @returns `undefined` when the number or tag now refers to another block */
  async #replies(
    plan: readonly PlannedCall[],
    target: BlockTarget,
    naming: Naming,
    deadline: Deadline,
  ): Promise<readonly RpcReply[] | undefined> {
    const name = nameOf(target, naming)
    const requested = plan.map(({ method, parameter }) => ({ method, params: [parameter, name] }))
    if (naming === 'hash') return this.#client.request(requested, deadline)
    // A load balancer may send requests to different nodes: each request reads the block before and after its calls.
    const look = blockCall(referenceTo(target))
    const size = this.#client.batchSize - 2
    const batches = Array.from({ length: Math.ceil(requested.length / size) }, (_, index) => {
      return [look, ...requested.slice(index * size, (index + 1) * size), look]
    })
    const all = await Promise.all(batches.map((batch) => this.#client.request(batch, deadline)))
    const isSame = all.every((replies) => isStill(target, replies[0]!) && isStill(target, replies.at(-1)!))
    return isSame ? all.flatMap((replies) => replies.slice(1, -1)) : undefined
  }

  /** @returns indexes of the reads that need a call of their own */
  async #run(
    plan: readonly PlannedCall[],
    target: BlockTarget,
    naming: Naming,
    results: CallResult[],
    deadline: Deadline,
  ): Promise<Unread | readonly number[]> {
    const replies = await this.#replies(plan, target, naming, deadline)
    if (replies === undefined) return MISSING
    const separate: number[] = []
    for (const [index, planned] of plan.entries()) {
      const outcome = outcomeOf(planned, replies[index]!)
      if (outcome.kind === 'error') return unreadBy(outcome, naming, target.block)
      if (outcome.kind === 'read') {
        for (const [at, result] of outcome.results.entries()) {
          const place = planned.places[at]!
          if (result === undefined) separate.push(place)
          else results[place] = result
        }
        continue
      }
      separate.push(...planned.places)
      if (outcome.why === 'noMulticall') this.#withoutMulticall = target.block.number
    }
    return separate
  }
}

/** The reference to a block that cannot be read by hash. */
export function referenceTo({ block, isOpen }: BlockTarget): BlockReference {
  return isOpen ? PENDING : { kind: 'number', number: block.number }
}

/** Whether `referenceTo` still names this block. */
export function isStill(target: BlockTarget, reply: RpcReply): boolean {
  return blockOf(reply, referenceTo(target))?.hash === target.block.hash
}

function nameOf({ block, isOpen }: BlockTarget, naming: Naming): unknown {
  if (naming === 'hash') return { blockHash: block.hash }
  return isOpen ? 'pending' : toQuantity(block.number)
}

/** @throws the error, unless it says that the block is missing or the reference unsupported */
function unreadBy(
  error: { readonly code: number; readonly message: string },
  naming: Naming,
  { number }: UpstreamBlock,
): Unread {
  const meaning = meaningOf(error)
  if (meaning === 'missing' || (meaning === 'unsupported' && naming === 'hash')) return { kind: meaning }
  if (meaning === 'pruned') {
    throw new StatusError(
      'notFound',
      `the upstream node has pruned the state of block ${number}: use a newer block or an archive node`,
    )
  }
  if (meaning === 'timedOut') throw new UpstreamError({ kind: 'timeout', milliseconds: undefined })
  throw new UpstreamError({ kind: 'refused', code: error.code, message: error.message })
}
