import type { Epoch } from '../../machine/recovery.ts'
import type { LeadershipRole } from './next-role.ts'

/** State of a failover node. */
export interface PeerState {
  readonly role: LeadershipRole
  /** The newest applied record. */
  readonly sequence: number
  /** The newest sealed block. */
  readonly block: number
  /** The newest change of the leader in the records; `undefined`: it is older than the retained records. */
  readonly epoch: Epoch | undefined
  /** Whether this node would take the lease now. */
  readonly couldLead: boolean
}

/** One process among the failover nodes of a chain. */
export interface PeerIdentity {
  /** Unique per process. */
  readonly id: string
  /** Name in records and in the lease. */
  readonly name: string
}

export interface Peer extends PeerIdentity, PeerState {}

/** Outcome of a planned change of the leader. */
export type HandOverResult =
  /** `sequence`: the last record of the former leader. */
  | { readonly kind: 'handed-over'; readonly to: string; readonly sequence: number }
  /** This node leads as before, or never led. */
  | { readonly kind: 'refused'; readonly message: string }

/** Requests that a failover node answers for other nodes of its chain and for operators. */
export interface PeerHandlers {
  state(): PeerState
  /** Resolves when a record is applied. */
  applied(sequence: number): Promise<void>
  /** Takes the lease if it was passed to this node. @returns whether this node holds it */
  lead(): Promise<boolean>
  /** Lets another node lead. @param to its name; `undefined`: any that is ready */
  handOver(to: string | undefined): Promise<HandOverResult>
}

/** Requests between the failover nodes of a chain. A node that does not answer in time counts as absent. */
export interface Peers {
  /** Starts to answer other nodes. */
  answer(handlers: PeerHandlers): Promise<void>
  /** The other nodes that answer. */
  others(): Promise<readonly Peer[]>
  /** Resolves when another node has applied a record. @returns false if it does not say so in time */
  applied(peer: PeerIdentity, sequence: number, timeoutMs: number): Promise<boolean>
  /** Makes another node take the lease that was passed to it. @returns false if it does not say so in time */
  lead(peer: PeerIdentity, timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

/** For a node without others: no node can take over. */
export const NO_PEERS: Peers = {
  answer: async () => {},
  others: async () => [],
  applied: async () => false,
  lead: async () => false,
  close: async () => {},
}
