import type { Worker } from 'node:worker_threads'
import type { PendingReplies } from '../../primitives/threads/pending-replies.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import type { RpcClient } from '../protocol/rpc-client.ts'
import type { ToThread } from './messages.ts'
import type { StallWatchdog } from './stall-watch.ts'

interface PendingRequest {
  readonly client: Pick<RpcClient, 'isGone'>
  /** Whether the thread has been notified. */
  isCancelled: boolean
}

/** A thread of the pool and its requests. */
export interface PooledThread {
  readonly thread: Worker
  readonly requests: PendingReplies<EncodedJson | undefined, PendingRequest>
  readonly stall: StallWatchdog
  /** Whether its program is loaded. */
  isReady: boolean
  /** Time of the last request. */
  postedAt: number
  /** It does not follow the chain while it is idle. */
  isResting: boolean
  /** It was terminated by the pool. */
  isEnded: boolean
}

/** Whether a request would run at once. */
export function isFree(worker: PooledThread): boolean {
  return worker.isReady && isIdle(worker)
}

/** A terminated thread takes no more requests. */
export function isIdle({ requests, isEnded }: PooledThread): boolean {
  return !isEnded && requests.size === 0
}

/** Restarts the stall timeout after a response. */
export function hasMoved(worker: PooledThread): void {
  worker.stall.restart()
  if (worker.requests.size === 0) worker.thread.unref()
}

export function post({ thread }: PooledThread, message: ToThread): void {
  thread.postMessage(message)
}
