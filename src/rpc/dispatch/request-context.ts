import type { Engine, MayContinue } from '../../engine/types.ts'
import { scheduleOf } from '../../node/production/building/schedule.ts'
import { chainForkOf, forecastOf } from '../../node/roles/node-handle.ts'
import type { View } from '../../node/view/view.ts'
import { type MaybePromise, mapMaybe } from '../../primitives/maybe-promise.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { TaggedViews } from '../compat/tagged-views.ts'
import type { RpcDeps } from '../context/dependencies.ts'
import type { RpcOptions } from '../context/options.ts'
import type { ShownTimes } from '../context/shown-times.ts'
import type { TipOracle } from '../context/tip-oracle.ts'
import type { FlashblockWait } from '../context/waiting.ts'
import type { WriteContext } from '../context/writing.ts'
import type { FilterSet } from '../filters/filter-set.ts'
import type { MemoizedLogs } from '../logs/memoized-logs.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import { outOfResponseMemory } from '../protocol/errors.ts'
import type { LatestState } from '../protocol/latest-state.ts'
import type { QueuedClient, RpcClient } from '../protocol/rpc-client.ts'
import { hasNoPendingBlock } from '../queries/pending-block.ts'
import type { MethodSet } from '../registry/method-set.ts'
import type { FindInterface } from '../reports/contract-interface.ts'
import type { ReportRecorder } from '../reports/report-recording.ts'
import { ForkWaits, waitingEngine } from '../scheduling/fork-waits.ts'
import { ALONE, type InclusionWaits } from '../scheduling/inclusion-waits.ts'
import { type Offload, stopWhenSliceIsUsed } from '../scheduling/offload.ts'
import type { ReleasedSlot } from '../scheduling/released-slot.ts'
import { timeSlices, type YieldIfDue } from '../scheduling/time-slices.ts'
import type { SubscriptionScope } from '../subscriptions/subscription-set.ts'
import type { ResponseMemory, ResponseReservation } from './response-memory.ts'

/** State of the WebSocket connection that a request came by. */
export interface ConnectionScope {
  /** Methods enabled on the transport. */
  readonly methods: MethodSet
  /** Those of a WebSocket. */
  readonly subscriptions?: SubscriptionScope
  readonly inclusionWaits?: InclusionWaits
}

/** Collaborators that all requests share. */
export interface SharedContext
  extends Pick<RpcDeps, 'node' | 'clock' | 'processorTime' | 'onCall' | 'entryFailureOf' | 'addressIndex' | 'layer1'> {
  readonly interfaceOf: FindInterface
  readonly recorder: ReportRecorder
  readonly options: RpcOptions
  readonly conventions: NodeConventions
  readonly tips: TipOracle
  readonly shownTimes: ShownTimes
  readonly memoizedBlocks: MemoizedBlocks
  readonly memoizedLogs: MemoizedLogs
  readonly filters: FilterSet
  readonly methods: MethodSet
  readonly responseMemory: ResponseMemory
  readonly taggedViews: TaggedViews
}

/** Where a request came from. */
export interface RequestOrigin {
  readonly yieldIfDue: YieldIfDue
  readonly client: RpcClient
  readonly connection: ConnectionScope | undefined
  readonly isBatch: boolean
  /** Reservation of a batch, or of a single request once its response grows. */
  reservation: ResponseReservation | undefined
  /** The forecast on the view of the request or of the items of a batch. */
  forecast?: { readonly of: View; readonly view: MaybePromise<View> }
}

/** Context of a method. Getters, since most methods use few of its members. */
export class RequestContext implements WriteContext {
  readonly view: View
  readonly yieldIfDue: YieldIfDue
  readonly #shared: SharedContext
  readonly #origin: RequestOrigin
  #offload: Offload | undefined
  #mayContinue: MayContinue | undefined
  #isStoppedForOffload = false
  #engine: Engine | undefined
  #forkWaits: ForkWaits | undefined

  constructor(view: View, origin: RequestOrigin, shared: SharedContext) {
    this.view = view
    this.yieldIfDue = origin.yieldIfDue
    this.#origin = origin
    this.#shared = shared
  }

