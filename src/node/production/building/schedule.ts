import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { isDenimBlock, scheduledTimeOf } from '../../../chain/forks/denim-schedule.ts'
import { PROFILES } from '../../../chain/profiles/profiles.ts'

/** Times at which flashblocks are due, in milliseconds on the monotonic clock. */
export interface Schedule {
  readonly blockTimeMs: number
  readonly intervalMs: number
  /** Flashblocks of a block with user transactions: slots 1 to `slots`. Slot 0 holds system transactions only. */
  readonly slots: number
}

/** Canonical blocks every 200 ms, each announced with its seal (Base specs: Denim). */
export const DENIM_BLOCKS: Schedule = oneSlot(PROFILES.denim.schedule.blockTimeMs)

function oneSlot(blockTimeMs: number): Schedule {
  return { blockTimeMs, intervalMs: blockTimeMs, slots: 1 }
}

/** When a block is built, where that follows from its number. */
export interface TimedBlock {
  readonly schedule: Schedule
  /** Unix milliseconds at which it is sealed. */
  readonly sealTimeMs: number
}

/**
 * The schedule of a block.
 *
 * @param before that of the blocks before Denim, or of a chain without it or with chosen times
 */
export function scheduleOf<Before>(
  number: number,
  config: Pick<ChainConfig, 'layer2'>,
  before: Before,
): Schedule | Before {
  const hasSchedule = isDenimBlock(number, config) && config.layer2?.denim?.isFree !== true
  return hasSchedule ? DENIM_BLOCKS : before
}

/** See `FlashblockDriverOptions.timed`; undefined for chains whose times do not follow from numbers. */
export function timedBlocks(
  config: Pick<ChainConfig, 'layer2'>,
  before: Schedule,
): ((number: number) => TimedBlock) | undefined {
  const denim = config.layer2?.denim
  if (denim === undefined || denim.isFree) return undefined
  return (number) => ({
    schedule: scheduleOf(number, config, before),
    sealTimeMs: Number(scheduledTimeOf(number, config)!.milliseconds),
  })
}

export class InvalidScheduleError extends Error {
  readonly code = 'INVALID_SCHEDULE'
}

/** @throws InvalidScheduleError unless the interval divides the block time, which is a number of whole seconds */
export function createSchedule(blockTimeMs: number, intervalMs: number): Schedule {
  if (!Number.isInteger(blockTimeMs) || blockTimeMs < 1000 || blockTimeMs % 1000 !== 0) {
    throw new InvalidScheduleError(
      `the block time is whole seconds, got ${blockTimeMs} ms: timestamps have no finer unit; give ` +
        `--block-time 1000, 2000 or another multiple of 1000`,
    )
  }
  if (!Number.isInteger(intervalMs) || intervalMs < 10 || blockTimeMs % intervalMs !== 0) {
    throw new InvalidScheduleError(
      `the flashblock interval divides the block time of ${blockTimeMs} ms and is at least 10 ms, got ` +
        `${intervalMs} ms: give another --flashblock-interval, or a --block-time that it divides`,
    )
  }
  return { blockTimeMs, intervalMs, slots: blockTimeMs / intervalMs }
}

export interface NextSlot {
  readonly slot: number
  /** In the past for an overdue slot, which is taken immediately. */
  readonly at: number
  /** Missed slots between the last one and this one. */
  readonly missed: number
}

/**
 * The slot to take after `last` in the block opened at `opening`. Slot times are fixed, so a late slot does not delay
 * the next; of several overdue slots only the newest is taken.
 *
 * @example nextSlot(createSchedule(2000, 200), 0, 3, 1050) // { slot: 5, at: 1000, missed: 1 }
 */
export function nextSlot(schedule: Schedule, opening: number, last: number, now: number): NextSlot {
  const { intervalMs, slots } = schedule
  const reached = Math.floor((now - opening) / intervalMs)
  const slot = Math.min(slots, Math.max(last + 1, reached))
  return { slot, at: opening + slot * intervalMs, missed: slot - last - 1 }
}

export interface NextOpening {
  readonly at: number
  /** Missed slots of whole blocks. */
  readonly missed: number
}

/** Time at which the next block opens: one block time after `opening`, or the latest multiple before `now`. */
export function nextOpening(schedule: Schedule, opening: number, now: number): NextOpening {
  const elapsed = Math.max(1, Math.floor((now - opening) / schedule.blockTimeMs))
  return { at: opening + elapsed * schedule.blockTimeMs, missed: (elapsed - 1) * schedule.slots }
}

/** Maximum gas used in the block by the end of a slot: the gas limit is released in equal parts. */
export function gasRoom(schedule: Pick<Schedule, 'slots'>, slot: number, gasLimit: bigint): bigint {
  return (gasLimit * BigInt(slot)) / BigInt(schedule.slots)
}

/**
 * Timestamp, in Unix seconds, of a block opened at wall-clock time `wall` (milliseconds): the time at which it will be
 * sealed.
 *
 * @param before timestamp of the parent, which must be lower
 */
export function blockTimestamp(schedule: Schedule, wall: number, before: bigint): bigint {
  const sealing = BigInt(Math.floor((wall + schedule.blockTimeMs) / 1000))
  return sealing > before ? sealing : before + 1n
}
