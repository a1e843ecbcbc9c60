import { ExecutionStoppedError, type MayContinue } from '../engine/types.ts'
import type { View } from '../node/view.ts'
import { CallSlots } from './call-slots.ts'
import type { ConnectionScope } from './connection-scope.ts'
import type { RpcOptions, RpcParts, WriteContext } from './context.ts'
import { type Envelope, errorText, NO_ID, readEnvelope, resultText } from './envelope.ts'
import { executionTimeout, RPC_CODES, RpcError, rateLimited } from './errors.ts'
import { FilterSet } from './filters/filter-set.ts'
import type { Method } from './method.ts'
import type { MethodSet } from './method-set.ts'
import { nestsDeeperThan } from './nesting.ts'
import { HandedOver, handingOver, offloadedRequest } from './offload.ts'
import { ReadyBlocks } from './ready/ready-blocks.ts'
import type { Answer } from './ready/ready-json.ts'
import { ReadyLogs } from './ready/ready-logs.ts'
import { numericIds } from './request-ids.ts'
import { ANYBODY, type RpcClient } from './rpc-client.ts'
import { ClientGoneError, type Turns, timeSlices, turns } from './time-slices.ts'
import { TipOracle } from './tip-oracle.ts'
import { nextRound, TurnQueue } from './turn-queue.ts'
import { ALONE } from './waits.ts'

/** An item of a batch, or a request that came alone. */
interface Request {
  readonly envelope: Envelope
  readonly turn: Turns
  readonly client: RpcClient
  readonly connection: ConnectionScope | undefined
}

type EnvelopeReader = (item: unknown, position: number) => Envelope

/**
 * Answers requests and batches. One view is captured for each, and an item that writes renews it for the items after
 * it (design section 3). Nothing it is given makes it throw.
 */
export class Dispatcher {
  /** Shared with the subscriptions. */
  readonly ready: ReadyBlocks
  readonly #readyLogs: ReadyLogs
  readonly #queue: TurnQueue
  readonly #calls: CallSlots
  readonly #methods: MethodSet
  readonly #options: RpcOptions
  readonly #parts: RpcParts
  readonly #tips: TipOracle
  readonly #filters: FilterSet

  /** @param methods of requests that came without a connection; those of a connection are in its scope */
  constructor(methods: MethodSet, options: RpcOptions, parts: RpcParts) {
    this.ready = new ReadyBlocks({ config: parts.node.config, maxBytes: options.maxReadyBytes })
    this.#readyLogs = new ReadyLogs({ maxBytes: options.maxReadyLogBytes })
    this.#queue = new TurnQueue({ now: () => parts.clock.monotonic(), nextRound })
    this.#calls = new CallSlots({ limit: options.maxRunningCalls, maxWaiting: options.maxWaitingCalls })
    this.#methods = methods
    this.#options = options
    this.#parts = parts
    this.#tips = new TipOracle({ defaultTip: options.defaultTip })
    this.#filters = new FilterSet(options.filters, { ...parts, now: () => parts.clock.monotonic() })
  }

