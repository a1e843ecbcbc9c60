import type { View } from '../../node/core/view.ts'
import type { ConnectionScope } from '../connection-scope.ts'
import type { RpcOptions, RpcParts } from '../context.ts'
import { answerTooLarge, RPC_CODES, RpcError, rateLimited, tooMuchAtOnce } from '../errors.ts'
import { FilterSet } from '../filters/filter-set.ts'
import { ReadyLogs } from '../logs/memoized-logs.ts'
import { type Answer, answerText, ReadyJson } from '../memoized/encoded-json.ts'
import { ReadyBlocks } from '../memoized/memoized-blocks.ts'
import { TipOracle } from '../queries/tip-oracle.ts'
import type { Method } from '../registry/method.ts'
import type { MethodSet } from '../registry/method-set.ts'
import { ANYBODY, type RpcClient } from '../rpc-client.ts'
import { CodeRuns } from '../scheduling/code-runner.ts'
import { HandedOver } from '../scheduling/offload.ts'
import { nextRound, TurnQueue } from '../scheduling/run-queue.ts'
import { ClientGoneError, timeSlices, turns } from '../scheduling/time-slices.ts'
import { BatchAnswers } from './batch-response.ts'
import { type Envelope, errorText, NO_ID, type RequestId, resultText } from './envelope.ts'
import { type Requests, readRequests } from './parse-requests.ts'
import { type Origin, RequestContext, type Surroundings } from './request-context.ts'
import { AssembledBytes, type Assembly } from './response-memory.ts'
import { thrownError } from './thrown-error.ts'

/** Sends of a batch that begin together, the next when all of these are answered: a thousand would take everybody's room. */
const MAX_TOGETHER = 64
/** Characters of a request that takes no time to copy. */
const SMALL = 64 * 1024

/** An item of a batch, or a request that came alone. */
interface Request {
  readonly envelope: Envelope
  readonly origin: Origin
  /** `undefined`: there is no such method. */
  readonly method: Method | undefined
}

/** What requests are answered from, one after the other. */
interface Sight {
  /** Kept until they are answered. */
  readonly view: View
  /** Answers without parameters, which are the same for every item of a batch. */
  readonly known: Map<Method, ReadyJson> | undefined
  /** Milliseconds on the monotonic clock, when the last of them was answered. */
  now: number
}

/** A request that is worked on. */
interface Item {
  readonly request: Request
  readonly sight: Sight
  readonly name: string
  readonly id: RequestId | undefined
  /** Milliseconds on the monotonic clock. */
  readonly start: number
}

/** At once wherever nothing has to be waited for: most requests are answered in less than a promise takes. */
type Late<T> = T | Promise<T>

/**
 * Answers requests and batches. One view is captured for each, and an item that writes renews it for the items after
 * it (design section 3). Nothing it is given makes it throw.
 */
export class Dispatcher {
  /** Shared with the subscriptions. */
  readonly ready: ReadyBlocks
  readonly #queue: TurnQueue
  readonly #codeRuns: CodeRuns
  readonly #methods: MethodSet
  readonly #reading: Parameters<typeof readRequests>[1]
  readonly #options: RpcOptions
  readonly #parts: RpcParts
  readonly #surroundings: Surroundings

  /** @param methods of requests that came without a connection; those of a connection are in its scope */
  constructor(methods: MethodSet, options: RpcOptions, parts: RpcParts) {
    this.ready = new ReadyBlocks({ config: parts.node.config, maxBytes: options.maxReadyBytes })
    const readyLogs = new ReadyLogs({ maxBytes: options.maxReadyLogBytes / 2 })
    this.#queue = new TurnQueue({ now: () => parts.clock.monotonic(), nextRound })
    this.#codeRuns = new CodeRuns({ limit: options.maxRunningCalls, maxWaiting: options.maxWaitingCalls }, parts)
    const assembled = new AssembledBytes({ limit: options.maxAssembledBytes })
    this.#methods = methods
    this.#reading = { maxNesting: options.maxNesting, nameOf: (written) => methods.get(written)?.name }
    this.#options = options
    this.#parts = parts
    const tips = new TipOracle({ defaultTip: options.defaultTip })
    const filters = new FilterSet(options.filters, { ...parts, now: () => parts.clock.monotonic() })
    this.#surroundings = { ...parts, options, tips, ready: this.ready, readyLogs, filters, methods, assembled }
  }

