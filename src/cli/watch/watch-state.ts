import type { Connection } from '../../live/connection.ts'
import type { LiveState } from '../../live/live-feed.ts'
import type { Names } from '../../live/names/names.ts'

/** The node as `tickertape watch` shows it. */
export interface WatchState {
  /** Address of the node without parts that may be keys. */
  readonly url: string
  /** `undefined` until the node has answered on the current connection. */
  readonly node: NodeIdentity | undefined
  readonly connection: Connection
  readonly live: LiveState
  /** `unavailable`: the node has no `txpool_status`. */
  readonly pool: PoolSize | 'unavailable' | undefined
  /** Names of addresses: those that every chain has, and the stocks of the node. */
  readonly names: Names
}

export interface NodeIdentity {
  readonly chainId: bigint
  readonly clientVersion: string
}

export interface PoolSize {
  readonly pending: number
  readonly queued: number
}
