import type { Epoch } from '../../replay/recovery.ts'

/** Phase of a node among those that may lead, of which one leads at a time. */
export type FailoverPhase =
  /** It follows the leader. */
  | 'standby'
  /** It has the lease and catches up with the replicated log; it announces nothing before its epoch is recorded. */
  | 'taking-over'
  | 'leader'
  /** It discards unpublished records in order to follow. */
  | 'standing-down'

/** A node among those that may lead. */
export interface FailoverStatus {
  readonly role: FailoverPhase
  /** Name of the node in records and in the lease. */
  readonly name: string
  /** The newest change of leaders in the records; `undefined`: it is older than the records that are kept. */
  readonly epoch: Epoch | undefined
  /** Name of the node that has the lease, as of the last look. */
  readonly leaseHolder: string | undefined
  /** Of this node since its start. */
  readonly takeOvers: number
  readonly standDowns: number
}

export interface FailoverState {
  readonly role: FailoverPhase
  /** Whether this node has the lease, as far as it knows. */
  readonly hasLease: boolean
}

export type FailoverEvent =
  | 'lease-taken'
  /** Another node has it. */
  | 'lease-lost'
  /** This node's epoch is in the replicated log, and a block is open. */
  | 'took-over'
  | 'take-over-failed'
  /** The replicated log has records of another node where this one's should be. */
  | 'fenced'
  /** The replicated log lost records: the leader has all of them, and takes over again. */
  | 'log-lost'
  | 'stood-down'

/** Actions of a transition, in this order. */
export type FailoverAction =
  | 'take-over'
  /** Stop publishing; records in flight are not awaited. */
  | 'abandon'
  | 'stand-down'
  | 'release-lease'

export interface Transition {
  readonly state: FailoverState
  readonly actions: readonly FailoverAction[]
}

/** The state machine of the supervisor. Pure; late events change nothing. */
export function nextRole({ role, hasLease }: FailoverState, event: FailoverEvent): Transition {
  switch (event) {
    case 'lease-taken':
      if (role === 'standby') return to('taking-over', true, 'take-over')
      return to(role, true)
    case 'lease-lost':
      if (role === 'leader') return to('standing-down', false, 'abandon', 'stand-down')
      // The take-over notices that it was abandoned.
      if (role === 'taking-over') return to(role, false, 'abandon')
      return to(role, false)
    case 'took-over':
      if (role !== 'taking-over') return to(role, hasLease)
      return hasLease ? to('leader', true) : to('standing-down', false, 'abandon', 'stand-down')
    case 'take-over-failed':
      if (role !== 'taking-over') return to(role, hasLease)
      return to('standing-down', false, 'abandon', 'stand-down', ...released(hasLease))
    case 'fenced':
      if (role !== 'leader') return to(role, hasLease)
      // The node whose records end the log should have the lease.
      return to('standing-down', false, 'abandon', 'stand-down', ...released(hasLease))
    case 'log-lost':
      if (role !== 'leader') return to(role, hasLease)
      return to('standing-down', hasLease, 'abandon', 'stand-down')
    case 'stood-down':
      if (role !== 'standing-down') return to(role, hasLease)
      return hasLease ? to('taking-over', true, 'take-over') : to('standby', false)
  }
}

function to(role: FailoverPhase, hasLease: boolean, ...actions: readonly FailoverAction[]): Transition {
  return { state: { role, hasLease }, actions }
}

function released(hasLease: boolean): readonly FailoverAction[] {
  return hasLease ? ['release-lease'] : []
}