  /**
   * The answer to a JSON text, or `undefined` where there is none: a notification, or a batch of them, or nobody is
   * there any more to read it.
   *
   * @param connection that stays, where there is one
   */
  answer(text: string, client: RpcClient = ANYBODY, connection?: ConnectionScope): Late<string | undefined> {
    const requests = readRequests(text, this.#reading)
    if (requests instanceof RpcError) return this.#unreadable(requests, client)
    const { clock } = this.#parts
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
  ): Late<string | undefined> {
    const turn = turns(this.#parts.clock, this.#queue, client, now)
    const smallText = requests.isBatch || text.length > SMALL ? undefined : text
    const origin: Origin = { turn, client, connection, smallText, assembly: undefined }
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
   * @param parts.methods all of those that it may be of
   * @param parts.client who waits for it
   * @throws RpcError
   * @throws ClientGoneError
   */
  async run(
    view: View,
    method: string,
    params: readonly unknown[],
    { methods = this.#methods, client = ANYBODY }: { readonly methods?: MethodSet; readonly client?: RpcClient } = {},
  ): Promise<Answer> {
    const turn = turns(this.#parts.clock, this.#queue, client)
    const origin: Origin = { turn, client, connection: undefined, smallText: undefined, assembly: undefined }
    try {
      return await this.#callMethod(methods.get(method), method, params, this.#context(view, origin))
    } catch (error) {
      if (error instanceof ClientGoneError || error instanceof HandedOver) throw error
      throw this.#toRpcError(error, method)
    } finally {
      origin.assembly?.end()
    }
  }

  #capture({ isBatch }: { readonly isBatch: boolean }, now = this.#parts.clock.monotonic()): Sight {
    const view = this.#parts.node.view()
    view.retain()
    return { view, known: isBatch ? new Map() : undefined, now }
  }

  /** Reading it was work too. */
  #unreadable(error: RpcError, client: RpcClient): string {
    const refused = limited(client.charge(1)) ?? error
    this.#parts.monitor?.answered(undefined, 0, refused, { client, id: undefined })
    return errorText(NO_ID, refused)
  }

  #answerAlone(request: Request, now: number): Late<string | undefined> {
    const sight = this.#capture({ isBatch: false }, now)
    const end = () => {
      sight.view.release()
      request.origin.assembly?.end()
    }
    let answer: Late<string | undefined>
    try {
      answer = this.#answerItem(request, sight)
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

  async #answerBatch({ size, envelope }: Requests, origin: Origin): Promise<string | undefined> {
    const { maxBatchItems, batchTimeout } = this.#options
    const { turn, client } = origin
    const refuse = (message: string) => this.#unreadable(new RpcError(RPC_CODES.invalidRequest, message), client)
    if (size === 0) return refuse('empty batch')
    if (size > maxBatchItems) return refuse(`batch too large, want at most ${maxBatchItems}`)
    const hasTime = timeSlices(this.#parts.clock, batchTimeout, turn)
    const assembly = this.#surroundings.assembled.begin()
    origin.assembly = assembly
    const answers = new BatchAnswers(assembly)
    let sight = this.#capture({ isBatch: true })
    const renew = () => {
      sight.view.release()
      sight = this.#capture({ isBatch: true })
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
        const inTime = hasTime(sight.now)
        const isInTime = inTime instanceof Promise ? await inTime : inTime
        if (inTime instanceof Promise) sight.now = this.#parts.clock.monotonic()
        if (client.isGone()) return undefined
        const refusal = this.#batchRefusal({ isInTime, answers, assembly })
        const answer = refusal === undefined ? this.#answerItem(request, sight) : this.#refuse(request, refusal)
        if (runsTogether && answer instanceof Promise) {
          answers.addLate(answer)
          // To begin it was work too.
          sight.now = this.#parts.clock.monotonic()
        } else {
          answers.add(answer instanceof Promise ? await answer : answer)
          if (method?.writes === true && refusal === undefined && !answers.areLate) renew()
        }
      }
      if (answers.areLate) await answers.settle()
    } finally {
      // What was begun goes on, on its view, also where nobody is there any more to be answered.
      if (answers.areLate) await answers.settle().catch(() => undefined)
      sight.view.release()
      assembly.end()
    }
    return answers.text
  }

  /** Why an item of a batch is not worked on any more. */
  #batchRefusal(batch: { readonly isInTime: boolean; readonly answers: BatchAnswers; readonly assembly: Assembly }) {
    const { isInTime, answers, assembly } = batch
    if (!isInTime) return new RpcError(RPC_CODES.timedOut, 'request timed out')
    if (answers.size > this.#options.maxBatchBytes) {
      return new RpcError(RPC_CODES.responseTooLarge, 'response too large')
    }
    return assembly.hasRoom() ? undefined : tooMuchAtOnce()
  }

  #request(envelope: Envelope, origin: Origin): Request {
    const methods = origin.connection?.methods ?? this.#methods
    return { envelope, origin, method: envelope.kind === 'request' ? methods.get(envelope.method) : undefined }
  }

  #answerItem(request: Request, sight: Sight): Late<string | undefined> {
    const { envelope, origin, method } = request
    const refused = limited(origin.client.charge(method?.cost ?? 1))
    if (refused !== undefined) return this.#refuse(request, refused)
    if (envelope.kind === 'invalid') {
      return this.#refuse(request, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const item = { request, sight, name: envelope.method, id: envelope.id, start: sight.now }
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
  #known({ sight: { view, known }, request }: Item, params: unknown): ReadyJson | undefined {
    const { method } = request
    if (known === undefined || method?.isSameInView !== true) return undefined
    if (!Array.isArray(params) || params.length > 0) return undefined
    const before = known.get(method)
    if (before !== undefined) return before
    const answer = method.call(params, this.#context(view, request.origin))
    if (answer instanceof Promise) return undefined
    const ready = new ReadyJson(answerText(answer))
    known.set(method, ready)
    return ready
  }

  #finish(item: Item, result: Answer): string | undefined {
    try {
      return this.#succeed(item, result)
    } catch (error) {
      return this.#fail(item, error)
    }
  }

  /** @throws RpcError the answer is too large */
  #succeed(item: Item, result: Answer): string | undefined {
    // A notification's result is nobody's.
    const answer = item.id === undefined ? undefined : this.#bounded(resultText(item.id, result))
    this.#tell(item, undefined)
    return answer
  }