  /**
   * The answer to a JSON text, or `undefined` where there is none: a notification, or a batch of them, or nobody is
   * there any more to read it.
   *
   * @param connection that stays, where there is one
   */
  async answer(text: string, client: RpcClient = ANYBODY, connection?: ConnectionScope): Promise<string | undefined> {
    const parsed = this.#parse(text)
    if (parsed instanceof RpcError) return this.#unreadable(parsed, client)
    const envelopes = readEnvelopes(text)
    await this.#queue.begin()
    const turn = turns(this.#parts.clock, this.#queue, client)
    try {
      if (Array.isArray(parsed)) return await this.#answerBatch(parsed, envelopes, { turn, client, connection })
      const view = this.#capture()
      try {
        return await this.#answerItem({ envelope: envelopes(parsed, 0), turn, client, connection }, view)
      } finally {
        view.release()
      }
    } catch (error) {
      if (error instanceof ClientGoneError) return undefined
      throw error
    }
  }

  /**
   * The result of one request on a view that the caller keeps.
   *
   * @throws RpcError
   */
  async run(view: View, method: string, params: readonly unknown[]): Promise<Answer> {
    const envelope: Envelope = { kind: 'request', id: undefined, method, params }
    const turn = turns(this.#parts.clock, this.#queue)
    const request: Request = { envelope, turn, client: ANYBODY, connection: undefined }
    try {
      return await this.#call(this.#methods.get(method), method, params, this.#context(view, request))
    } catch (error) {
      throw this.#toRpcError(error, method)
    }
  }

  /** The view of a request, kept until it is answered. */
  #capture(): View {
    const view = this.#parts.node.view()
    view.retain()
    return view
  }

  #parse(text: string): unknown {
    if (nestsDeeperThan(text, this.#options.maxNesting)) {
      const { maxNesting } = this.#options
      return new RpcError(RPC_CODES.invalidRequest, `invalid request: nested deeper than ${maxNesting} levels`)
    }
    try {
      return JSON.parse(text)
    } catch {
      return new RpcError(RPC_CODES.parse, 'parse error')
    }
  }

  /** Reading it was work too. */
  #unreadable(error: RpcError, client: RpcClient): string {
    const refused = limited(client.charge(1)) ?? error
    this.#parts.monitor?.answered(undefined, 0, refused, { client, id: undefined })
    return errorText(NO_ID, refused)
  }

