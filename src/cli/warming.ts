import type { Logger } from 'pino'
import type { Genesis } from '../chain/genesis.ts'
import type { OperatedNode } from '../node/operated-node.ts'
import type { Rpc } from '../rpc/create-rpc.ts'
import { type IdleWarmingOptions, type WarmingEnd, warmWhileIdle } from '../rpc/idle-warming.ts'
import { burstRequests, idleWarmingRequests, warmUp } from '../rpc/warm-up.ts'
import { eventLoopShare } from '../server/event-loop-share.ts'

/** Milliseconds that a start takes longer, at most, so that the first requests do not. */
const START_LIMIT = 250
const MAX_WARMED_CONTRACTS = 64
/** Milliseconds of work in the first minute, while nobody asks anything. */
const IDLE_LIMIT = 1_500
const IDLE_WITHIN = 60_000
/** The same of bursts, which two threads divide. */
const BURST_LIMIT = 3_000
/** Requests of a burst: more than are answered where they come in. */
const BURST_SIZE = 24

interface WarmingParts {
  readonly genesis: Genesis
  readonly node: OperatedNode
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  readonly log: Logger
}

interface Warmed {
  /**
   * Goes on with it where the node is served, and nobody asks: one request at a time, then many at once.
   *
   * @param rpc that nobody else asks
   * @param prepareThread starts a thread with which bursts are divided, and says whether there is one
   * @returns ends it
   */
  goOnWhileIdle(rpc: Pick<Rpc, 'answer'>, prepareThread: () => Promise<boolean>): () => Promise<void>
}

/**
 * Asks a node what wallets ask, until the limit of a start is reached or V8 has compiled it.
 *
 * @param rpc that nobody else asks
 */
export async function startWarm(rpc: Pick<Rpc, 'answer'>, { genesis, node, now, log }: WarmingParts): Promise<Warmed> {
  const contracts = [...genesis.alloc].filter(([, { code }]) => code.length > 0).map(([address]) => address)
  await warmUp(rpc, { limit: START_LIMIT, contracts: contracts.slice(0, MAX_WARMED_CONTRACTS) }, now)
  const whileIdle = (options: IdleWarmingOptions, asked: Pick<Rpc, 'answer'>, onDone: () => void) => {
    const { untilSlot, stop } = slotWatch(node, now)
    const onEnd = (end: WarmingEnd) => {
      stop()
      if (end.kind === 'failed') log.warn({ err: end.error }, 'the warm-up ended early')
      if (end.kind === 'done') onDone()
    }
    return warmWhileIdle(options, { rpc: asked, now, later, activity: eventLoopShare(), untilSlot, onEnd })
  }
  return {
    goOnWhileIdle(asServed, prepareThread) {
      let isStopped = false
      const alone = { limit: IDLE_LIMIT, within: IDLE_WITHIN, requests: idleWarmingRequests() }
      let stop = whileIdle(alone, asServed, async () => {
        if (!(await prepareThread()) || isStopped) return
        const together = { limit: BURST_LIMIT, within: IDLE_WITHIN, requests: burstRequests() }
        stop = whileIdle(together, inBursts(asServed), () => log.debug('the thread for bursts is warm'))
      })
      return () => {
        isStopped = true
        return stop()
      }
    },
  }
}

/** Asks everything many times at once. */
function inBursts(rpc: Pick<Rpc, 'answer'>): Pick<Rpc, 'answer'> {
  return {
    async answer(text) {
      await Promise.all(Array.from({ length: BURST_SIZE }, () => rpc.answer(text)))
      return undefined
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
