import type { MayContinue } from '../../engine/types.ts'
import type { SealedTip } from '../../node/machine/head.ts'
import type { View } from '../../node/view/view.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import type { LatestState } from '../protocol/latest-state.ts'
import type { RpcClient } from '../protocol/rpc-client.ts'
import { REQUEST_SLICE_MS } from './run-queue.ts'

/** Identifies the head of a view, so that another thread finds the same one. */
export interface CapturedHead {
  readonly sequence: number
  /** Blocks of the tags: the store of the other thread may have more blocks by now. */
  readonly sealed: SealedTip
}

/** A request that runs on another thread, on the view that was captured here. */
export interface OffloadedRequest extends CapturedHead {
  readonly method: string
  readonly params: readonly unknown[]
  readonly latestState: LatestState
}

/** Worker threads that run requests beside the thread that seals blocks. */
export interface Offload {
  /** Whether a running thread is idle, so that a request would start at once. */
  isFree(): boolean
  /** Starts a thread for later requests, if there may be another one and none is starting. */
  startSpareThread(): void
  /**
   * @param client polled while the request runs; a request of a disconnected client is dropped, or stops at its next
   * yield
   * @returns `undefined` when the thread does not have the view any more: the request has to run here
   * @throws RpcError the error of the method, or -32005 when too many requests wait
   * @throws ClientGoneError
   */
  run(request: OffloadedRequest, client: Pick<RpcClient, 'isGone'>): Promise<EncodedJson | undefined>
}

/**
 * Stops a request once it has used its slice and another thread is free to run it from the beginning. Starting again
 * there costs more than the rest of a short request, so processor time counts, not elapsed time: the system may have
 * run another process for most of it. While no thread is free the request continues, and a thread starts for later
 * ones: it needs longer to start than most requests need to end.
 *
 * @param used milliseconds that this process has run
 * @param onStop called when the request is to be run by another thread
 */
export function stopWhenSliceIsUsed(
  mayContinue: MayContinue,
  {
    used,
    offload,
    onStop,
  }: { used: () => number; offload: Pick<Offload, 'isFree' | 'startSpareThread'>; onStop: () => void },
): MayContinue {
  let startedAt: number | undefined
  return () => {
    const now = used()
    startedAt ??= now
    if (now - startedAt > REQUEST_SLICE_MS) {
      if (offload.isFree()) {
        onStop()
        return false
      }
      offload.startSpareThread()
    }
    const response = mayContinue()
    if (!(response instanceof Promise)) return response
    // Time that other requests used while this one had yielded does not count.
    return response.then((isInTime) => {
      startedAt! += used() - now
      return isInTime
    })
  }
}

export function offloadedRequest(
  { view: { head }, latestState }: { readonly view: View; readonly latestState: LatestState },
  method: string,
  params: readonly unknown[],
): OffloadedRequest {
  return { sequence: head.sequence, sealed: head.sealed, method, params, latestState }
}
