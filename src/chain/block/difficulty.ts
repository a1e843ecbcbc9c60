import { EMPTY_UNCLES_HASH } from '../constants.ts'
import { type Fork, includesFork } from '../forks/forks.ts'
import { rulesOf } from '../forks/rules.ts'
import type { Header } from './header.ts'

const MINIMUM = 131_072n
/** A block adjusts the difficulty by parent / 2048 times a factor (Yellow Paper, 4.3.4). */
const BOUND_DIVISOR = 2_048n
const LOWEST_FACTOR = -99n
/** Blocks after which the difficulty bomb doubles. */
const PERIOD = 100_000

/** Blocks by which forks delay the difficulty bomb (EIP-649, 1234, 2384, 3554, 4345, 5133), newest first. */
const DELAYS: readonly (readonly [Fork, number])[] = [
  ['grayGlacier', 11_400_000],
  ['arrowGlacier', 10_700_000],
  ['london', 9_700_000],
  ['muirGlacier', 9_000_000],
  ['constantinople', 5_000_000],
  ['byzantium', 3_000_000],
]

/**
 * The difficulty of the proof-of-work block after `parent` (Yellow Paper, 4.3.4; EIP-2, EIP-100).
 *
 * @param timestamp of the block, Unix seconds
 * @param fork of the block, before Paris
 */
export function nextDifficulty(parent: Header, timestamp: bigint, fork: Fork): bigint {
  const moved = parent.difficulty + (parent.difficulty / BOUND_DIVISOR) * factor(parent, timestamp, fork)
  return (moved < MINIMUM ? MINIMUM : moved) + iceAge(parent.number, fork)
}

function factor(parent: Header, timestamp: bigint, fork: Fork): bigint {
  const seconds = timestamp - parent.timestamp
  if (!rulesOf(fork).hasProportionalDifficulty) return seconds < 13n ? 1n : -1n
  const countsUncles = rulesOf(fork).hasUncleDifficulty
  const hasUncles = countsUncles && parent.sha3Uncles !== EMPTY_UNCLES_HASH
  const wanted = (hasUncles ? 2n : 1n) - seconds / (countsUncles ? 9n : 10n)
  return wanted < LOWEST_FACTOR ? LOWEST_FACTOR : wanted
}

function iceAge(parentNumber: number, fork: Fork): bigint {
  const delay = DELAYS.find(([since]) => includesFork(fork, since))?.[1] ?? 0
  const periods = Math.floor(Math.max(0, parentNumber + 1 - delay) / PERIOD)
  return periods > 1 ? 2n ** BigInt(periods - 2) : 0n
}
