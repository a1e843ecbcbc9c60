import type { SocketState } from './live-socket.ts'

/** How the page is connected to its node. */
export interface Connection {
  /**
   * `live`: notifications arrive. `polling`: the node answers requests but has no WebSocket. `offline`: it does not
   * answer.
   */
  readonly kind: 'connecting' | 'live' | 'polling' | 'offline'
  /** When this kind began. */
  readonly since: number
  /** When the node last sent anything. */
  readonly heardAt: number | undefined
}

export type ConnectionEvent =
  | { readonly kind: 'socket'; readonly state: SocketState; readonly at: number }
  | { readonly kind: 'response'; readonly at: number }
  | { readonly kind: 'failure'; readonly at: number }
  | { readonly kind: 'message'; readonly at: number }

/** Age from which the shown data of a connection that is not live counts as stale. */
const STALE_AFTER_MS = 3_000
/** Resolution of `heardAt`: views follow the connection, and messages arrive hundreds of times a second. */
const HEARD_RESOLUTION_MS = 1_000

export function initialConnection(at: number): Connection {
  return { kind: 'connecting', since: at, heardAt: undefined }
}

/** The connection after an event. */
export function nextConnection(before: Connection, event: ConnectionEvent): Connection {
  const { at } = event
  const become = (kind: Connection['kind']): Connection =>
    kind === before.kind ? before : { ...before, kind, since: at }
  switch (event.kind) {
    case 'message':
      return at - (before.heardAt ?? 0) < HEARD_RESOLUTION_MS ? before : { ...before, heardAt: at }
    case 'response': {
      const after = before.kind === 'offline' ? become('polling') : before
      return { ...after, heardAt: at }
    }
    case 'failure':
      return before.kind === 'live' ? before : become('offline')
    case 'socket':
      if (event.state.kind === 'open') return { ...become('live'), heardAt: at }
      // Requests tell whether the node is reachable without a WebSocket.
      if (event.state.kind === 'closed' && before.kind !== 'polling') return become('offline')
      return before
  }
}

/** Age in milliseconds of the shown data if it may be out of date. */
export function staleForMs({ kind, heardAt, since }: Connection, now: number): number | undefined {
  if (kind === 'live' || kind === 'connecting') return undefined
  const age = now - (heardAt ?? since)
  return age < STALE_AFTER_MS ? undefined : age
}