  /** The same request, which stops when it has used its slice and another thread can run it. */
  offloadable(offload: Offload): RequestContext {
    const context = new RequestContext(this.view, this.#origin, this.#shared)
    context.#offload = offload
    return context
  }

  forecast(): MaybePromise<RequestContext> {
    const { node } = this.#shared
    const forecast = forecastOf(node)
    if (forecast === undefined || this.view.isForecast) return this
    const origin = this.#origin
    if (origin.forecast?.of !== this.view) origin.forecast = { of: this.view, view: forecast(this.view) }
    return mapMaybe(origin.forecast.view, (view) => (view === this.view ? this : this.#on(view)))
  }

  #on(view: View): RequestContext {
    const context = new RequestContext(view, this.#origin, this.#shared)
    context.#engine = this.#engine
    context.#forkWaits = this.#forkWaits
    return context
  }

  renewed(): RequestContext {
    const { node, taggedViews } = this.#shared
    return new RequestContext(taggedViews.of(node.view()), this.#origin, this.#shared)
  }

  timeLimit(limitMs: number): MayContinue {
    const waits = this.#forkWaits
    if (waits === undefined) return timeSlices(this.#shared.clock, limitMs, this.yieldIfDue)
    const before = waits.totalMs
    return timeSlices(this.#shared.clock, limitMs, this.yieldIfDue, () => waits.totalMs - before)
  }

  /** The time limit starts with the first access. */
  get mayContinue(): MayContinue {
    this.#mayContinue ??=
      this.#offload === undefined
        ? this.timeLimit(this.#shared.options.callTimeoutMs)
        : this.#offloadableSlices(this.#offload)
    return this.#mayContinue
  }

  get grown() {
    const origin = this.#origin
    return (bytes: number) => {
      origin.reservation ??= this.#shared.responseMemory.begin()
      if (!origin.reservation.grow(bytes)) throw outOfResponseMemory()
    }
  }

  get layer1() {
    return this.#shared.layer1
  }

  get addressIndex() {
    return this.#shared.addressIndex
  }

  get onCall() {
    return this.#shared.onCall
  }

  get recorder() {
    return this.#shared.recorder
  }

  get interfaceOf() {
    return this.#shared.interfaceOf
  }

  get entryFailureOf() {
    return this.#shared.entryFailureOf
  }

  get config() {
    return this.#shared.node.config
  }

  get engine(): Engine {
    return this.#engine ?? this.#shared.node.engine
  }

  /** Executions give back the call slot while they wait for state of the forked node. */
  releaseWhileLoading(slot: ReleasedSlot, forkBlock: number): void {
    const waits = this.#forkWaits
    if (waits !== undefined) this.#engine = waitingEngine(this.#shared.node.engine, { forkBlock }, { waits, slot })
  }

  /** How the request waits for state of the forked node; `undefined` without one. */
  beginForkWaits(method: string): ForkWaits | undefined {
    const { clock, node } = this.#shared
    const fork = chainForkOf(node)
    if (fork !== undefined) this.#forkWaits = new ForkWaits({ method }, { clock, fork, client: this })
    return this.#forkWaits
  }

  get blockTimeSeconds() {
    return this.#schedule.blockTimeMs / 1000
  }

  get slots() {
    return this.#schedule.slots
  }

  /** Schedule of the next block. */
  get #schedule() {
    return scheduleOf(this.view.head.pending.block.header.number, this.config, this.#shared.node)
  }

  get gasLimit() {
    return this.#shared.node.gasLimit
  }

  get options() {
    return this.#shared.options
  }

  get latestState(): LatestState {
    const { options, node } = this.#shared
    const chosen = this.#origin.client.latestState ?? options.latestState
    if (chosen === 'sealed' || node.isOnDemand) return 'sealed'
    return hasNoPendingBlock(this.view, node.config) ? 'sealed' : chosen
  }

  get flashblockWait(): FlashblockWait | undefined {
    const { options, node, clock } = this.#shared
    const { blockTimeMs, slots } = this.#schedule
    const timeoutMs = Math.min(options.receiptWaitMs ?? (1.5 * blockTimeMs) / slots, options.syncTimeoutMs)
    if (timeoutMs === 0 || node.isOnDemand || this.#origin.isBatch) return undefined
    return { timeoutMs, node, clock, waits: this.inclusionWaits }
  }

  get conventions() {
    return this.#shared.conventions
  }

  get tips() {
    return this.#shared.tips
  }

  get shownTimes() {
    return this.#shared.shownTimes
  }

  get memoizedBlocks() {
    return this.#shared.memoizedBlocks
  }

  get memoizedLogs() {
    return this.#shared.memoizedLogs
  }

  get now() {
    const { clock } = this.#shared
    return () => clock.monotonic()
  }

  get methods() {
    return this.#origin.connection?.methods ?? this.#shared.methods
  }

  get node() {
    return this.#shared.node
  }

  get clock() {
    return this.#shared.clock
  }

  get subscriptions() {
    return this.#origin.connection?.subscriptions
  }

  get inclusionWaits() {
    return this.#origin.connection?.inclusionWaits ?? ALONE
  }

  get filters() {
    return this.#shared.filters
  }

  get client() {
    return this.#origin.client.address
  }

  get hasOutsideAccess() {
    return this.#origin.client.hasOutsideAccess === true
  }

  /** By whom the request is scheduled. */
  get queuedClient(): QueuedClient {
    return this.#origin.client
  }

  get onPolled() {
    return this.#origin.client.onPolled
  }

  /** Whether the client has disconnected. */
  isGone(): boolean {
    return this.#origin.client.isGone()
  }

  /**
   * Whether `mayContinue` stopped the request so that another thread runs it. Its result or error is then meaningless.
   */
  get isStoppedForOffload(): boolean {
    return this.#isStoppedForOffload
  }

  #offloadableSlices(offload: Offload): MayContinue {
    const { clock, processorTime = (now: number) => now } = this.#shared
    const slices = timeSlices(clock, this.#shared.options.callTimeoutMs, this.yieldIfDue)
    // The clock is read once for both: `used` runs before `slices`.
    let now = 0
    const used = () => {
      now = clock.monotonic()
      return processorTime(now)
    }
    const onStop = () => {
      this.#isStoppedForOffload = true
    }
    return stopWhenSliceIsUsed(() => slices(now), { used, offload, onStop })
  }
}
