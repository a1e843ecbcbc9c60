import { type BlockReference, PENDING } from '../../node/core/block-reference.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { StatusError } from '../status.ts'
import type { ContractCall } from '../tokenized-stocks/chain-source.ts'
import { outcomeOf, type PlannedCall, planApart, planTogether } from './read-plan.ts'
import { meaningOf, type RpcReply } from './rpc-reply.ts'
import { blockCall, blockOf, type UpstreamBlock } from './upstream-block.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'
import { UpstreamError } from './upstream-failure.ts'

interface Parts {
  readonly client: Pick<UpstreamClient, 'ask' | 'batchSize'>
}

/** The block to read at. */
export interface ReadPlace {
  readonly block: UpstreamBlock
  readonly isOpen: boolean
}

/** Results of all reads, or that the block was replaced. */
export type BlockReading =
  | { readonly kind: 'read'; readonly outputs: readonly (Bytes | undefined)[] }
  | { readonly kind: 'replaced' }

/** How `eth_call` refers to the block: by hash (EIP-1898), or by number or tag. */
type Naming = 'hash' | 'place'

/** Why a block could not be read: the node does not have it, or does not support the reference. */
type Unread = { readonly kind: 'missing' } | { readonly kind: 'unsupported' }
type Attempt = Unread | { readonly kind: 'read'; readonly outputs: readonly (Bytes | undefined)[] }

const MISSING: Unread = { kind: 'missing' }

/** Distance in blocks from one without Multicall3 within which it is not tried again. */
const LOOK_AGAIN = 100

/**
 * Reads contracts at exactly one block: by hash where the upstream supports it (EIP-1898), else by number or tag,
 * with checks before and after that the block is still the same.
 */
export class BlockReader {
  readonly #client: Parts['client']
  /** Kinds of blocks that the upstream does not serve by hash. */
  readonly #namedByPlace = new Set<'open' | 'sealed'>()
  /** Newest block known to have no Multicall3. */
  #withoutMulticall = Number.NEGATIVE_INFINITY

  constructor({ client }: Parts) {
    this.#client = client
  }

  /**
   * @throws UpstreamError
   * @throws StatusError `notFound` when the state is not kept
   */
  async read(calls: readonly ContractCall[], place: ReadPlace, deadline: Deadline): Promise<BlockReading> {
    const kind = place.isOpen ? 'open' : 'sealed'
    const byHash = this.#namedByPlace.has(kind) ? undefined : await this.#attempt(calls, place, 'hash', deadline)
    if (byHash?.kind === 'read') return byHash
    const byPlace = await this.#attempt(calls, place, 'place', deadline)
    if (byPlace.kind !== 'read') return { kind: 'replaced' }
    // Calls of a batch may run concurrently: only a later request is certainly after all of them.
    const [reply] = await this.#client.ask([blockCall(referenceTo(place))], deadline)
    if (!isStill(place, reply!)) return { kind: 'replaced' }
    // Some nodes, such as Anvil, do not serve open blocks by hash. A sealed block may be missing on one of several
    // nodes that is behind.
    if (place.isOpen || byHash?.kind === 'unsupported') this.#namedByPlace.add(kind)
    return byPlace
  }

  async #attempt(
    calls: readonly ContractCall[],
    place: ReadPlace,
    naming: Naming,
    deadline: Deadline,
  ): Promise<Attempt> {
    const outputs: (Bytes | undefined)[] = new Array(calls.length)
    const { number } = place.block
    const lacksMulticall =
      number <= this.#withoutMulticall + LOOK_AGAIN && number >= this.#withoutMulticall - LOOK_AGAIN
    let plan = lacksMulticall ? planApart(calls, [...calls.keys()]) : planTogether(calls)
    while (plan.length > 0) {
      const separate = await this.#run(plan, place, naming, outputs, deadline)
      if ('kind' in separate) return separate
      plan = planApart(calls, separate)
    }
    return { kind: 'read', outputs }
  }

  /** @returns `undefined` when the number or tag names another block now */
  async #replies(
    plan: readonly PlannedCall[],
    place: ReadPlace,
    naming: Naming,
    deadline: Deadline,
  ): Promise<readonly RpcReply[] | undefined> {
    const name = nameOf(place, naming)
    const asked = plan.map(({ parameter }) => ({ method: 'eth_call', params: [parameter, name] }))
    if (naming === 'hash') return this.#client.ask(asked, deadline)
    // Requests may reach different nodes behind one address: each request reads the block before and after its calls.
    const look = blockCall(referenceTo(place))
    const size = this.#client.batchSize - 2
    const batches = Array.from({ length: Math.ceil(asked.length / size) }, (_, index) => {
      return [look, ...asked.slice(index * size, (index + 1) * size), look]
    })
    const all = await Promise.all(batches.map((batch) => this.#client.ask(batch, deadline)))
    const isSame = all.every((replies) => isStill(place, replies[0]!) && isStill(place, replies.at(-1)!))
    return isSame ? all.flatMap((replies) => replies.slice(1, -1)) : undefined
  }

  /** @returns indexes of the reads that have to be made one by one */
  async #run(
    plan: readonly PlannedCall[],
    place: ReadPlace,
    naming: Naming,
    outputs: (Bytes | undefined)[],
    deadline: Deadline,
  ): Promise<Unread | readonly number[]> {
    const replies = await this.#replies(plan, place, naming, deadline)
    if (replies === undefined) return MISSING
    const separate: number[] = []
    for (const [index, planned] of plan.entries()) {
      const outcome = outcomeOf(planned, replies[index]!)
      if (outcome.kind === 'error') return unreadBy(outcome, naming, place.block)
      if (outcome.kind === 'read') {
        for (const [at, output] of outcome.outputs.entries()) outputs[planned.places[at]!] = output
        continue
      }
      separate.push(...planned.places)
      if (outcome.why === 'noMulticall') this.#withoutMulticall = place.block.number
    }
    return separate
  }
}

/** The reference to a block that cannot be read by hash. */
function referenceTo({ block, isOpen }: ReadPlace): BlockReference {
  return isOpen ? PENDING : { kind: 'number', number: block.number }
}

/** Whether `referenceTo` still names this block. */
function isStill(place: ReadPlace, reply: RpcReply): boolean {
  return blockOf(reply, referenceTo(place))?.hash === place.block.hash
}

function nameOf({ block, isOpen }: ReadPlace, naming: Naming): unknown {
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
