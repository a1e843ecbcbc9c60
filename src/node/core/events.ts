import { EventEmitter } from 'node:events'
import type { Block } from '../../chain/block/block.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import type { DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { Hash } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'
import type { View } from './view.ts'

/** A block that no view shows any more. */
export interface UnwoundBlock {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** Whether it had been sealed. */
  readonly wasSealed: boolean
}

/** What the node tells its listeners, always after the `Head` that shows it is in place. */
export interface NodeEvents {
  /** A flashblock was announced; `view` is the first one that shows it. */
  flashblock: [event: { readonly view: View; readonly layer: Layer; readonly block: Block }]
  /** A block was sealed, after its last flashblock. */
  sealed: [event: { readonly view: View; readonly block: Block; readonly receipts: readonly Receipt[] }]
  /**
   * Blocks are gone (`debug_setHead`), newest first, the open one before them; a `flashblock` of what replaces it follows.
   * `areAll`: nothing else is. Who took over a chain in one piece knows only in part what became of the one before.
   */
  unwound: [event: { readonly blocks: readonly UnwoundBlock[]; readonly areAll: boolean }]
  /** A transaction entered the pool. */
  pooled: [transaction: PoolTransaction]
  /** A transaction left the pool without being included. */
  dropped: [event: { readonly hash: Hash; readonly reason: DropReason }]
  /** The node cannot go on; nothing is announced after this. */
  failed: [error: unknown]
}

export type NodeEventEmitter = EventEmitter<NodeEvents>

/** One listener per socket is normal; there is no count above which it is a leak. */
export function createNodeEvents(): NodeEventEmitter {
  const events = new EventEmitter<NodeEvents>()
  events.setMaxListeners(0)
  return events
}
