import type { Worker } from 'node:worker_threads'
import type { ReadyJson } from '../memoized/encoded-json.ts'
import type { RpcClient } from '../rpc-client.ts'
import type { BurstShare } from './burst-load.ts'
import type { ToWorker } from './messages.ts'
import type { StallWatch } from './stall-watch.ts'

interface PendingRequest {
  readonly client: Pick<RpcClient, 'isGone'>
  readonly resolve: (ready: ReadyJson | undefined) => void
  readonly reject: (error: unknown) => void
  /** The thread was told. */
  isCancelled: boolean
}

/** One thread and what it works on. */
export interface RunningWorker {
  readonly thread: Worker
  readonly requests: Map<number, PendingRequest>
  readonly burst: BurstShare
  readonly stall: StallWatch
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
export function isIdle({ requests, isEnded }: RunningWorker): boolean {
  return !isEnded && requests.size === 0
}

export function hasNothing({ requests, burst }: RunningWorker): boolean {
  return requests.size === 0 && burst.isEmpty
}

/** It has answered: from now on it has its time again. */
export function hasMoved(worker: RunningWorker): void {
  worker.stall.answered()
  if (hasNothing(worker)) worker.thread.unref()
}

export function postFollowing(worker: RunningWorker, message: Extract<ToWorker, { kind: 'start' | 'advance' }>): void {
  worker.burst.follows()
  post(worker, message)
}

export function post({ thread }: RunningWorker, message: ToWorker): void {
  thread.postMessage(message)
}
