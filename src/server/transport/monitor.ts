/** Why the node closed a WebSocket: unread messages, too many unsent bytes in total, or no answer to a ping. */
export type SocketDropReason = 'slow' | 'full' | 'silent'

/** Notified of rejected requests and closed sockets. */
export interface ServerMonitor {
  /** An HTTP request or an upgrade was rejected with this status. */
  rejected(status: number): void
  dropped(reason: SocketDropReason): void
}

export const NO_MONITOR: ServerMonitor = { rejected: () => undefined, dropped: () => undefined }
