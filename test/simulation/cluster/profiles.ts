import type { FaultKind } from './fault-kinds.ts'

/** The choices that a profile fixes; the seed decides the rest. */
export interface Profile {
  readonly hasFailover?: boolean
  readonly isDevelopment?: boolean
  /** Kinds of faults that may happen. Default: all. */
  readonly faults?: readonly FaultKind[]
}

/** Values of `--profile`. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  all: {},
  calm: { faults: [] },
  crashes: { faults: ['kill', 'power', 'blackout', 'old-disk'] },
  disks: { faults: ['power', 'slow-disk', 'full-disk', 'failing-disk', 'bit-flip'] },
  network: { faults: ['pause', 'reset', 'cut'] },
  clocks: { faults: ['clock-jump', 'pause', 'kill'] },
  nats: {
    hasFailover: true,
    faults: ['kill', 'power', 'cut', 'pause', 'nats-kill', 'nats-election', 'nats-stale', 'nats-expiry'],
  },
  development: { hasFailover: false, isDevelopment: true },
}
