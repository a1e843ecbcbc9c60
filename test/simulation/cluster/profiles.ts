import type { FaultKind } from './fault-kinds.ts'

/** The choices that a profile fixes; the seed decides the rest. */
export interface Profile {
  readonly hasFailover?: boolean
  readonly isDevelopment?: boolean
  /** Whether every node has readers. Default: in some clusters some have. */
  readonly hasReaders?: boolean
  /** Whether the NATS servers sync messages before they acknowledge them. Default: they do. */
  readonly hasSyncedNats?: boolean
  /** Kinds of faults that may happen. Default: all. */
  readonly faults?: readonly FaultKind[]
}

/** Values of `--profile`. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  all: {},
  calm: { faults: [] },
  crashes: { faults: ['kill', 'power', 'blackout', 'old-disk', 'reader-kill'] },
  disks: { faults: ['power', 'slow-disk', 'full-disk', 'failing-disk', 'bit-flip'] },
  network: { faults: ['pause', 'reset', 'cut'] },
  clocks: { faults: ['clock-jump', 'pause', 'kill'] },
  nats: {
    hasFailover: true,
    faults: [
      ...(['kill', 'power', 'cut', 'pause', 'nats-kill', 'nats-election', 'nats-stale', 'nats-expiry'] as const),
      'nats-redelivery',
    ],
  },
  /** No node starts with such servers, so that this is no part of `all`. */
  unsynced: { hasFailover: true, hasSyncedNats: false, faults: ['blackout'] },
  /** Crashes and pauses where every node has one to three readers. */
  readers: { hasReaders: true, faults: ['kill', 'power', 'pause', 'reset', 'cut', 'reader-kill', 'reader-pause'] },
  development: { hasFailover: false, isDevelopment: true },
}