  /** @throws ClientGoneError */
  #fail(item: Item, error: unknown): string | undefined {
    if (error instanceof ClientGoneError) throw error
    const failure = this.#toRpcError(error, item.name)
    this.#tell(item, failure)
    return item.id === undefined ? undefined : errorText(item.id, failure)
  }

  #tell({ request, sight, id, start }: Item, failure: RpcError | undefined): void {
    const { monitor, clock } = this.#parts
    sight.now = clock.monotonic()
    const { method, origin } = request
    monitor?.answered(method?.name, sight.now - start, failure, { client: origin.client, id })
  }

  /** An item that is not worked on. */
  #refuse(request: Request, error: RpcError): string | undefined {
    const { envelope, origin, method } = request
    const { client } = origin
    const { id } = envelope
    this.#parts.monitor?.answered(method?.name, 0, error, { client, id })
    return id === undefined ? undefined : errorText(id, error)
  }

  /** An answer must not take the node's memory, nor the client's. */
  #bounded(text: string): string {
    const { maxAnswerBytes } = this.#options
    if (text.length <= maxAnswerBytes) return text
    throw answerTooLarge(maxAnswerBytes, text.length)
  }

  #call({ name, sight, request }: Item, params: unknown): Late<Answer> {
    return this.#callMethod(request.method, name, params, this.#context(sight.view, request.origin))
  }

  #callMethod(method: Method | undefined, name: string, params: unknown, context: RequestContext): Late<Answer> {
    if (method === undefined) throw context.methods.missing(name)
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    // What a process keeps of a client, it writes.
    const elsewhere = method.writes ? this.#parts.elsewhere?.answer(name, params) : undefined
    if (elsewhere !== undefined) return elsewhere
    return method.runsCode || method.takesLong
      ? this.#codeRuns.run(method, params, context)
      : method.call(params, context)
  }

  #context(view: View, origin: Origin): RequestContext {
    return new RequestContext(view, origin, this.#surroundings)
  }

  #toRpcError(error: unknown, method: string): RpcError {
    const expected = thrownError(error, this.#options)
    if (expected !== undefined) return expected
    this.#parts.log.error({ err: error, method }, 'a JSON-RPC method failed unexpectedly')
    return new RpcError(RPC_CODES.internal, 'internal error')
  }
}

function limited(wait: number): RpcError | undefined {
  return wait === 0 ? undefined : rateLimited(wait)
}
