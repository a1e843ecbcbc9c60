import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine } from '../../engine/types.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { DamagedStoreError, type NodeDamage } from '../core/damaged-data.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { StreamSettings } from '../log/record-source.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { FlashblockCounts, NodeEventEmitter } from '../view/events.ts'
import type { View } from '../view/view.ts'
import type { LogPosition, RunningChain, ServedChain } from './node-handle.ts'

export interface RunningNodeParts {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly current: CurrentView
  readonly damage: NodeDamage | undefined
}

/** The part of a handle that is the same in every role: reads use the current view. */
export abstract class RunningNode implements ServedChain, RunningChain {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly damage: NodeDamage | undefined
  readonly #current: CurrentView

  constructor({ config, engine, current, damage }: RunningNodeParts) {
    this.config = config
    this.engine = engine
    this.events = current.events
    this.damage = damage
    this.#current = current
  }

  abstract get counts(): FlashblockCounts
  abstract get isOnDemand(): boolean
  abstract submit(raw: Bytes, from?: Address): Promise<SubmitResult>
  abstract idle(): Promise<void>
  abstract stop(): Promise<void>
  /** Settings of the leader. @throws Error if no node has been followed yet */
  protected abstract settings(): StreamSettings
  /** `setHead` on a store without damage. */
  protected abstract unwindTo(number: number): Promise<SetHeadResult>
  /** The directory, and the first record of the blocks above one that is stored. */
  protected abstract firstAbove(stored: number): Omit<LogPosition, 'to'>

  get blockTimeMs(): number {
    return this.settings().blockTime
  }

  get slots(): number {
    return this.settings().slots
  }

  get gasLimit(): bigint {
    return this.settings().gasLimit
  }

  get finalityDepth(): number {
    return this.settings().finalityDepth
  }

  get poolCounts(): PoolCounts {
    return this.#current.pool.counts
  }

  get hasFailed(): boolean {
    return this.#current.hasFailed
  }

  view(): View {
    return this.#current.view()
  }

  async setHead(number: number): Promise<SetHeadResult> {
    // The unwound blocks may share pages with damaged ones.
    const [table] = this.damage?.tables ?? []
    if (table !== undefined) throw new DamagedStoreError(table)
    return this.unwindTo(number)
  }

  logPosition(): LogPosition {
    const { base, sequence } = this.#current.head
    return { ...this.firstAbove(base.number), to: sequence }
  }
}
