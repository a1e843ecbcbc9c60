import type { Epoch } from '../../machine/recovery.ts'

/** Role that a failover node has now; one of these nodes leads at a time. */
export type LeadershipRole =
  /** Follows the leader. */
  | 'standby'
  /** Holds the lease and catches up with the replicated log; announces nothing before its epoch is recorded. */
  | 'taking-over'
  | 'leader'
  /** Builds no blocks, so that a standby can apply the last record and lead. */
  | 'handing-over'
  /** Discards unpublished records in order to follow. */
  | 'standing-down'

/** State of a failover node. */
export interface FailoverStatus {
  readonly role: LeadershipRole
  /** Name of the node in records and in the lease. */
  readonly name: string
  /** The newest change of the leader in the records; `undefined`: it is older than the retained records. */
  readonly epoch: Epoch | undefined
  /** Name of the lease holder, as of the last poll. */
  readonly leaseHolder: string | undefined
  /** See `Lease.clockOffsetMs`. */
  readonly clockOffsetMs: number | undefined
  /** Number of take-overs of this node since its start. */
  readonly takeOvers: number
  readonly standDowns: number
}

export interface FailoverState {
  readonly role: LeadershipRole
  /** Whether this node holds the lease, as far as it knows. */
  readonly hasLease: boolean
}

export type FailoverEvent =
  | 'lease-taken'
  /** Another node holds the lease. */
  | 'lease-lost'
  /** This node's epoch is in the replicated log, and a block is open. */
  | 'took-over'
  | 'take-over-failed'
  /** The replicated log has records of another node at the positions of this node's records. */
  | 'fenced'
  /** The replicated log lost records: the leader has all of them, and takes over again. */
  | 'log-lost'
  | 'stood-down'
  /** An operator wants another node to lead. */
  | 'hand-over'
  /** The standby holds the lease. */
  | 'handed-over'
  /** The standby does not take the lease: this node leads again. */
  | 'hand-over-failed'

/** Actions of a transition, in this order. */
export type FailoverAction =
  | 'take-over'
  /** Stop publishing, without awaiting records in flight. */
  | 'abandon'
  | 'stand-down'
  | 'release-lease'

export interface Transition {
  readonly state: FailoverState
  readonly actions: readonly FailoverAction[]
}

/** State machine of the supervisor. Pure; late events have no effect. */
export function nextRole({ role, hasLease }: FailoverState, event: FailoverEvent): Transition {
  switch (event) {
    case 'lease-taken':
      if (role === 'standby') return to('taking-over', true, 'take-over')
      return to(role, true)
    case 'lease-lost':
      if (isLeading(role)) return to('standing-down', false, 'abandon', 'stand-down')
      // The take-over detects that it was abandoned.
      if (role === 'taking-over') return to(role, false, 'abandon')
      return to(role, false)
    case 'took-over':
      if (role !== 'taking-over') return to(role, hasLease)
      return hasLease ? to('leader', true) : to('standing-down', false, 'abandon', 'stand-down')
    case 'take-over-failed':
      if (role !== 'taking-over') return to(role, hasLease)
      return to('standing-down', false, 'abandon', 'stand-down', ...released(hasLease))
    case 'fenced':
      if (!isLeading(role)) return to(role, hasLease)
      // The node that published the last record should hold the lease.
      return to('standing-down', false, 'abandon', 'stand-down', ...released(hasLease))
    case 'log-lost':
      if (!isLeading(role)) return to(role, hasLease)
      return to('standing-down', hasLease, 'abandon', 'stand-down')
    case 'stood-down':
      if (role !== 'standing-down') return to(role, hasLease)
      return hasLease ? to('taking-over', true, 'take-over') : to('standby', false)
    case 'hand-over':
      return role === 'leader' ? to('handing-over', hasLease) : to(role, hasLease)
    case 'handed-over':
      if (role !== 'handing-over') return to(role, hasLease)
      return to('standing-down', false, 'abandon', 'stand-down')
    case 'hand-over-failed':
      if (role !== 'handing-over') return to(role, hasLease)
      return to('standing-down', hasLease, 'abandon', 'stand-down')
  }
}

/** The records end with this node's. */
function isLeading(role: LeadershipRole): boolean {
  return role === 'leader' || role === 'handing-over'
}

function to(role: LeadershipRole, hasLease: boolean, ...actions: readonly FailoverAction[]): Transition {
  return { state: { role, hasLease }, actions }
}

function released(hasLease: boolean): readonly FailoverAction[] {
  return hasLease ? ['release-lease'] : []
}
