import type { Clock } from '../../core/clock.ts'
import type { RecordLog } from '../../log/record-log.ts'
import type { Epoch } from '../../machine/recovery.ts'
import type { CurrentView } from '../../view/current-view.ts'
import { type HandOverDeps, handOver } from './hand-over.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import type { PeerHandlers, Peers } from './peers.ts'
import type { Supervisor } from './supervisor.ts'

export interface PeerHandlersDeps {
  readonly core: {
    readonly records: Pick<RecordLog, 'durableSequence'>
    readonly current: Pick<CurrentView, 'isShown' | 'head' | 'events'>
    readonly clock: Clock
    readonly log: HandOverDeps['log']
  }
  readonly peers: Peers
  readonly keeper: Pick<LeaseKeeper, 'look' | 'pass' | 'takeBack'>
  readonly supervisor: Pick<Supervisor, 'role' | 'dispatch'>
  readonly follower: {
    readonly chain: { applied(sequence: number): Promise<void> }
    readonly couldLead: boolean
  }
  /** `undefined` while another node leads. */
  readonly leadership: () => { drain(): Promise<number> } | undefined
  readonly epoch: () => Epoch | undefined
  /** Block building failed. */
  readonly onFailure: (error: unknown) => void
}

/** The answers of a failover node to other nodes and to operators. */
export function peerHandlers(deps: PeerHandlersDeps): PeerHandlers {
  const { core, peers, keeper, supervisor, follower, leadership, epoch, onFailure } = deps
  const { records, current, clock, log } = core
  const durableSequence = () => records.durableSequence
  const isLeader = () => supervisor.role === 'leader'
  const dispatch: HandOverDeps['dispatch'] = (event) => supervisor.dispatch(event)
  const slotBegun = (withinMs: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        cancel()
        current.events.off('flashblock', end)
        resolve()
      }
      const cancel = clock.at(clock.monotonic() + withinMs, end)
      current.events.on('flashblock', end)
    })
  const drain = async () => {
    try {
      return await leadership()?.drain()
    } catch (error) {
      onFailure(error)
      return undefined
    }
  }
  return {
    state: () => ({
      role: supervisor.role,
      sequence: records.durableSequence,
      block: current.isShown ? current.head.sealed.latest : 0,
      epoch: epoch(),
      couldLead: supervisor.role === 'standby' && follower.couldLead,
    }),
    applied: (sequence) => follower.chain.applied(sequence),
    lead: () => keeper.look(),
    handOver: (to) => handOver(to, { peers, keeper, isLeader, durableSequence, slotBegun, dispatch, drain, log }),
  }
}
