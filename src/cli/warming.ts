import type { Logger } from 'pino'
import type { Genesis } from '../chain/genesis.ts'
import type { OperatedNode } from '../node/operated-node.ts'
import type { Rpc } from '../rpc/create-rpc.ts'
import { warmWhileIdle } from '../rpc/idle-warming.ts'
import { idleWarmingRequests, warmUp } from '../rpc/warm-up.ts'
import { eventLoopShare } from '../server/event-loop-share.ts'

/** Milliseconds that a start takes longer, at most, so that the first requests do not. */
const START_LIMIT = 250
const MAX_WARMED_CONTRACTS = 64
/** Milliseconds of work in the first minute, while nobody asks anything. */
const IDLE_LIMIT = 1_500
const IDLE_WITHIN = 60_000

interface WarmingParts {
  readonly genesis: Genesis
  readonly node: OperatedNode
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  readonly log: Logger
}

interface Warmed {
  /**
   * Goes on with it where the node is served, and nobody asks.
   *
   * @param rpc that nobody else asks
   * @param onDone called when it was asked enough
   * @returns ends it
   */
  goOnWhileIdle(rpc: Pick<Rpc, 'answer'>, onDone: () => void): () => Promise<void>
}

/**
 * Asks a node what wallets ask, until the limit of a start is reached or V8 has compiled it.
 *
 * @param rpc that nobody else asks
 */
export async function startWarm(rpc: Pick<Rpc, 'answer'>, { genesis, node, now, log }: WarmingParts): Promise<Warmed> {
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  await warmUp(rpc, { limit: START_LIMIT, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }, now)
  return {
    goOnWhileIdle(asServed, onDone) {
      const { untilSlot, stop } = slotWatch(node, now)
      return warmWhileIdle(
        { limit: IDLE_LIMIT, within: IDLE_WITHIN, requests: idleWarmingRequests() },
        {
          rpc: asServed,
          now,
          later,
          activity: eventLoopShare(),
          untilSlot,
          onEnd(end) {
            stop()
            if (end.kind === 'failed') log.warn({ err: end.error }, 'the warm-up ended early')
            if (end.kind === 'done') onDone()
          },
        },
      )
    },
  }
}

function later(milliseconds: number, action: () => void): () => void {
  const timer = setTimeout(action, milliseconds).unref()
  return () => clearTimeout(timer)
}

/** Slots come at equal distances, and each ends with a flashblock. */
function slotWatch({ events, blockTime, slots }: OperatedNode, now: () => number) {
  const interval = (blockTime * 1_000) / slots
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
