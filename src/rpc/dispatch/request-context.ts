import type { MayContinue } from '../../engine/types.ts'
import type { View } from '../../node/core/view.ts'
import type { ConnectionScope } from '../connection-scope.ts'
import type { RpcOptions, RpcParts, WriteContext } from '../context.ts'
import { tooMuchAtOnce } from '../errors.ts'
import type { FilterSet } from '../filters/filter-set.ts'
import type { ReadyLogs } from '../logs/memoized-logs.ts'
import type { ReadyBlocks } from '../memoized/memoized-blocks.ts'
import type { TipOracle } from '../queries/tip-oracle.ts'
import type { MethodSet } from '../registry/method-set.ts'
import type { RpcClient } from '../rpc-client.ts'
import { ALONE } from '../scheduling/inclusion-waits.ts'
import { handingOver, type Offload } from '../scheduling/offload.ts'
import { type Turns, timeSlices } from '../scheduling/time-slices.ts'
import type { AssembledBytes, Assembly } from './response-memory.ts'

/** What the requests of one transport have in common. */
export interface Surroundings extends Pick<RpcParts, 'node' | 'clock' | 'processorTime'> {
  readonly options: RpcOptions
  readonly tips: TipOracle
  readonly ready: ReadyBlocks
  readonly readyLogs: ReadyLogs
  readonly filters: FilterSet
  readonly methods: MethodSet
  readonly assembled: AssembledBytes
}

/** Whose request it is. */
export interface Origin {
  readonly turn: Turns
  readonly client: RpcClient
  readonly connection: ConnectionScope | undefined
  /** The text that it came in, alone, where that is copied in no time. */
  readonly smallText: string | undefined
  /** Of a batch; of another request once its answer grows. */
  assembly: Assembly | undefined
}

/** What a method sees. Most of it is asked for by few, so that it is made when it is. */
export class RequestContext implements WriteContext {
  readonly view: View
  readonly turn: Turns
  readonly #surroundings: Surroundings
  readonly #origin: Origin
  #offload: Offload | undefined
  #mayContinue: MayContinue | undefined

  constructor(view: View, origin: Origin, surroundings: Surroundings) {
    this.view = view
    this.turn = origin.turn
    this.#origin = origin
    this.#surroundings = surroundings
  }

  /** The same request, which goes on in another thread when it takes long. */
  movable(offload: Offload): RequestContext {
    const context = new RequestContext(this.view, this.#origin, this.#surroundings)
    context.#offload = offload
    return context
  }

  /** Its time begins when it is asked for. */
  get mayContinue(): MayContinue {
    this.#mayContinue ??= this.#offload === undefined ? this.#slices() : this.#movableSlices(this.#offload)
    return this.#mayContinue
  }

  get grown() {
    const origin = this.#origin
    return (bytes: number) => {
      origin.assembly ??= this.#surroundings.assembled.begin()
      if (!origin.assembly.grow(bytes)) throw tooMuchAtOnce()
    }
  }

  get config() {
    return this.#surroundings.node.config
  }

  get engine() {
    return this.#surroundings.node.engine
  }

  get blockTime() {
    return this.#surroundings.node.blockTimeMs / 1000
  }

  get slots() {
    return this.#surroundings.node.slots
  }

  get gasLimit() {
    return this.#surroundings.node.gasLimit
  }

  get options() {
    return this.#surroundings.options
  }

  get tips() {
    return this.#surroundings.tips
  }

  get ready() {
    return this.#surroundings.ready
  }

  get readyLogs() {
    return this.#surroundings.readyLogs
  }

  get now() {
    const { clock } = this.#surroundings
    return () => clock.monotonic()
  }

  get methods() {
    return this.#origin.connection?.methods ?? this.#surroundings.methods
  }

  get node() {
    return this.#surroundings.node
  }

  get clock() {
    return this.#surroundings.clock
  }

  get subscriptions() {
    return this.#origin.connection?.subscriptions
  }

  get waits() {
    return this.#origin.connection?.waits ?? ALONE
  }

  get filters() {
    return this.#surroundings.filters
  }

  get client() {
    return this.#origin.client.address
  }

  get onPolled() {
    return this.#origin.client.onPolled
  }

  get smallText(): string | undefined {
    return this.#origin.smallText
  }

  /** Nobody waits for the answer any more. */
  isGone(): boolean {
    return this.#origin.client.isGone()
  }

  #slices(): ReturnType<typeof timeSlices> {
    const { clock, options } = this.#surroundings
    return timeSlices(clock, options.callTimeout, this.turn)
  }

  #movableSlices(offload: Offload): MayContinue {
    const { clock, processorTime = (now: number) => now } = this.#surroundings
    const slices = this.#slices()
    // Read once for both: what is used is asked for first.
    let now = 0
    const used = () => {
      now = clock.monotonic()
      return processorTime(now)
    }
    return handingOver(() => slices(now), used, offload)
  }
}
