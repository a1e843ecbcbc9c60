import type { Clock } from '../../node/core/clock.ts'
import type { RequestContext } from '../dispatch/request-context.ts'
import type { MethodResult } from '../memoized/encoded-json.ts'
import type { Method } from '../registry/method.ts'
import { BurstQueue } from './burst-queue.ts'
import { CallSlots } from './call-slots.ts'
import { HandedOver, type Offload, offloadedRequest } from './offload.ts'
import { ClientGoneError } from './time-slices.ts'

export interface CodeRunnerDeps {
  /** Absent: requests that take long go on here, in slices. */
  readonly offload?: Offload
  readonly clock: Clock
}

/** Short requests that wait for the end of a round: their clients are far from being as many. */
const MAX_WAITING_SHORT = 1_024

type Params = readonly unknown[]

/** Requests that run code: so many at once on this thread, and what takes long in another one where there is one for it. */
export class CodeRunner {
  readonly #slots: CallSlots
  readonly #offload: Offload | undefined
  readonly #burstLine: BurstQueue | undefined

  constructor(options: { readonly limit: number; readonly maxWaiting: number }, { offload, clock }: CodeRunnerDeps) {
    this.#slots = new CallSlots(options)
    this.#offload = offload
    const threads = offload?.bursts
    const now = () => clock.monotonic()
    this.#burstLine =
      threads && new BurstQueue({ maxWaiting: MAX_WAITING_SHORT }, { threads, now, nextRound: setImmediate })
  }

  /**
   * @throws RpcError what the method throws, or that too many wait
   * @throws ClientGoneError
   */
  run(method: Method, params: Params, context: RequestContext): MethodResult | Promise<MethodResult> {
    const offload = this.#offload
    if (offload === undefined) return this.#runHere(method, params, context)
    if (method.takesLong) return this.#runOffloaded(offload, method, params, context)
    const text = method.comesInBursts ? context.smallText : undefined
    const { head } = context.view
    return text === undefined || this.#burstLine === undefined
      ? this.#runMovable(offload, method, params, context)
      : this.#burstLine.answer({
          forThread: { sequence: head.sequence, sealed: head.sealed, text },
          here: () => this.#runMovable(offload, method, params, context),
          long: () => this.#runOffloaded(offload, method, params, context),
          checkClient: () => checkClient(context),
        })
  }

  /** Here, and from its second slice on in another thread that is free. */
  #runMovable(
    offload: Offload,
    method: Method,
    params: Params,
    context: RequestContext,
  ): MethodResult | Promise<MethodResult> {
    const goOn = (error: unknown) => {
      if (!(error instanceof HandedOver)) throw error
      return this.#runOffloaded(offload, method, params, context)
    }
    try {
      const answer = this.#runHere(method, params, context.movable(offload))
      return answer instanceof Promise ? answer.catch(goOn) : answer
    } catch (error) {
      return goOn(error)
    }
  }

  async #runOffloaded(
    offload: Offload,
    method: Method,
    params: Params,
    context: RequestContext,
  ): Promise<MethodResult> {
    const ready = await offload.run(offloadedRequest(context.view, method.name, params), context)
    return ready ?? this.#runHere(method, params, context)
  }

  #runHere(method: Method, params: Params, context: RequestContext): MethodResult | Promise<MethodResult> {
    const entered = this.#slots.enter()
    if (entered === true) return this.#runEntered(method, params, context)
    return entered.then(() => {
      try {
        checkClient(context)
      } catch (error) {
        this.#slots.leave()
        throw error
      }
      return this.#runEntered(method, params, context)
    })
  }

  /** It has a slot, and gives it back when it is answered. */
  #runEntered(method: Method, params: Params, context: RequestContext): MethodResult | Promise<MethodResult> {
    let answer: MethodResult | Promise<MethodResult>
    try {
      answer = method.call(params, context)
    } catch (error) {
      this.#slots.leave()
      throw error
    }
    if (answer instanceof Promise) return answer.finally(() => this.#slots.leave())
    this.#slots.leave()
    return answer
  }
}

function checkClient(context: RequestContext): void {
  if (context.isGone()) throw new ClientGoneError('the client is gone')
}
