import type { Worker } from 'node:worker_threads'
import type { EncodedJson } from '../memoized/encoded-json.ts'
import type { RpcClient } from '../rpc-client.ts'
import type { BurstLoad } from './burst-load.ts'
import type { ToThread } from './messages.ts'
import type { StallWatchdog } from './stall-watch.ts'

interface PendingRequest {
  readonly client: Pick<RpcClient, 'isGone'>
  readonly resolve: (ready: EncodedJson | undefined) => void
  readonly reject: (error: unknown) => void
  /** The thread was told. */
  isCancelled: boolean
}

/** One thread and what it works on. */
export interface PooledThread {
  readonly thread: Worker
  readonly requests: Map<number, PendingRequest>
  readonly burst: BurstLoad
  readonly stall: StallWatchdog
  /** Settles once it has followed the chain for the first time, or has ended before it could. */
  readonly hasFollowed: Promise<boolean>
  readonly settleFollowed: (hasFollowed: boolean) => void
  /** When it was asked something last. */
  askedAt: number
  /** It does not follow the chain. */
  isResting: boolean
  /** By us. */
  isEnded: boolean
}

/** One that is ended for standing still takes nothing more, though it had short requests only. */
export function isIdle({ requests, isEnded }: PooledThread): boolean {
  return !isEnded && requests.size === 0
}

export function hasNothing({ requests, burst }: PooledThread): boolean {
  return requests.size === 0 && burst.isEmpty
}

/** It has answered: from now on it has its time again. */
export function hasMoved(worker: PooledThread): void {
  worker.stall.answered()
  if (hasNothing(worker)) worker.thread.unref()
}

export function postFollowing(worker: PooledThread, message: Extract<ToThread, { kind: 'start' | 'advance' }>): void {
  worker.burst.follows()
  post(worker, message)
}

export function post({ thread }: PooledThread, message: ToThread): void {
  thread.postMessage(message)
}
