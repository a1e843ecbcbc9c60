import type { ProcessPort } from '../../../src/server/cluster/channel.ts'
import type { FileSystem } from '../../../src/storage/file-system.ts'
import type { SimulatedSocket } from '../world/simulated-socket.ts'
import type { DatabaseAccess } from './simulated-store.ts'

/** Path of the replica stream of a node. */
export const REPLICA_PATH = '/replica'
/** Unread bytes of a replica's connection after which its source closes it. */
export const MAX_REPLICA_QUEUED_BYTES = 2 ** 20

/** The role of a process in the cluster. */
export type SimulatedRole =
  | { readonly kind: 'solo' }
  /** `source`: the name of the process that it follows. */
  | { readonly kind: 'replica'; readonly source: string }
  | { readonly kind: 'failover'; readonly leaseTtlMs: number; readonly natsReplicas: number }

export interface SimulatedSettings {
  readonly role: SimulatedRole
  readonly blockTimeMs: number
  readonly flashblockTimeMs: number
  readonly replayBlocks: number
  readonly maxBlocksBehind: number
  readonly segmentBytes: number
  readonly finalityDepth: number
  /** Whether a leader has the methods of a development node. */
  readonly isDevelopment: boolean
  /** Whether a leader applies its own records once more as followers do. */
  readonly checksRecords: boolean
  /** Processes that serve its clients; 0: the node does. */
  readonly readers: number
  /** Unread bytes of a client's connection after which the node closes it. */
  readonly maxQueuedBytes: number
}

/** A flashblock that a node shows. */
export interface ShownFlashblock {
  readonly number: number
  readonly index: number
  readonly hash: string
  readonly transactions: readonly string[]
}

/** A sealed block that a node shows. */
export interface ShownBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly transactions: readonly string[]
}

/** Subscriptions that are compared with the events of a node. */
export type ObservedChannel =
  | 'newHeads'
  | 'newFlashblocks'
  | 'newFlashblockTransactions'
  | 'newPendingTransactions'
  | 'logs'

/** Receives what becomes visible outside a node. `sequence`: the newest record of its head. */
export interface NodeObserver {
  flashblock(shown: ShownFlashblock, sequence: number): void
  /** A sealed block, which every subscriber of `newHeads` receives. */
  sealed(shown: ShownBlock, sequence: number): void
  /** The node announces that sealed blocks are gone, newest first; it may leave out empty ones above the lowest. */
  unwound(blocks: readonly ShownBlock[]): void
  /** An item that every subscriber of another channel receives. */
  item(channel: ObservedChannel, key: string): void
  dropped(hash: string, reason: string): void
  /** A record that may leave the node. */
  record(sequence: number, payload: Uint8Array): void
  failed(error: unknown): void
}

/** A process that another one has forked. */
export interface Forked {
  readonly pipe: ProcessPort
  readonly exit: (code: number) => void
}

/** A connection that another process of the machine has accepted. */
export interface HandedConnection {
  readonly path: string
  /** Serves it as a WebSocket. */
  readonly open: () => SimulatedSocket
}

/** The world as a process reaches it. */
export interface Simulation {
  readonly name: string
  readonly settings: SimulatedSettings
  readonly fileSystem: FileSystem
  readonly database: DatabaseAccess
  readonly observer: NodeObserver
  readonly log: (level: string, message: string, details: unknown) => void
  readonly listen: (accept: (path: string, socket: SimulatedSocket) => void) => void
  readonly handed: (socket: unknown) => HandedConnection
  /** Present in a reader. */
  readonly forked: Forked | undefined
}

declare const simulatedWorld: Simulation

/** The world of the process that runs this code. */
export function simulation(): Simulation {
  return simulatedWorld
}
