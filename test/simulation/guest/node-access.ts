import type {
  FailoverHandle,
  ReaderHandle,
  ReplicaHandle,
  ServedChain,
  SoloHandle,
} from '../../../src/node/roles/node-handle.ts'
import { PENDING } from '../../../src/node/view/block-reference.ts'
import type { Hash } from '../../../src/primitives/hex.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import type { NodeObserver, ShownBlock } from './simulation.ts'

export type SimulatedHandle = SoloHandle | ReplicaHandle | FailoverHandle

/** Reads of a node for the checks, without the network. */
export interface NodeAccess {
  readonly role: (SimulatedHandle | ReaderHandle)['role']
  /** Number of the newest sealed block. */
  latest(): number
  /** The newest record in the head. */
  sequence(): number
  /** Where a transaction is. */
  find(hash: string): 'included' | 'pooled' | undefined
  /** Hashes of the transactions in the pool. */
  pooled(): readonly string[]
  /** A sealed block. */
  block(number: number): ShownBlock | undefined
  hasFailed(): boolean
  /** Whether a snapshot takes the place of the chain. */
  isReplacing(): boolean
  /** Whether the node makes the blocks. */
  leads(): boolean
}

export function accessTo(node: SimulatedHandle | ReaderHandle): NodeAccess {
  return {
    role: node.role,
    latest: () => node.view().head.sealed.latest,
    sequence: () => node.view().head.sequence,
    pooled: () => pooled(node),
    find: (hash) => node.view().transaction(hash as Hash)?.kind,
    block: (number) => {
      const found = node.view().block({ kind: 'number', number })
      return found && shown(found.block)
    },
    hasFailed: () => node.hasFailed,
    isReplacing: () => node.role !== 'reader' && node.replication.isReplacing(),
    leads: () => leads(node),
  }
}

function pooled(node: ServedChain): readonly string[] {
  const { pool } = node.view()
  return [...pool.senders()].flatMap((sender) => pool.bySender(sender)).map(({ transaction }) => transaction.hash)
}

function leads(node: SimulatedHandle | ReaderHandle): boolean {
  return node.role === 'solo' || (node.role === 'failover' && node.failover.role === 'leader')
}

/** Reports what the node shows now and from now on. */
export function observe(node: SimulatedHandle, observer: NodeObserver): void {
  const { records } = node.replication
  let reported = 0
  const report = () => {
    const { firstSequence, durableSequence } = records
    const from = Math.max(reported + 1, firstSequence ?? durableSequence + 1)
    try {
      const read = () => records.newReader().read(from, durableSequence)
      for (const { sequence, payload } of records.cached(from, Number.POSITIVE_INFINITY) ?? read()) {
        observer.record(sequence, payload)
        reported = sequence
      }
    } catch (error) {
      // A bit flipped while it was read from the disk: the next report reads it again.
      if (!(error instanceof StorageError) || error.code !== 'LOG_CORRUPT') throw error
    }
  }
  report()
  records.onDurable(report)
  observeEvents(node, observer)
}

/** Reports what a process of a node shows now and from now on. */
export function observeEvents(node: ServedChain, observer: NodeObserver): void {
  const { events } = node
  const { pending, sequence } = node.view().head
  const open = node.view().block(PENDING)
  if (open !== undefined) observer.flashblock({ ...shown(open.block), index: pending.index }, sequence)
  events.on('flashblock', ({ view, layer, block }) => {
    observer.flashblock({ ...shown(block), index: layer.index }, view.head.sequence)
    observer.item('newFlashblocks', block.hash)
    for (const { hash } of layer.transactions) observer.item('newFlashblockTransactions', hash)
  })
  events.on('sealed', ({ view, block, receipts }) => {
    observer.sealed(shown(block), view.head.sequence)
    for (const key of logKeys(block.hash, receipts)) observer.item('logs', key)
  })
  events.on('unwound', ({ blocks }) => {
    observer.unwound(blocks.filter(({ wasSealed }) => wasSealed).map(({ block }) => shown(block)))
    for (const { block, receipts, wasSealed } of blocks) {
      if (!wasSealed) continue
      for (const key of logKeys(block.hash, receipts).reverse()) observer.item('logs', `removed ${key}`)
    }
  })
  events.on('pooled', ({ hash }) => observer.item('newPendingTransactions', hash))
  events.on('dropped', ({ hash, reason }) => observer.dropped(hash, reason.code))
  events.on('failed', (error) => observer.failed(error))
}

/** Names of the logs of a block, in order. */
function logKeys(blockHash: Hash, receipts: readonly { readonly logs: readonly unknown[] }[]): string[] {
  const count = receipts.reduce((sum, { logs }) => sum + logs.length, 0)
  return Array.from({ length: count }, (_, index) => `${blockHash} ${index}`)
}

interface Shown {
  readonly header: { readonly number: number; readonly parentHash: Hash }
  readonly hash: Hash
  readonly transactions: readonly { readonly hash: Hash }[]
}

function shown({ header, hash, transactions }: Shown): ShownBlock {
  const { number, parentHash } = header
  return { number, hash, parentHash, transactions: transactions.map((one) => one.hash) }
}
