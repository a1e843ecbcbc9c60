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

/**
 * Assigns numbers and times to the requested blocks after `base`: both strictly increase, and gaps between numbers are
 * filled with empty blocks, which count towards the limit.
 *
 * @param blockTimeSeconds seconds between blocks without a time of their own
 */
export function planChain(
  base: { readonly number: number; readonly timestamp: bigint },
  requests: readonly BlockRequest[],
  blockTimeSeconds: bigint,
  limits: PlanLimits,
): ChainPlan {
  const error = limitError(requests, limits)
  if (error !== undefined) return { kind: 'failed', error }
  const blocks: PlannedBlock[] = []
  let last = { number: base.number, timestamp: base.timestamp }
  for (const request of requests) {
    const number = request.blockOverrides?.number ?? last.number + 1
    if (number <= last.number) {
      return { kind: 'failed', error: { code: 'BLOCK_NUMBER_ORDER', number, previous: last.number } }
    }
    if (number - base.number > limits.maxBlocks) {
      return { kind: 'failed', error: { code: 'TOO_MANY_BLOCKS', limit: limits.maxBlocks } }
    }
    while (last.number + 1 < number) {
      const timestamp = after(last.timestamp, blockTimeSeconds)
      if (timestamp <= last.timestamp) {
        return { kind: 'failed', error: { code: 'BLOCK_TIME_ORDER', time: timestamp, previous: last.timestamp } }
      }
      last = { number: last.number + 1, timestamp }
      blocks.push({ number: last.number, timestamp, request: {} })
    }
    const timestamp = request.blockOverrides?.time ?? after(last.timestamp, blockTimeSeconds)
    if (timestamp <= last.timestamp) {
      return { kind: 'failed', error: { code: 'BLOCK_TIME_ORDER', time: timestamp, previous: last.timestamp } }
    }
    last = { number, timestamp }
    blocks.push({ number, timestamp, request })
  }
  return { kind: 'planned', blocks }
}

/** Timestamps have 64 bits: the last one wraps to 0, which is out of order (as in go-ethereum). */
function after(timestamp: bigint, blockTimeSeconds: bigint): bigint {
  return BigInt.asUintN(64, timestamp + blockTimeSeconds)
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
