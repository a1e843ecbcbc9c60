import { EventEmitter } from 'node:events'
import type { Block } from '../../chain/block/block.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'
import type { UnwoundBlock } from '../machine/unwinding.ts'
import type { View } from './view.ts'

/** Events of a node, emitted after the `Head` that contains the change is in place. */
export interface NodeEvents {
  /** A flashblock was announced; `view` is the first one that contains it. */
  flashblock: [event: { readonly view: View; readonly layer: Layer; readonly block: Block }]
  /** A block was sealed, after its last flashblock. */
  sealed: [event: { readonly view: View; readonly block: Block; readonly receipts: readonly Receipt[] }]
  /**
   * Blocks were unwound (`debug_setHead`), newest first, beginning with the open one; a `flashblock` of the replacing
   * block follows. Blocks without user transactions and logs may be missing, except the lowest. `isComplete`: no
   * other one is; false after a snapshot transfer: some unwound blocks are unknown.
   */
  unwound: [event: { readonly blocks: readonly UnwoundBlock[]; readonly isComplete: boolean }]
  /** A transaction entered the pool. */
  pooled: [transaction: PoolTransaction]
  /** A transaction left the pool without being included. */
  dropped: [event: { readonly hash: Hash; readonly reason: DropReason }]
  /** The node failed; no event follows. */
  failed: [error: unknown]
}

/** Called when the first subscriber has a message of a flashblock. */
export type OnFlashblockDelivered = (event: Pick<NodeEvents['flashblock'][0], 'layer'>) => void

export type NodeEventEmitter = EventEmitter<NodeEvents>

/** Without a listener limit: one per socket is normal. */
export function createNodeEvents(): NodeEventEmitter {
  const events = new EventEmitter<NodeEvents>()
  events.setMaxListeners(0)
  return events
}

export type EmitNodeEvent = <Name extends keyof NodeEvents>(name: Name, ...event: NodeEvents[Name]) => void

/** Emits events. An error of a listener reaches neither the emitting step nor other listeners. */
export function emitIsolated(
  events: NodeEventEmitter,
  log: { error(details: object, message: string): void },
): EmitNodeEvent {
  return (name, ...event) => {
    for (const listener of events.rawListeners(name)) {
      try {
        Reflect.apply(listener, events, event)
      } catch (error) {
        log.error({ err: error, event: name }, 'a listener failed')
      }
    }
  }
}

/** Flashblocks built or applied since the start, and missed slots. */
export interface FlashblockCounts {
  readonly flashblocks: number
  readonly missedSlots: number
}

/** Counts the flashblocks that a node shows, whether built or applied. */
export function countFlashblocks(events: NodeEventEmitter): () => number {
  let flashblocks = 0
  events.on('flashblock', () => {
    flashblocks += 1
  })
  return () => flashblocks
}
