import type { LeaseKeeper } from './lease-keeper.ts'
import type { FailoverEvent } from './next-role.ts'
import type { HandOverResult, Peer, Peers } from './peers.ts'

/** Milliseconds that the chosen standby may take to apply the present records, while blocks are built. */
const CATCH_UP_LIMIT_MS = 2_000
/** Milliseconds that it may take for each step while no blocks are built. */
const STEP_LIMIT_MS = 500

export interface HandOverDeps {
  readonly peers: Pick<Peers, 'others' | 'applied' | 'lead'>
  readonly keeper: Pick<LeaseKeeper, 'pass' | 'takeBack'>
  /** Whether this node leads. */
  readonly isLeader: () => boolean
  /** The newest durable record. */
  readonly durableSequence: () => number
  /** Resolves after the next flashblock, when the next slot is an interval away, or after a time. */
  readonly slotBegun: (withinMs: number) => Promise<void>
  readonly dispatch: (event: FailoverEvent) => void
  /**
   * Stops building blocks and appending records, and announces all that were appended.
   *
   * @returns the newest record; `undefined`: this node leads no longer
   */
  readonly drain: () => Promise<number | undefined>
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Lets a standby lead that has every record. Sends wait meanwhile. The lease passes by compare-and-set, so that one of
 * the two nodes holds it at any time: if the standby does not take it in time, this node takes it back and resumes.
 *
 * @param to name of the standby; `undefined`: any that is ready
 */
export async function handOver(to: string | undefined, deps: HandOverDeps): Promise<HandOverResult> {
  const { peers, isLeader, durableSequence, slotBegun, dispatch, drain, log } = deps
  if (!isLeader()) return refused('this node does not lead')
  const chosen = chooseStandby(await peers.others(), to)
  if (typeof chosen === 'string') return refused(chosen)
  const { name } = chosen
  if (!(await peers.applied(chosen, durableSequence(), CATCH_UP_LIMIT_MS))) {
    return refused(`${name} did not apply the newest records in time: see its log`)
  }
  await slotBegun(CATCH_UP_LIMIT_MS)
  if (!isLeader()) return refused('this node does not lead any more')
  dispatch('hand-over')
  const sequence = await drain()
  if (sequence !== undefined && (await passLease(chosen, sequence, deps))) {
    dispatch('handed-over')
    log.warn({ to: name, sequence }, 'this node has handed over: another one makes the blocks')
    return { kind: 'handed-over', to: name, sequence }
  }
  dispatch('hand-over-failed')
  return refused(`${name} did not take over in time: this node resumes unless it lost the lead; see the logs of both`)
}

/** @returns whether the standby holds the lease */
async function passLease(chosen: Peer, sequence: number, { peers, keeper, log }: HandOverDeps): Promise<boolean> {
  if (!(await peers.applied(chosen, sequence, STEP_LIMIT_MS))) return false
  try {
    if (!(await keeper.pass(chosen))) return false
    return (await peers.lead(chosen, STEP_LIMIT_MS)) || !(await keeper.takeBack())
  } catch (error) {
    // The next renewal shows who holds it.
    log.warn({ err: error }, 'handing over: the lease holder is unknown')
    return false
  }
}

/** @returns the standby that leads next, or why there is none */
export function chooseStandby(others: readonly Peer[], to: string | undefined): Peer | string {
  const named = to === undefined ? others : others.filter(({ name }) => name === to)
  const names = others.map(({ name }) => name).join(', ') || 'none'
  if (named.length === 0) {
    return to === undefined ? 'no other node answers' : `no node named ${to} answers; those that do: ${names}`
  }
  const ready = named.filter(({ role, couldLead }) => role === 'standby' && couldLead)
  if (ready.length === 0) {
    const states = named.map(({ name, role }) => `${name} (${role})`).join(', ')
    return `no standby is ready to lead: ${states} still starts, lacks records, or restores a snapshot`
  }
  if (to !== undefined && ready.length > 1) return `${ready.length} nodes are named ${to}: give each --node-name`
  return ready.reduce((best, peer) => (peer.sequence > best.sequence ? peer : best))
}

function refused(message: string): HandOverResult {
  return { kind: 'refused', message }
}
