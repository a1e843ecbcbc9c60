import type { MayContinue } from '../../engine/types.ts'
import type { View } from '../../node/core/view.ts'
import type { SealedTip } from '../../node/replay/head.ts'
import type { RpcError } from '../errors.ts'
import type { EncodedJson } from '../memoized/encoded-json.ts'
import type { RpcClient } from '../rpc-client.ts'
import { SLICE } from './run-queue.ts'

/** The head that a request has captured here, as another thread finds it. */
export interface CapturedHead {
  readonly sequence: number
  /** What the tags stand for in it: the other thread's store may have more blocks by now. */
  readonly sealed: SealedTip
}

/** A request that runs in another thread, on the view that it captured here. */
export interface OffloadedRequest extends CapturedHead {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The same as it came: reading its text once more takes less than copying what was read. */
export interface BurstRequest extends CapturedHead {
  /** JSON of one request, well-formed, with an array of params. */
  readonly text: string
}

/** Threads beside the one that seals blocks, for requests that take long. */
export interface Offload {
  /** Whether a request would begin at once. */
  isFree(): boolean
  /**
   * @param client asked again and again whether it is gone: then the request is dropped, or stopped at its next yieldIfDue
   * @returns undefined when the other thread does not have the view any more: the request has to run here
   * @throws RpcError what the method throws, or that too many requests wait
   * @throws ClientGoneError
   */
  run(request: OffloadedRequest, client: Pick<RpcClient, 'isGone'>): Promise<EncodedJson | undefined>
  /** The same threads for short requests that come in together; absent: there is no processor for them. */
  readonly bursts?: BurstThreads | undefined
}

/** What another thread says of one of several short requests; `undefined`: it has to run here. */
export type BurstAnswer = EncodedJson | RpcError | 'takesLong' | undefined

/** Threads that answer several short requests at once, while they have no long one. */
export interface BurstThreads {
  /** How many more would be answered soon. */
  room(): number
  /**
   * @param requests no more than there is room for
   * @returns what is said of each
   * @throws RpcError the node is stopping
   */
  run(requests: readonly BurstRequest[]): Promise<readonly BurstAnswer[]>
}

/**
 * Stops a request once it has used its slice and another thread is free to run it from the beginning. Starting again there
 * costs more than the rest of a short request, so processor time counts, not elapsed time: the system may have run another
 * process for most of it.
 *
 * @param used milliseconds that this process has run
 * @param onStop called when the request is to be run by another thread
 */
export function stopWhenSliceIsUsed(
  mayContinue: MayContinue,
  { used, offload, onStop }: { used: () => number; offload: Pick<Offload, 'isFree'>; onStop: () => void },
): MayContinue {
  let startedAt: number | undefined
  return () => {
    const now = used()
    startedAt ??= now
    if (now - startedAt > SLICE && offload.isFree()) {
      onStop()
      return false
    }
    const answer = mayContinue()
    if (!(answer instanceof Promise)) return answer
    // Time that other requests used while this one had yielded does not count.
    return answer.then((isInTime) => {
      startedAt! += used() - now
      return isInTime
    })
  }
}

export function offloadedRequest({ head }: View, method: string, params: readonly unknown[]): OffloadedRequest {
  return { sequence: head.sequence, sealed: head.sealed, method, params }
}
