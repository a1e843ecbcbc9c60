/** Why the node closed a WebSocket: messages not read, too many unread answers in all, no answer to a ping. */
export type SocketDropReason = 'slow' | 'full' | 'silent'

/** Hears of what the server turns away. */
export interface ServerMonitor {
  /** An HTTP request or an upgrade was answered with this status. */
  rejected(status: number): void
  dropped(reason: SocketDropReason): void
}

export const NO_MONITOR: ServerMonitor = { rejected: () => undefined, dropped: () => undefined }
