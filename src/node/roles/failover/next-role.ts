import type { Epoch } from '../../replay/recovery.ts'

/** What a node does while several may make the blocks of a chain, one at a time. */
export type FailoverPhase =
  /** It follows the one that does. */
  | 'standby'
  /** It has the lease, and reads and writes to the end of the shared log: until its epoch is there, it announces nothing. */
  | 'taking-over'
  | 'leader'
  /** It gives up what others have not got, to follow. */
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

export interface Standing {
  readonly role: FailoverPhase
  /** Whether the lease is this node's, as far as it knows. */
  readonly hasLease: boolean
}

export type FailoverEvent =
  | 'lease-taken'
  /** Another node has it. */
  | 'lease-lost'
  /** This node's epoch is in the shared log, and a block is open. */
  | 'took-over'
  | 'take-over-failed'
  /** Another node's records are in the shared log where this one's should be. */
  | 'fenced'
  /** The shared log has less than it had: whoever leads has all of it, and takes over anew. */
  | 'log-lost'
  | 'stood-down'

/** What is to be done, in this order. */
export type FailoverAction =
  | 'take-over'
  /** Nothing more is published; what is being published is not waited for. */
  | 'abandon'
  | 'stand-down'
  | 'release-lease'

export interface Transition {
  readonly standing: Standing
  readonly actions: readonly FailoverAction[]
}

/** What an event means for a node; events that come too late mean nothing. */
export function nextRole({ role, hasLease }: Standing, event: FailoverEvent): Transition {
  switch (event) {
    case 'lease-taken':
      if (role === 'standby') return to('taking-over', true, 'take-over')
      return to(role, true)
    case 'lease-lost':
      if (role === 'leader') return to('standing-down', false, 'abandon', 'stand-down')
      // Its end is noticed by the taking over itself.
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
      // Whoever has the end of the log is to have the lease, too.
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
  return { standing: { role, hasLease }, actions }
}

function released(hasLease: boolean): readonly FailoverAction[] {
  return hasLease ? ['release-lease'] : []
}
