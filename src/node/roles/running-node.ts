import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Engine } from '../../engine/types.ts'
import type { PoolCounts } from '../../pool/pool.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { DamagedStoreError, type NodeDamage } from '../core/damaged-data.ts'
import type { SetHeadResult, SubmitResult } from '../core/results.ts'
import type { Development } from '../development/development.ts'
import type { LeaderReply, LeaderRequest } from '../log/record-source.ts'
import type { PublishingCondition } from '../log/replicated-log.ts'
import type { CurrentView } from '../view/current-view.ts'
import type { FlashblockCounts, NodeEventEmitter } from '../view/events.ts'
import type { View } from '../view/view.ts'
import type { FailoverStatus } from './failover/next-role.ts'
import type { FollowingProgress, LogPosition, NodeHandle, ReplicationAccess, ServedNode } from './node-handle.ts'
import type { RoleDriver } from './role-driver.ts'

export interface RunningNodeDeps {
  readonly engine: Engine
  readonly current: CurrentView
  readonly driver: RoleDriver
  /** The directory, and the first record of the blocks above one that is stored. */
  readonly firstAbove: (stored: number) => Omit<LogPosition, 'to'>
  readonly damage?: NodeDamage | undefined
  readonly replication?: ReplicationAccess | undefined
  readonly diskBytes?: (() => Promise<number>) | undefined
  readonly fork?: ServedNode['fork']
}

/** The handle of a node: reads use its current view; everything else depends on its role. */
export class RunningNode implements NodeHandle {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly events: NodeEventEmitter
  readonly damage: NodeDamage | undefined
  readonly replication: ReplicationAccess | undefined
  readonly diskBytes?: () => Promise<number>
  readonly forecast?: (view: View) => MaybePromise<View>
  readonly shownEverywhere?: (sequence: number) => Promise<void>
  readonly forward?: (request: LeaderRequest) => Promise<LeaderReply>
  readonly #deps: RunningNodeDeps

  constructor({ config }: { readonly config: ChainConfig }, deps: RunningNodeDeps) {
    const { engine, current, driver, replication, diskBytes } = deps
    this.config = config
    this.engine = engine
    this.events = current.events
    this.damage = deps.damage
    this.replication = replication
    this.#deps = deps
    if (diskBytes !== undefined) this.diskBytes = diskBytes
    if (driver.forecast !== undefined) this.forecast = (view) => driver.forecast!(view)
    if (driver.shownEverywhere !== undefined) {
      this.shownEverywhere = (sequence) => driver.shownEverywhere!(sequence)
    }
    if (driver.forward !== undefined) this.forward = (request) => driver.forward!(request)
  }

  get blockTimeMs(): number {
    return this.#deps.driver.settings().blockTime
  }

  get slots(): number {
    return this.#deps.driver.settings().slots
  }

  get gasLimit(): bigint {
    return this.#deps.driver.settings().gasLimit
  }

  get finalityDepth(): number {
    return this.#deps.driver.settings().finalityDepth
  }

  get counts(): FlashblockCounts {
    return this.#deps.driver.counts
  }

  get poolCounts(): PoolCounts {
    return this.#deps.current.poolCounts
  }

  get hasFailed(): boolean {
    return this.#deps.current.hasFailed
  }

  get publishing(): PublishingCondition | undefined {
    return this.#deps.driver.publishing
  }

  get following(): FollowingProgress | undefined {
    return this.#deps.driver.following
  }

  get failover(): FailoverStatus | undefined {
    return this.#deps.driver.failover
  }

  get isOnDemand(): boolean | undefined {
    return this.#deps.driver.isOnDemand
  }

  get fork(): ServedNode['fork'] {
    return this.#deps.fork
  }

  get development(): Development | undefined {
    return this.#deps.driver.development
  }

  view(): View {
    return this.#deps.current.view()
  }

  submit(raw: Bytes, from?: Address): Promise<SubmitResult> {
    return this.#deps.driver.submit(raw, from)
  }

  async setHead(number: number): Promise<SetHeadResult> {
    // The unwound blocks may share pages with damaged ones.
    const [table] = this.damage?.tables ?? []
    if (table !== undefined) throw new DamagedStoreError(table)
    return this.#deps.driver.setHead(number)
  }

  logPosition(): LogPosition {
    const { base, sequence } = this.#deps.current.head
    return { ...this.#deps.firstAbove(base.number), to: sequence }
  }

  idle(): Promise<void> {
    return this.#deps.driver.idle()
  }

  stop(): Promise<void> {
    return this.#deps.driver.stop()
  }
}
