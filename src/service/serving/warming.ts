import type { Logger } from 'pino'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { type IdleWarmingOptions, type WarmingEnd, warmWhenIdle } from '../../rpc/scheduling/idle-warming.ts'
import type { ThreadPool } from '../../rpc/threads/thread-pool.ts'
import { idleWarmingRequests, warmUp } from '../../rpc/warm-up.ts'
import { eventLoopUtilization } from '../../server/event-loop-share.ts'

/** Milliseconds that the warm-up may add to a start. */
const START_LIMIT = 250
const MAX_WARMED_CONTRACTS = 64
/** Milliseconds of warm-up work while the node is idle. */
const IDLE_LIMIT = 1_500
/** Milliseconds after which each phase ends in any case. */
const IDLE_WITHIN = 60_000

interface WarmingParts {
  readonly genesis: Genesis
  readonly node: NodeHandle
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  readonly log: Logger
}

type WarmedRpc = Pick<Rpc, 'handle'>

interface Warmed {
  /**
   * Continues while the node is served but idle, and then starts a worker thread.
   *
   * @param rpc an instance without clients
   */
  goOnWhileIdle(rpc: WarmedRpc, threads: Pick<ThreadPool, 'prepare'>): Warming
}

export interface Warming {
  isOver(): boolean
  stop(): Promise<void>
}

/**
 * Sends typical wallet requests until the limit of a start is reached or V8 has compiled them.
 *
 * @param rpc an instance without clients
 */
export async function startWarm(rpc: WarmedRpc, { genesis, node, now, log }: WarmingParts): Promise<Warmed> {
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  // Blocks on demand have no schedule that a slow first request could delay, and their nodes are started often.
  const limitMs = node.isOnDemand === true ? 0 : START_LIMIT
  await warmUp(rpc, { limitMs, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }, now)
  const whileIdle = (options: IdleWarmingOptions, requested: WarmedRpc, onEnd: (end: WarmingEnd) => void) => {
    const { untilSlot, stop } = slotWatch(node, now)
    return warmWhenIdle(options, {
      rpc: requested,
      now,
      later,
      activity: eventLoopUtilization(),
      untilSlotMs: untilSlot,
      onEnd(end) {
        stop()
        if (end.kind === 'failed') log.warn({ err: end.error }, 'warm-up ended early')
        onEnd(end)
      },
    })
  }
  return {
    goOnWhileIdle(rpc, threads) {
      let isOver = false
      const end = () => {
        isOver = true
      }
      const options = { limitMs: IDLE_LIMIT, withinMs: IDLE_WITHIN, requests: idleWarmingRequests() }
      const stop = whileIdle(options, rpc, ({ kind }) => {
        log.debug({ end: kind }, 'warm-up ended')
        if (kind !== 'done' || isOver) {
          end()
          return
        }
        // A thread that neither starts nor fails must not keep the node in warm-up.
        const cancel = later(IDLE_WITHIN, end)
        void threads.prepare().then(() => {
          cancel()
          end()
        })
      })
      return {
        isOver: () => isOver,
        stop() {
          end()
          return stop()
        },
      }
    },
  }
}

function later(milliseconds: number, action: () => void): () => void {
  const timer = setTimeout(action, milliseconds).unref()
  return () => clearTimeout(timer)
}

/** Milliseconds until the next slot. */
function slotWatch({ events, blockTimeMs, slots }: NodeHandle, now: () => number) {
  const interval = blockTimeMs / slots
  let announced = now()
  const onFlashblock = () => {
    announced = now()
  }
  events.on('flashblock', onFlashblock)
  return {
    untilSlot: () => interval - ((now() - announced) % interval),
    stop: () => events.off('flashblock', onFlashblock),
  }
}
