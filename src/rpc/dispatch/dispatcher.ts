import type { View } from '../../node/core/view.ts'
import type { RpcDeps, RpcOptions } from '../context.ts'
import { outOfResponseMemory, RPC_CODES, RpcError, rateLimited, responseTooLarge } from '../errors.ts'
import { FilterSet } from '../filters/filter-set.ts'
import { MemoizedLogs } from '../logs/memoized-logs.ts'
import { EncodedJson, type MethodResult, resultJson } from '../memoized/encoded-json.ts'
import { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import { TipOracle } from '../queries/tip-oracle.ts'
import type { Method } from '../registry/method.ts'
import type { MethodSet } from '../registry/method-set.ts'
import { ANONYMOUS, type RpcClient } from '../rpc-client.ts'
import { CodeRunner } from '../scheduling/code-runner.ts'
import { HandedOver } from '../scheduling/offload.ts'
import { nextRound, RunQueue } from '../scheduling/run-queue.ts'
import { ClientGoneError, createYield, timeSlices } from '../scheduling/time-slices.ts'
import { BatchResponse } from './batch-response.ts'
import { type Envelope, errorResponse, NO_ID, type RequestId, resultResponse } from './envelope.ts'
import { parseRequests, type Requests } from './parse-requests.ts'
import { type ConnectionScope, RequestContext, type RequestOrigin, type SharedContext } from './request-context.ts'
import { ResponseMemory, type ResponseReservation } from './response-memory.ts'
import { toRpcError } from './thrown-error.ts'

/** Sends of a batch that begin together, the next when all of these are answered: a thousand would take everybody's room. */
const MAX_TOGETHER = 64
/** Characters of a request that takes no time to copy. */
const SMALL = 64 * 1024

/** An item of a batch, or a request that came alone. */
interface Request {
  readonly envelope: Envelope
  readonly origin: RequestOrigin
  /** `undefined`: there is no such method. */
  readonly method: Method | undefined
}

/** What requests are answered from, one after the other. */
interface RequestScope {
  /** Kept until they are answered. */
  readonly view: View
  /** Answers without parameters, which are the same for every item of a batch. */
  readonly known: Map<Method, EncodedJson> | undefined
  /** Milliseconds on the monotonic clock, when the last of them was answered. */
  now: number
}

/** A request that is worked on. */
interface Item {
  readonly request: Request
  readonly scope: RequestScope
  readonly name: string
  readonly id: RequestId | undefined
  /** Milliseconds on the monotonic clock. */
  readonly start: number
}

/** At once wherever nothing has to be waited for: most requests are answered in less than a promise takes. */
type MaybePromise<T> = T | Promise<T>

/**
 * Answers requests and batches. One view is captured for each, and an item that writes renews it for the items after
 * it (design section 3). Nothing it is given makes it throw.
 */
export class Dispatcher {
  /** Shared with the subscriptions. */
  readonly ready: MemoizedBlocks
  readonly #queue: RunQueue
  readonly #codeRunner: CodeRunner
  readonly #methods: MethodSet
  readonly #reading: Parameters<typeof parseRequests>[1]
  readonly #options: RpcOptions
  readonly #deps: RpcDeps
  readonly #shared: SharedContext

  /** @param methods of requests that came without a connection; those of a connection are in its scope */
  constructor(methods: MethodSet, options: RpcOptions, deps: RpcDeps) {
    this.ready = new MemoizedBlocks({ config: deps.node.config, maxBytes: options.maxReadyBytes })
    const memoizedLogs = new MemoizedLogs({ maxBytes: options.maxReadyLogBytes / 2 })
    this.#queue = new RunQueue({ now: () => deps.clock.monotonic(), nextRound })
    this.#codeRunner = new CodeRunner({ limit: options.maxRunningCalls, maxWaiting: options.maxWaitingCalls }, deps)
    const assembled = new ResponseMemory({ limit: options.maxAssembledBytes })
    this.#methods = methods
    this.#reading = { maxNesting: options.maxNesting, nameOf: (written) => methods.get(written)?.name }
    this.#options = options
    this.#deps = deps
    const tips = new TipOracle({ defaultTip: options.defaultTip })
    const filters = new FilterSet(options.filters, { ...deps, now: () => deps.clock.monotonic() })
    this.#shared = { ...deps, options, tips, ready: this.ready, memoizedLogs, filters, methods, assembled }
  }

  /**
   * The answer to a JSON text, or `undefined` where there is none: a notification, or a batch of them, or nobody is
   * there any more to read it.
   *
   * @param connection that stays, where there is one
   */
  answer(text: string, client: RpcClient = ANONYMOUS, connection?: ConnectionScope): MaybePromise<string | undefined> {
    const requests = parseRequests(text, this.#reading)
    if (requests instanceof RpcError) return this.#unreadable(requests, client)
    const { clock } = this.#deps
    const now = clock.monotonic()
    const begun = this.#queue.begin(now)
    if (begun === true) return this.#answerRequests(requests, text, now, client, connection)
    // It may have waited for long, until after the node stopped.
    return begun.then(() =>
      client.isGone() ? undefined : this.#answerRequests(requests, text, clock.monotonic(), client, connection),
    )
  }

  #answerRequests(
    requests: Requests,
    text: string,
    now: number,
    client: RpcClient,
    connection: ConnectionScope | undefined,
  ): MaybePromise<string | undefined> {
    const yieldIfDue = createYield(this.#deps.clock, this.#queue, client, now)
    const smallText = requests.isBatch || text.length > SMALL ? undefined : text
    const origin: RequestOrigin = { yieldIfDue, client, connection, smallText, assembly: undefined }
    const answer = requests.isBatch
      ? this.#answerBatch(requests, origin)
      : this.#answerAlone(this.#request(requests.envelope(0), origin), now)
    if (!(answer instanceof Promise)) return answer
    return answer.catch((error: unknown) => {
      if (error instanceof ClientGoneError) return undefined
      throw error
    })
  }

  /**
   * The result of one request on a view that the caller keeps.
   *
   * @param deps.methods all of those that it may be of
   * @param deps.client who waits for it
   * @throws RpcError
   * @throws ClientGoneError
   */
  async run(
    view: View,
    method: string,
    params: readonly unknown[],
    { methods = this.#methods, client = ANONYMOUS }: { readonly methods?: MethodSet; readonly client?: RpcClient } = {},
  ): Promise<MethodResult> {
    const yieldIfDue = createYield(this.#deps.clock, this.#queue, client)
    const origin: RequestOrigin = {
      yieldIfDue,
      client,
      connection: undefined,
      smallText: undefined,
      assembly: undefined,
    }
    try {
      return await this.#callMethod(methods.get(method), method, params, this.#context(view, origin))
    } catch (error) {
      if (error instanceof ClientGoneError || error instanceof HandedOver) throw error
      throw this.#toRpcError(error, method)
    } finally {
      origin.assembly?.end()
    }
  }

  #capture({ isBatch }: { readonly isBatch: boolean }, now = this.#deps.clock.monotonic()): RequestScope {
    const view = this.#deps.node.view()
    view.retain()
    return { view, known: isBatch ? new Map() : undefined, now }
  }

  /** Reading it was work too. */
  #unreadable(error: RpcError, client: RpcClient): string {
    const refused = limited(client.charge(1)) ?? error
    this.#deps.monitor?.answered(undefined, 0, refused, { client, id: undefined })
    return errorResponse(NO_ID, refused)
  }

  #answerAlone(request: Request, now: number): MaybePromise<string | undefined> {
    const scope = this.#capture({ isBatch: false }, now)
    const end = () => {
      scope.view.release()
      request.origin.assembly?.end()
    }
    let answer: MaybePromise<string | undefined>
    try {
      answer = this.#answerItem(request, scope)
    } catch (error) {
      end()
      throw error
    }
    if (answer instanceof Promise) {
      // What `finally` does, without its three promises more.
      return answer.then(
        (late) => {
          end()
          return late
        },
        (error: unknown) => {
          end()
          throw error
        },
      )
    }
    end()
    return answer
  }

  async #answerBatch({ size, envelope }: Requests, origin: RequestOrigin): Promise<string | undefined> {
    const { maxBatchItems, batchTimeout } = this.#options
    const { yieldIfDue, client } = origin
    const refuse = (message: string) => this.#unreadable(new RpcError(RPC_CODES.invalidRequest, message), client)
    if (size === 0) return refuse('empty batch')
    if (size > maxBatchItems) return refuse(`batch too large, want at most ${maxBatchItems}`)
    const hasTime = timeSlices(this.#deps.clock, batchTimeout, yieldIfDue)
    const assembly = this.#shared.assembled.begin()
    origin.assembly = assembly
    const answers = new BatchResponse(assembly)
    let scope = this.#capture({ isBatch: true })
    const renew = () => {
      scope.view.release()
      scope = this.#capture({ isBatch: true })
    }
    try {
      for (let position = 0; position < size; position++) {
        const request = this.#request(envelope(position), origin)
        const { method } = request
        const runsTogether = method?.runsTogether === true
        if (answers.areLate && (!runsTogether || answers.waiting >= MAX_TOGETHER)) {
          await answers.settle()
          renew()
        }
        const inTime = hasTime(scope.now)
        const isInTime = inTime instanceof Promise ? await inTime : inTime
        if (inTime instanceof Promise) scope.now = this.#deps.clock.monotonic()
        if (client.isGone()) return undefined
        const refusal = this.#batchRefusal({ isInTime, answers, assembly })
        const answer = refusal === undefined ? this.#answerItem(request, scope) : this.#refuse(request, refusal)
        if (runsTogether && answer instanceof Promise) {
          answers.addLate(answer)
          // To begin it was work too.
          scope.now = this.#deps.clock.monotonic()
        } else {
          answers.add(answer instanceof Promise ? await answer : answer)
          if (method?.writes === true && refusal === undefined && !answers.areLate) renew()
        }
      }
      if (answers.areLate) await answers.settle()
    } finally {
      // What was begun goes on, on its view, also where nobody is there any more to be answered.
      if (answers.areLate) await answers.settle().catch(() => undefined)
      scope.view.release()
      assembly.end()
    }
    return answers.text
  }

  /** Why an item of a batch is not worked on any more. */
  #batchRefusal(batch: {
    readonly isInTime: boolean
    readonly answers: BatchResponse
    readonly assembly: ResponseReservation
  }) {
    const { isInTime, answers, assembly } = batch
    if (!isInTime) return new RpcError(RPC_CODES.timedOut, 'request timed out')
    if (answers.size > this.#options.maxBatchBytes) {
      return new RpcError(RPC_CODES.responseTooLarge, 'response too large')
    }
    return assembly.hasRoom() ? undefined : outOfResponseMemory()
  }

  #request(envelope: Envelope, origin: RequestOrigin): Request {
    const methods = origin.connection?.methods ?? this.#methods
    return { envelope, origin, method: envelope.kind === 'request' ? methods.get(envelope.method) : undefined }
  }

  #answerItem(request: Request, scope: RequestScope): MaybePromise<string | undefined> {
    const { envelope, origin, method } = request
    const refused = limited(origin.client.charge(method?.cost ?? 1))
    if (refused !== undefined) return this.#refuse(request, refused)
    if (envelope.kind === 'invalid') {
      return this.#refuse(request, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const item = { request, scope, name: envelope.method, id: envelope.id, start: scope.now }
    try {
      const result = this.#known(item, envelope.params) ?? this.#call(item, envelope.params)
      if (!(result instanceof Promise)) return this.#succeed(item, result)
      // One promise for both: of thousands a second each costs.
      return result.then(
        (late) => this.#finish(item, late),
        (error: unknown) => this.#fail(item, error),
      )
    } catch (error) {
      return this.#fail(item, error)
    }
  }

  /** Batches ask for the newest block again and again. */
  #known({ scope: { view, known }, request }: Item, params: unknown): EncodedJson | undefined {
    const { method } = request
    if (known === undefined || method?.isSameInView !== true) return undefined
    if (!Array.isArray(params) || params.length > 0) return undefined
    const before = known.get(method)
    if (before !== undefined) return before
    const answer = method.call(params, this.#context(view, request.origin))
    if (answer instanceof Promise) return undefined
    const ready = new EncodedJson(resultJson(answer))
    known.set(method, ready)
    return ready
  }

  #finish(item: Item, result: MethodResult): string | undefined {
    try {
      return this.#succeed(item, result)
    } catch (error) {
      return this.#fail(item, error)
    }
  }

  /** @throws RpcError the answer is too large */
  #succeed(item: Item, result: MethodResult): string | undefined {
    // A notification's result is nobody's.
    const answer = item.id === undefined ? undefined : this.#bounded(resultResponse(item.id, result))
    this.#tell(item, undefined)
    return answer
  }

  /** @throws ClientGoneError */
  #fail(item: Item, error: unknown): string | undefined {
    if (error instanceof ClientGoneError) throw error
    const failure = this.#toRpcError(error, item.name)
    this.#tell(item, failure)
    return item.id === undefined ? undefined : errorResponse(item.id, failure)
  }

  #tell({ request, scope, id, start }: Item, failure: RpcError | undefined): void {
    const { monitor, clock } = this.#deps
    scope.now = clock.monotonic()
    const { method, origin } = request
    monitor?.answered(method?.name, scope.now - start, failure, { client: origin.client, id })
  }

  /** An item that is not worked on. */
  #refuse(request: Request, error: RpcError): string | undefined {
    const { envelope, origin, method } = request
    const { client } = origin
    const { id } = envelope
    this.#deps.monitor?.answered(method?.name, 0, error, { client, id })
    return id === undefined ? undefined : errorResponse(id, error)
  }

  /** An answer must not take the node's memory, nor the client's. */
  #bounded(text: string): string {
    const { maxAnswerBytes } = this.#options
    if (text.length <= maxAnswerBytes) return text
    throw responseTooLarge(maxAnswerBytes, text.length)
  }

  #call({ name, scope, request }: Item, params: unknown): MaybePromise<MethodResult> {
    return this.#callMethod(request.method, name, params, this.#context(scope.view, request.origin))
  }

  #callMethod(
    method: Method | undefined,
    name: string,
    params: unknown,
    context: RequestContext,
  ): MaybePromise<MethodResult> {
    if (method === undefined) throw context.methods.missing(name)
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    // What a process keeps of a client, it writes.
    const forwarder = method.writes ? this.#deps.forwarder?.forward(name, params, context) : undefined
    if (forwarder !== undefined) return forwarder
    return method.runsCode || method.takesLong
      ? this.#codeRunner.run(method, params, context)
      : method.call(params, context)
  }

  #context(view: View, origin: RequestOrigin): RequestContext {
    return new RequestContext(view, origin, this.#shared)
  }

  #toRpcError(error: unknown, method: string): RpcError {
    const expected = toRpcError(error, this.#options)
    if (expected !== undefined) return expected
    this.#deps.log.error({ err: error, method }, 'a JSON-RPC method failed unexpectedly')
    return new RpcError(RPC_CODES.internal, 'internal error')
  }
}

function limited(wait: number): RpcError | undefined {
  return wait === 0 ? undefined : rateLimited(wait)
}
