import type { MayContinue } from '../engine/types.ts'
import type { Clock } from '../node/clock.ts'
import type { SealedTip } from '../node/head.ts'
import type { View } from '../node/view.ts'
import type { ReadyJson } from './ready/ready-json.ts'
import { SLICE } from './turn-queue.ts'

/** A request that runs in another thread, on the view that it captured here. */
export interface OffloadedRequest {
  /** Of the view's head. */
  readonly sequence: number
  /** What the tags stand for in it: the other thread's store may have more blocks by now. */
  readonly sealed: SealedTip
  readonly method: string
  readonly params: readonly unknown[]
}

/** Threads beside the one that seals blocks, for requests that take long. */
export interface Offload {
  /** Whether a request would begin at once. */
  isFree(): boolean
  /**
   * @returns undefined when the other thread does not have the view any more: the request has to run here
   * @throws RpcError what the method throws, or that too many requests wait
   */
  run(request: OffloadedRequest): Promise<ReadyJson | undefined>
}

/** Thrown by `mayContinue` when a request goes on in another thread; never seen by clients. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver'
}

/** Ends a request here once it has used up its slice and another thread is free for it. */
export function handingOver(mayContinue: MayContinue, clock: Clock, offload: Offload): MayContinue {
  const sliceEnd = clock.monotonic() + SLICE
  return () => {
    if (clock.monotonic() > sliceEnd && offload.isFree()) throw new HandedOver('it goes on in another thread')
    return mayContinue()
  }
}

export function offloadedRequest({ head }: View, method: string, params: readonly unknown[]): OffloadedRequest {
  return { sequence: head.sequence, sealed: head.sealed, method, params }
}
