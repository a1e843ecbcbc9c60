import type { Header } from '../../chain/block/header.ts'
import { type BlockTime, freeBlockTime } from '../../chain/forks/denim-schedule.ts'
import type { L1Settings } from '../../chain/system-transactions/simulated-l1.ts'
import type { DepositTransaction } from '../../chain/transaction/transaction.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { MAX_TIMESTAMP } from './timestamp-refusal.ts'

/** Settings of the block at one height only. */
export interface OneBlockSettings {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp?: bigint | undefined
  /** Wei per gas. */
  readonly baseFeePerGas?: bigint | undefined
  readonly prevRandao?: Hash | undefined
  /** The opening of a block of another chain that is executed again. */
  readonly replayed?: ReplayedOpening | undefined
}

/** How a block of an OP-stack chain begins. */
export interface ReplayedOpening extends Pick<Header, 'extraData' | 'parentBeaconBlockRoot'> {
  /** The L1 attributes and the deposits behind them. */
  readonly deposits: readonly DepositTransaction[]
}

/** Header members of coming blocks that do not follow from their parents. Immutable. */
export interface NextBlockSettings {
  readonly coinbase: Address
  /** Gas limit of a layer-2 block; the target of a layer-1 block's limit. */
  readonly gasLimit: bigint
  /** Chain time minus wall-clock time, in milliseconds. */
  readonly offsetMs: bigint
  /**
   * Seconds between a block and its parent; one where they would lead beyond the latest possible time. `undefined`:
   * chain time determines the timestamp.
   */
  readonly timestampInterval: bigint | undefined
  readonly once: OneBlockSettings | undefined
  /** Prices and origin of layer 1 after a reset to another fork block. Default: those of the start. */
  readonly l1?: L1Settings | undefined
}

/** Settings that apply to the block at a height only. */
export function settingsOnce({ once }: NextBlockSettings, number: number): OneBlockSettings {
  return once?.number === number ? once : { number }
}

/** Adds settings for the block at a height. */
export function withOnce(settings: NextBlockSettings, added: OneBlockSettings): NextBlockSettings {
  return { ...settings, once: { ...settingsOnce(settings, added.number), ...added } }
}

export interface TimestampInput {
  readonly parent: { readonly number: number; readonly timestamp: bigint }
  /** Wall-clock time of the opening, in milliseconds. */
  readonly wallMs: number
  /** Milliseconds from the opening to the seal, whose time the timestamp is. */
  readonly leadMs: number
  /** Timestamps up to this one were used by unwound blocks of this height. */
  readonly replaced: bigint
}

/** Timestamp, in Unix seconds, of the block after `parent`: later than the parent's. */
export function nextTimestamp(settings: NextBlockSettings, input: TimestampInput): bigint {
  const { parent, wallMs, leadMs, replaced } = input
  const decided = decidedTimestamp(settings, parent)
  if (decided !== undefined) return decided
  const before = parent.timestamp > replaced ? parent.timestamp : replaced
  const due = chainSeconds(settings, wallMs + leadMs)
  return due > before ? due : before + 1n
}

/**
 * Time of a Denim block whose time does not follow from its number: a timestamp that settings decide begins a second,
 * and otherwise blocks may share one.
 *
 * @param input.parentMs time of the parent in Unix milliseconds
 */
export function nextFreeTime(
  settings: NextBlockSettings,
  input: TimestampInput & { readonly parentMs: bigint },
): BlockTime {
  const { parent, parentMs, wallMs, leadMs, replaced } = input
  const decided = decidedTimestamp(settings, parent)
  if (decided !== undefined) return freeBlockTime(parentMs, decided * 1_000n)
  const time = freeBlockTime(parentMs, chainMilliseconds(settings, wallMs + leadMs))
  return time.timestamp > replaced ? time : freeBlockTime(parentMs, (replaced + 1n) * 1_000n)
}

/** The timestamp that was chosen for the block after `parent`, or that the interval gives it. */
function decidedTimestamp(settings: NextBlockSettings, parent: TimestampInput['parent']): bigint | undefined {
  const chosen = settingsOnce(settings, parent.number + 1).timestamp
  if (chosen !== undefined && chosen > parent.timestamp) return chosen
  const { timestampInterval } = settings
  if (timestampInterval === undefined || timestampInterval <= 0n) return undefined
  const spaced = parent.timestamp + timestampInterval
  return spaced > MAX_TIMESTAMP ? parent.timestamp + 1n : spaced
}

/** Chain time in whole Unix seconds. */
export function chainSeconds(settings: Pick<NextBlockSettings, 'offsetMs'>, wallMs: number): bigint {
  return chainMilliseconds(settings, wallMs) / 1000n
}

function chainMilliseconds({ offsetMs }: Pick<NextBlockSettings, 'offsetMs'>, wallMs: number): bigint {
  const ms = BigInt(Math.floor(wallMs)) + offsetMs
  return ms < 0n ? 0n : ms
}

/** Seconds that chain time is ahead of the wall clock; negative when it is behind. */
export function offsetSeconds({ offsetMs }: Pick<NextBlockSettings, 'offsetMs'>): bigint {
  const whole = offsetMs / 1000n
  return offsetMs > 0n && offsetMs % 1000n !== 0n ? whole + 1n : whole
}

/** The settings with chain time at `seconds` now. */
export function withChainTime<T extends Pick<NextBlockSettings, 'offsetMs'>>(
  settings: T,
  seconds: bigint,
  wallMs: number,
): T {
  return { ...settings, offsetMs: seconds * 1000n - BigInt(Math.floor(wallMs)) }
}

/** The settings with chain time at the newest block's timestamp, if blocks that follow fast have overtaken it. */
export function withReachedTime<T extends Pick<NextBlockSettings, 'offsetMs'>>(
  settings: T,
  { timestamp }: Pick<TimestampInput['parent'], 'timestamp'>,
  wallMs: number,
): T {
  return timestamp > chainSeconds(settings, wallMs) ? withChainTime(settings, timestamp, wallMs) : settings
}

/**
 * The settings after a block was sealed: those of its height have served. Chain time continues from a timestamp that
 * was chosen for it.
 */
export function afterSealed(settings: NextBlockSettings, number: number, wallMs: number): NextBlockSettings {
  const { once } = settings
  if (once === undefined || once.number > number) return settings
  const served = { ...settings, once: undefined }
  const { timestamp } = once
  return once.number === number && timestamp !== undefined ? withChainTime(served, timestamp, wallMs) : served
}
