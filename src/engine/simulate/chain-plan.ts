import type { DenimSchedule } from '../../chain/forks/chain-config.ts'
import { blockTimeOf, firstDenimBlock } from '../../chain/forks/denim-schedule.ts'
import type { BlockRequest } from './simulation.ts'
import type { SimulationError } from './simulation-error.ts'

/** A block to simulate, with number and time. */
export interface PlannedBlock {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly request: BlockRequest
}

export type ChainPlan =
  | { readonly kind: 'planned'; readonly blocks: readonly PlannedBlock[] }
  | { readonly kind: 'failed'; readonly error: SimulationError }

export interface PlanLimits {
  readonly maxBlocks: number
  readonly maxCallsPerBlock: number
  readonly maxCalls: number
}

/** Determines the times of blocks without a time of their own. */
export interface BlockPace {
  /** Seconds after the block before. */
  readonly blockTimeSeconds: bigint
  /** Times of Denim blocks, of which five share a second (base/base, `eth_simulateV1`). Default: none. */
  readonly denim?: DenimSchedule | undefined
}

interface PlacedBlock {
  readonly number: number
  readonly timestamp: bigint
}

/**
 * Assigns numbers and times to the requested blocks after `base`: numbers increase, times increase as well except
 * between Denim blocks, and gaps between numbers are filled with empty blocks, which count towards the limit.
 */
export function planChain(
  base: PlacedBlock,
  requests: readonly BlockRequest[],
  pace: BlockPace,
  limits: PlanLimits,
): ChainPlan {
  const error = limitError(requests, limits)
  if (error !== undefined) return { kind: 'failed', error }
  const blocks: PlannedBlock[] = []
  let last: PlacedBlock = { number: base.number, timestamp: base.timestamp }
  for (const request of requests) {
    const number = request.blockOverrides?.number ?? last.number + 1
    if (number <= last.number) {
      return { kind: 'failed', error: { code: 'BLOCK_NUMBER_ORDER', number, previous: last.number } }
    }
    if (number - base.number > limits.maxBlocks) {
      return { kind: 'failed', error: { code: 'TOO_MANY_BLOCKS', limit: limits.maxBlocks } }
    }
    while (last.number + 1 < number) {
      const timestamp = timeAfter(last, last.number + 1, pace)
      if (!isInOrder(last.timestamp, timestamp, pace)) {
        return { kind: 'failed', error: { code: 'BLOCK_TIME_ORDER', time: timestamp, previous: last.timestamp } }
      }
      last = { number: last.number + 1, timestamp }
      blocks.push({ number: last.number, timestamp, request: {} })
    }
    const timestamp = request.blockOverrides?.time ?? timeAfter(last, number, pace)
    if (!isInOrder(last.timestamp, timestamp, pace)) {
      return { kind: 'failed', error: { code: 'BLOCK_TIME_ORDER', time: timestamp, previous: last.timestamp } }
    }
    last = { number, timestamp }
    blocks.push({ number, timestamp, request })
  }
  return { kind: 'planned', blocks }
}

/** Timestamps have 64 bits: the last one wraps to 0, which is out of order (as in go-ethereum). */
function timeAfter({ timestamp }: PlacedBlock, number: number, { blockTimeSeconds, denim }: BlockPace): bigint {
  if (denim === undefined || BigInt(number) < firstDenimBlock(denim)) {
    return BigInt.asUintN(64, timestamp + blockTimeSeconds)
  }
  const scheduled = blockTimeOf(BigInt(number), denim).timestamp
  // A block with a time of its own may be ahead of the schedule.
  return scheduled < timestamp ? timestamp : scheduled
}

/** Blocks may share a second once both are at or after the activation of Denim. */
function isInOrder(previous: bigint, timestamp: bigint, { denim }: BlockPace): boolean {
  const isShared = denim !== undefined && timestamp === previous && previous >= denim.denimTime
  return timestamp > previous || isShared
}

function limitError(requests: readonly BlockRequest[], limits: PlanLimits): SimulationError | undefined {
  const { maxBlocks, maxCallsPerBlock, maxCalls } = limits
  if (requests.length === 0) return { code: 'EMPTY_INPUT' }
  if (requests.length > maxBlocks) return { code: 'TOO_MANY_BLOCKS', limit: maxBlocks }
  let calls = 0
  for (const request of requests) {
    const count = request.calls?.length ?? 0
    if (count > maxCallsPerBlock) return { code: 'TOO_MANY_CALLS', limit: maxCallsPerBlock, within: 'block' }
    calls += count
  }
  if (calls > maxCalls) return { code: 'TOO_MANY_CALLS', limit: maxCalls, within: 'request' }
  return undefined
}
