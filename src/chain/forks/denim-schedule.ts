import type { ChainConfig, DenimSchedule } from './chain-config.ts'

/** Milliseconds between blocks before Denim, and from Denim on (Base specs: Denim, "200ms Blocks"). */
const BLOCK_TIME_BEFORE_MS = 2_000n
const BLOCK_TIME = 200n

/** The time of a block. */
export interface BlockTime {
  /** Unix milliseconds. */
  readonly milliseconds: bigint
  /** Unix seconds, as in the header; five Denim blocks share a value. */
  readonly timestamp: bigint
  /** 0, 200, 400, 600 or 800. */
  readonly millisPart: number
}

/** Number of the first Denim block: the first one whose time is not before the activation. */
export function firstDenimBlock({ genesisNumber, genesisTime, denimTime }: DenimSchedule): bigint {
  if (denimTime <= genesisTime) return genesisNumber
  const milliseconds = (denimTime - genesisTime) * 1_000n
  return genesisNumber + (milliseconds + BLOCK_TIME_BEFORE_MS - 1n) / BLOCK_TIME_BEFORE_MS
}

/** The time of a block, which follows from its number alone. */
export function blockTimeOf(number: bigint, schedule: DenimSchedule): BlockTime {
  const first = firstDenimBlock(schedule)
  const before = number < first ? number : first
  const start = schedule.genesisTime * 1_000n + BLOCK_TIME_BEFORE_MS * (before - schedule.genesisNumber)
  return timeAt(number <= first ? start : start + BLOCK_TIME * (number - first))
}

function timeAt(milliseconds: bigint): BlockTime {
  return { milliseconds, timestamp: milliseconds / 1_000n, millisPart: Number(milliseconds % 1_000n) }
}

/**
 * The time of a block by its number, before Denim as well; undefined on chains that do not schedule Denim, or whose
 * times are chosen.
 */
export function scheduledTimeOf(number: number, { layer2 }: Pick<ChainConfig, 'layer2'>): BlockTime | undefined {
  const schedule = layer2?.denim
  return schedule === undefined || schedule.isFree ? undefined : blockTimeOf(BigInt(number), schedule)
}

/** Whether a block is one of Denim: it begins with a BaseTime transaction behind the L1 attributes. */
export function isDenimBlock(number: number, { layer2 }: Pick<ChainConfig, 'layer2'>): boolean {
  const schedule = layer2?.denim
  return schedule !== undefined && BigInt(number) >= firstDenimBlock(schedule)
}

/** The time of a Denim block by its number; undefined for other blocks, and where times are chosen. */
export function denimTimeOf(number: number, config: Pick<ChainConfig, 'layer2'>): BlockTime | undefined {
  return isDenimBlock(number, config) ? scheduledTimeOf(number, config) : undefined
}

/**
 * The time of a Denim block that is chosen: the last multiple of 200 ms up to `dueMs`, but at least 200 ms after the
 * parent.
 */
export function freeBlockTime(parentMs: bigint, dueMs: bigint): BlockTime {
  const due = dueMs - (dueMs % BLOCK_TIME)
  const earliest = parentMs + BLOCK_TIME
  return timeAt(due > earliest ? due : earliest)
}

/** The first Denim block of a chain that has blocks before it; undefined where Denim is never or always active. */
export function denimActivation({ layer2 }: Pick<ChainConfig, 'layer2'>): bigint | undefined {
  const schedule = layer2?.denim
  if (schedule === undefined) return undefined
  const first = firstDenimBlock(schedule)
  return first > schedule.genesisNumber ? first : undefined
}

/** The activation of Denim divides the gas limit by this, and multiplies the base fee change denominator by it. */
export const DENIM_SCALING = 10

/**
 * Factor between the values of block 0 and those of a block: its gas limit is divided by it, the base fee change
 * denominator in its header is multiplied.
 */
export function denimScalingOf(number: number, config: Pick<ChainConfig, 'layer2'>): number {
  const activation = denimActivation(config)
  return activation !== undefined && BigInt(number) >= activation ? DENIM_SCALING : 1
}
