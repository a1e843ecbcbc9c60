import { keccakHash } from '../../primitives/keccak.ts'
import type { MarketMode } from './market-modes.ts'

const MILLION = 1_000_000

/**
 * The price of a share at a time. It depends on nothing else, so that it is the same after a restart and on every node.
 *
 * @param anchor price around which it moves
 * @param key of the path: equal keys give equal deviations
 * @param time Unix seconds
 */
export function sharePrice(anchor: bigint, key: string, time: number, { waves }: Pick<MarketMode, 'waves'>): bigint {
  const deviation = waves.reduce(
    (sum, { periodSeconds, amplitude }) => sum + amplitude * noise(`${key}/${periodSeconds}`, time / periodSeconds),
    0,
  )
  return (anchor * BigInt(MILLION + Math.round(deviation * MILLION))) / BigInt(MILLION)
}

/** Value noise: random values at whole positions, joined by smooth curves. Between -1 and 1. */
function noise(key: string, position: number): number {
  const before = Math.floor(position)
  const share = position - before
  // Operations that IEEE 754 defines exactly: every machine gets the same price.
  const weight = share * share * (3 - 2 * share)
  return valueAt(key, before) * (1 - weight) + valueAt(key, before + 1) * weight
}

function valueAt(key: string, position: number): number {
  const hash = keccakHash(Buffer.from(`${key}/${position}`))
  return Number.parseInt(hash.slice(2, 10), 16) / 2 ** 31 - 1
}
