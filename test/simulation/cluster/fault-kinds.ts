/** Everything that goes wrong on purpose. */
export const FAULT_KINDS = [
  'kill',
  'power',
  /** All machines and servers lose power at once. */
  'blackout',
  /** A machine starts on an older copy of its disk. */
  'old-disk',
  'pause',
  'reset',
  /** Nothing passes in one direction, or in both. */
  'cut',
  'slow-disk',
  'full-disk',
  'failing-disk',
  /** Wrong bytes are read. */
  'bit-flip',
  'clock-jump',
  'nats-kill',
  /** The NATS servers answer nothing while they elect a leader. */
  'nats-election',
  /** Reads of NATS are answered by a server that is behind. */
  'nats-stale',
  'nats-expiry',
  /** Messages are delivered to consumers again. */
  'nats-redelivery',
  'reader-kill',
  'reader-pause',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

/** Chance of each kind relative to the others, where it happens at all. */
export type FaultWeights = Readonly<Partial<Record<FaultKind, number>>>

export function isNatsFault(kind: FaultKind): boolean {
  return kind.startsWith('nats-')
}

export function isReaderFault(kind: FaultKind): boolean {
  return kind.startsWith('reader-')
}

const MACHINE_FAULTS: ReadonlySet<FaultKind> = new Set([
  'kill',
  'power',
  'pause',
  'slow-disk',
  'full-disk',
  'failing-disk',
  'bit-flip',
  'clock-jump',
] as const)

/** Whether a fault hits one machine. */
export function isMachineFault(kind: FaultKind): boolean {
  return MACHINE_FAULTS.has(kind)
}
