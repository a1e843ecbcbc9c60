/** When flashblocks are due. All times in milliseconds on the monotonic clock. */
export interface Schedule {
  readonly blockTimeMs: number
  readonly intervalMs: number
  /** Flashblocks with user transactions in a block: slots 1 to `slots`; slot 0 is the opening. */
  readonly slots: number
}

export class InvalidScheduleError extends Error {
  readonly code = 'INVALID_SCHEDULE'
}

/** @throws InvalidScheduleError unless the interval divides the block time, which is whole seconds */
export function createSchedule(blockTime: number, interval: number): Schedule {
  if (!Number.isInteger(blockTime) || blockTime < 1000 || blockTime % 1000 !== 0) {
    throw new InvalidScheduleError(
      `the block time is whole seconds, got ${blockTime} ms: timestamps have no finer unit; give ` +
        `--block-time 1000, 2000 or another multiple of 1000`,
    )
  }
  if (!Number.isInteger(interval) || interval < 10 || blockTime % interval !== 0) {
    throw new InvalidScheduleError(
      `the flashblock interval divides the block time of ${blockTime} ms and is at least 10 ms, got ` +
        `${interval} ms: give another --flashblock-interval, or a --block-time that it divides`,
    )
  }
  return { blockTimeMs: blockTime, intervalMs: interval, slots: blockTime / interval }
}

export interface NextSlot {
  readonly slot: number
  /** In the past when the slot is overdue: it is taken at once. */
  readonly at: number
  /** Slots between the last one and this one that passed unused. */
  readonly missed: number
}

/**
 * The slot to take after `last` in the block opened at `opening`. Slots keep their times whatever happened before, so
 * a late one never shifts the next; of several overdue ones only the newest is taken.
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
  /** Slots of whole blocks that passed without being opened. */
  readonly missed: number
}

/**
 * When the block after the one opened at `opening` opens: at its end, or at the newest whole block time before `now`.
 */
export function nextOpening(schedule: Schedule, opening: number, now: number): NextOpening {
  const elapsed = Math.max(1, Math.floor((now - opening) / schedule.blockTimeMs))
  return { at: opening + elapsed * schedule.blockTimeMs, missed: (elapsed - 1) * schedule.slots }
}

/** Gas that the block may have used at most by the end of a slot: released in equal parts. */
export function gasRoom(schedule: Pick<Schedule, 'slots'>, slot: number, gasLimit: bigint): bigint {
  return (gasLimit * BigInt(slot)) / BigInt(schedule.slots)
}

/**
 * Unix seconds of a block that opens at wall clock `wall` (milliseconds): the time at which it will be sealed.
 *
 * @param before of what it must be later than: its parent
 */
export function blockTimestamp(schedule: Schedule, wall: number, before: bigint): bigint {
  const sealing = BigInt(Math.floor((wall + schedule.blockTimeMs) / 1000))
  return sealing > before ? sealing : before + 1n
}