  async #answerBatch(
    items: readonly unknown[],
    envelopes: EnvelopeReader,
    origin: Omit<Request, 'envelope'>,
  ): Promise<string | undefined> {
    const { maxBatchItems, maxBatchBytes, batchTimeout } = this.#options
    const { turn, client } = origin
    const refuse = (message: string) => this.#unreadable(new RpcError(RPC_CODES.invalidRequest, message), client)
    if (items.length === 0) return refuse('empty batch')
    if (items.length > maxBatchItems) return refuse(`batch too large, want at most ${maxBatchItems}`)
    const hasTime = timeSlices(this.#parts.clock, batchTimeout, turn)
    const answers: string[] = []
    let size = 0
    let view = this.#capture()
    try {
      for (const [position, item] of items.entries()) {
        const request = { ...origin, envelope: envelopes(item, position) }
        const isInTime = await hasTime()
        if (client.isGone()) return undefined
        let answer: string | undefined
        if (!isInTime) answer = this.#refuse(request, new RpcError(RPC_CODES.timedOut, 'request timed out'))
        else if (size > maxBatchBytes) {
          answer = this.#refuse(request, new RpcError(RPC_CODES.responseTooLarge, 'response too large'))
        } else {
          answer = await this.#answerItem(request, view)
          if (this.#methodOf(request)?.writes) {
            view.release()
            view = this.#capture()
          }
        }
        if (answer === undefined) continue
        answers.push(answer)
        size += answer.length
      }
    } finally {
      view.release()
    }
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`
  }

  #methodOf({ envelope, connection }: Request): Method | undefined {
    return envelope.kind === 'request' ? (connection?.methods ?? this.#methods).get(envelope.method) : undefined
  }

  async #answerItem(request: Request, view: View): Promise<string | undefined> {
    const { envelope, client } = request
    const method = this.#methodOf(request)
    const refused = limited(client.charge(method?.cost ?? 1))
    if (refused !== undefined) return this.#refuse(request, refused)
    if (envelope.kind === 'invalid') {
      return this.#refuse(request, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const { id, method: name, params } = envelope
    const { monitor, clock } = this.#parts
    const start = clock.monotonic()
    let answer: string | undefined
    let failure: RpcError | undefined
    try {
      const result = await this.#call(method, name, params, this.#context(view, request))
      // A notification's result is nobody's.
      if (id !== undefined) answer = this.#bounded(resultText(id, result))
    } catch (error) {
      if (error instanceof ClientGoneError) throw error
      failure = this.#toRpcError(error, name)
      answer = id === undefined ? undefined : errorText(id, failure)
    }
    monitor?.answered(method?.name, clock.monotonic() - start, failure, { client, id })
    return answer
  }

  /** An item that is not worked on. */
  #refuse(request: Request, error: RpcError): string | undefined {
    const { client, envelope } = request
    const { id } = envelope
    this.#parts.monitor?.answered(this.#methodOf(request)?.name, 0, error, { client, id })
    return id === undefined ? undefined : errorText(id, error)
  }

  /** An answer must not take the node's memory, nor the client's. */
  #bounded(text: string): string {
    const { maxAnswerBytes } = this.#options
    if (text.length <= maxAnswerBytes) return text
    throw new RpcError(
      RPC_CODES.responseTooLarge,
      `response too large: ${text.length} bytes, at most ${maxAnswerBytes}; ask for less at once`,
    )
  }

  async #call(method: Method | undefined, name: string, params: unknown, context: WriteContext): Promise<Answer> {
    if (method === undefined) throw context.methods.missing(name)
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    const { offload } = this.#parts
    if (offload === undefined) return this.#run(method, params, context)
    try {
      if (!method.takesLong) return await this.#run(method, params, context)
    } catch (error) {
      if (!(error instanceof HandedOver)) throw error
    }
    const ready = await offload.run(offloadedRequest(context.view, name, params))
    return ready ?? this.#run(method, params, { ...context, mayContinue: this.#slices(context.turn) })
  }

  #run(method: Method, params: readonly unknown[], context: WriteContext): Answer | Promise<Answer> {
    return method.runsCode || method.takesLong ? this.#runCode(method, params, context) : method.call(params, context)
  }

  async #runCode(method: Method, params: readonly unknown[], context: WriteContext): Promise<Answer> {
    const entered = this.#calls.enter()
    if (entered !== true) await entered
    try {
      return await method.call(params, context)
    } finally {
      this.#calls.leave()
    }
  }

  #slices(turn: Turns): MayContinue {
    return timeSlices(this.#parts.clock, this.#options.callTimeout, turn)
  }

  #context(view: View, { turn, connection, client }: Request): WriteContext {
    const { node, clock, offload } = this.#parts
    const slices = this.#slices(turn)
    return {
      view,
      config: node.config,
      engine: node.engine,
      blockTime: node.blockTime,
      slots: node.slots,
      gasLimit: node.gasLimit,
      options: this.#options,
      tips: this.#tips,
      ready: this.ready,
      readyLogs: this.#readyLogs,
      turn,
      mayContinue: offload === undefined ? slices : handingOver(slices, clock, offload),
      now: () => clock.monotonic(),
      methods: connection?.methods ?? this.#methods,
      node,
      clock,
      subscriptions: connection?.subscriptions,
      waits: connection?.waits ?? ALONE,
      filters: this.#filters,
      client: client.address,
    }
  }

  #toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error
    if (error instanceof ExecutionStoppedError) return executionTimeout(this.#options.callTimeout)
    if (isHistoryPruned(error)) return new RpcError(RPC_CODES.historyPruned, 'pruned history unavailable')
    this.#parts.log.error({ err: error, method }, 'a JSON-RPC method failed unexpectedly')
    return new RpcError(RPC_CODES.internal, 'internal error')
  }
}

/** Ids are looked up in the text at most once, and only where one could have been rounded. */
function readEnvelopes(text: string): EnvelopeReader {
  let written: ReadonlyMap<number, string> | undefined
  return (item, position) =>
    readEnvelope(item, () => {
      written ??= numericIds(text)
      return written.get(position)
    })
}

function limited(wait: number): RpcError | undefined {
  return wait === 0 ? undefined : rateLimited(wait)
}

/** The state that a request asked for is not kept any more; blocks, receipts and logs are. */
function isHistoryPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HISTORY_PRUNED'
}
