import type { Registry } from '../tokenized-stocks/registry.ts'
import type { ChangeWindow } from './change-window.ts'

/** Where changes come from: the records of a node, or the sealed blocks of another one. */
export interface ChangeOrigin {
  /**
   * Follows the tokens of a registry, from as early on as their values are known.
   *
   * @throws StatusError when they cannot be read now
   */
  begin(registry: Registry): Promise<ChangeFollower>
  /** Observes the chain until the returned function is called. */
  watch(listeners: OriginListeners): () => void
}

export interface OriginListeners {
  /** There may be changes to read. */
  readonly onNews: () => void
  /** What was read does not continue in what comes. */
  readonly onLost: () => void
}

/** Changes up to the newest one that was read. */
export interface ChangeFollower {
  readonly window: ChangeWindow
  /** The first frame for a subscriber without a position. */
  start(): number
  /** Data of the event `ready`: which changes come, and the block whose list they continue. */
  ready(): object
  /**
   * Reads on to the newest change.
   *
   * @param onRead called after each step that may have added changes
   * @returns whether they could be followed: after `false` they have to be begun anew
   * @throws StatusError when they cannot be read now
   */
  advance(onRead: () => void): Promise<boolean>
}

/** Records, or blocks, whose events are kept, at least: half an hour of an idle chain with flashblocks. */
export const MAX_EVENT_RECORDS = 10_000
/** Events that are kept, at least. */
export const MAX_KEPT_EVENTS = 20_000

/** Logger of an origin. */
export interface EventLog {
  error(details: object, message: string): void
  warn(details: object, message: string): void
}

/** Logs tokens without events. */
export function reportUnread(log: EventLog, tokens: readonly object[]): void {
  if (tokens.length > 0) log.error({ tokens }, 'these tokens have no events: their values cannot be read')
}
