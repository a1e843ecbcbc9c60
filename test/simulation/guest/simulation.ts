import type { FileSystem } from '../../../src/storage/file-system.ts'
import type { SimulatedSocket } from '../world/simulated-socket.ts'
import type { DatabaseAccess } from './simulated-store.ts'

/** The role of a process in the cluster. */
export type SimulatedRole =
  | { readonly kind: 'solo' }
  /** `source`: the name of the process that it follows. */
  | { readonly kind: 'replica'; readonly source: string }
  | { readonly kind: 'failover'; readonly leaseTtlMs: number }

export interface SimulatedSettings {
  readonly role: SimulatedRole
  readonly blockTimeMs: number
  readonly flashblockTimeMs: number
  readonly replayBlocks: number
  readonly maxBlocksBehind: number
  readonly segmentBytes: number
  readonly finalityDepth: number
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
  readonly transactions: readonly string[]
}

/** Receives what becomes visible outside a node. */
export interface NodeObserver {
  flashblock(shown: ShownFlashblock): void
  sealed(shown: ShownBlock): void
  dropped(hash: string, reason: string): void
  /** A record that may leave the node. */
  record(sequence: number, payload: Uint8Array): void
  failed(error: unknown): void
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
}

declare const simulatedWorld: Simulation

/** The world of the process that runs this code. */
export function simulation(): Simulation {
  return simulatedWorld
}
