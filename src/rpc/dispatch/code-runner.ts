import { finallyMaybe, type MaybePromise, mapMaybe, settleMaybe } from '../../primitives/maybe-promise.ts'
import type { MethodResult } from '../protocol/encoded-json.ts'
import type { Method } from '../registry/method.ts'
import { CallSlots } from '../scheduling/call-slots.ts'
import { kindOfCall, LongCalls } from '../scheduling/long-calls.ts'
import { type Offload, offloadedRequest } from '../scheduling/offload.ts'
import { ReleasedSlot } from '../scheduling/released-slot.ts'
import { REQUEST_SLICE_MS } from '../scheduling/run-queue.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import type { RequestContext } from './request-context.ts'

export interface CodeRunnerDeps {
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Absent: long requests run on this thread, in slices. */
  readonly offload?: Offload
}

type Params = readonly unknown[]

/** How a run on this thread ended. */
type SliceResult =
  | { readonly kind: 'finished'; readonly result: MethodResult }
  /** It used its slice, and another thread is free to run it from the beginning. */
  | { readonly kind: 'offload' }

const OFFLOAD: SliceResult = { kind: 'offload' }

/**
 * Runs methods that execute code. Bounds how many run on this thread, and decides which run on a worker thread: methods
 * that take long, calls of a kind that lately used more than a slice, and any that uses more than its slice.
 */
export class CodeRunner {
  readonly #slots: CallSlots
  readonly #offload: Offload | undefined
  readonly #now: () => number
  readonly #longCalls = new LongCalls()

  constructor(options: { readonly limit: number; readonly maxWaiting: number }, { offload, now }: CodeRunnerDeps) {
    this.#slots = new CallSlots(options)
    this.#offload = offload
    this.#now = now
  }

  /**
   * @throws RpcError the error of the method, or -32005 when too many requests wait
   * @throws ClientGoneError
   */
  run(method: Method, params: Params, context: RequestContext): MaybePromise<MethodResult> {
    const offload = this.#offload
    // No other thread has the pool of a forecast.
    if (offload === undefined || context.view.isForecast) return this.#runHere(method, params, context)
    if (method.takesLong) return this.#runOffloaded(offload, method, params, context)
    return this.#runOffloadable(offload, method, params, context)
  }

  /**
   * Runs on this thread for one slice, then from the beginning on another one if that is free. Calls that are known to
   * be long start there.
   */
  #runOffloadable(
    offload: Offload,
    method: Method,
    params: Params,
    context: RequestContext,
  ): MaybePromise<MethodResult> {
    const kind = kindOfCall(method.name, params)
    if (kind !== undefined && this.#longCalls.has(kind) && offload.isFree()) {
      return this.#runLongCall(offload, kind, method, params, context)
    }
    return mapMaybe(this.#runOneSlice(method, params, context.offloadable(offload)), (run) => {
      if (run.kind === 'finished') return run.result
      if (kind !== undefined) this.#longCalls.add(kind)
      return this.#runOffloaded(offload, method, params, context)
    })
  }

  /** Forgets the kind of a call that was short this time. */
  async #runLongCall(
    offload: Offload,
    kind: string,
    method: Method,
    params: Params,
    context: RequestContext,
  ): Promise<MethodResult> {
    const startedAt = this.#now()
    try {
      return await this.#runOffloaded(offload, method, params, context)
    } finally {
      if (this.#now() - startedAt < REQUEST_SLICE_MS) this.#longCalls.delete(kind)
    }
  }

  #runOneSlice(method: Method, params: Params, context: RequestContext): MaybePromise<SliceResult> {
    return settleMaybe<MethodResult, SliceResult>(
      () => this.#runHere(method, params, context),
      (result) => (context.isStoppedForOffload ? OFFLOAD : { kind: 'finished', result }),
      (error) => {
        if (context.isStoppedForOffload) return OFFLOAD
        throw error
      },
    )
  }

  async #runOffloaded(
    offload: Offload,
    method: Method,
    params: Params,
    context: RequestContext,
  ): Promise<MethodResult> {
    const result = await offload.run(offloadedRequest(context, method.name, params), context)
    return result ?? this.#runHere(method, params, context)
  }

  #runHere(method: Method, params: Params, context: RequestContext): MaybePromise<MethodResult> {
    const entered = this.#slots.enter(context.queuedClient)
    if (entered === true) return this.#runInSlot(method, params, context)
    return entered.then(() => this.#runInSlot(method, params, context, beginSlice))
  }

  /** Leaves the slot when the method is done. */
  #runInSlot(
    method: Method,
    params: Params,
    context: RequestContext,
    begin?: typeof beginSlice,
  ): MaybePromise<MethodResult> {
    const call = () => method.call(params, context)
    const run = begin === undefined ? call : () => mapMaybe(begin(context), call)
    const { forkBlock } = context.view
    if (forkBlock === undefined) return finallyMaybe(run, () => this.#slots.leave())
    const slot = new ReleasedSlot(this.#slots, context.queuedClient)
    context.releaseWhileLoading(slot, forkBlock)
    return finallyMaybe(run, () => slot.leave())
  }
}

/**
 * Begins a request that waited for a slot. It gets the slot in a microtask at the end of another request: without a
 * yield all waiting requests would run in one step of the event loop.
 *
 * @throws ClientGoneError
 */
function beginSlice(context: RequestContext): true | Promise<true> {
  if (context.isGone()) throw new ClientGoneError('the client is gone')
  return context.yieldIfDue()
}
