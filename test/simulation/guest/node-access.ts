import type { FailoverHandle, ReplicaHandle, SoloHandle } from '../../../src/node/roles/node-handle.ts'
import { PENDING } from '../../../src/node/view/block-reference.ts'
import type { Hash } from '../../../src/primitives/hex.ts'
import type { NodeObserver, ShownBlock } from './simulation.ts'

export type SimulatedHandle = SoloHandle | ReplicaHandle | FailoverHandle

/** Reads of a node for the checks, without the network. */
export interface NodeAccess {
  readonly role: SimulatedHandle['role']
  /** Number of the newest sealed block. */
  latest(): number
  /** The newest record in the head. */
  sequence(): number
  /** Where a transaction is. */
  find(hash: string): 'included' | 'pooled' | undefined
  /** A sealed block. */
  block(number: number): ShownBlock | undefined
  hasFailed(): boolean
  /** Whether the node makes the blocks. */
  leads(): boolean
}

export function accessTo(node: SimulatedHandle): NodeAccess {
  return {
    role: node.role,
    latest: () => node.view().head.sealed.latest,
    sequence: () => node.view().head.sequence,
    find: (hash) => node.view().transaction(hash as Hash)?.kind,
    block: (number) => {
      const found = node.view().block({ kind: 'number', number })
      return found && { number, hash: found.block.hash, transactions: hashesOf(found.block) }
    },
    hasFailed: () => node.hasFailed,
    leads: () => leads(node),
  }
}

function leads(node: SimulatedHandle): boolean {
  return node.role === 'solo' || (node.role === 'failover' && node.failover.role === 'leader')
}

/** Reports what the node shows now and from now on. */
export function observe(node: SimulatedHandle, observer: NodeObserver): void {
  const { events } = node
  const { records } = node.replication
  const { pending } = node.view().head
  const open = node.view().block(PENDING)
  if (open !== undefined) observer.flashblock({ ...shown(open.block), index: pending.index })
  events.on('flashblock', ({ layer, block }) => observer.flashblock({ ...shown(block), index: layer.index }))
  events.on('sealed', ({ block }) => observer.sealed(shown(block)))
  // Followers judge a replacement in the order of the records: the leader may have included what it replaces.
  events.on('dropped', ({ hash, reason }) => {
    if (leads(node)) observer.dropped(hash, reason.code)
  })
  events.on('failed', (error) => observer.failed(error))
  let reported = 0
  const report = () => {
    const { firstSequence, durableSequence } = records
    const from = Math.max(reported + 1, firstSequence ?? durableSequence + 1)
    for (const { sequence, payload } of records.newReader().read(from, durableSequence)) {
      observer.record(sequence, payload)
      reported = sequence
    }
  }
  report()
  records.onDurable(report)
}

function shown(
  block: { readonly header: { readonly number: number }; readonly hash: Hash } & Transactions,
): ShownBlock {
  return { number: block.header.number, hash: block.hash, transactions: hashesOf(block) }
}

interface Transactions {
  readonly transactions: readonly { readonly hash: Hash }[]
}

function hashesOf({ transactions }: Transactions): readonly Hash[] {
  return transactions.map(({ hash }) => hash)
}
