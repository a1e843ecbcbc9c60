import { ExecutionStoppedError, type MayContinue } from '../engine/types.ts'
import type { View } from '../node/view.ts'
import type { ConnectionScope } from './connection-scope.ts'
import type { RpcOptions, RpcParts, WriteContext } from './context.ts'
import { type Envelope, errorText, NO_ID, readEnvelope, resultText } from './envelope.ts'
import { executionTimeout, RPC_CODES, RpcError } from './errors.ts'
import type { Method } from './method.ts'
import { nestsDeeperThan } from './nesting.ts'
import { HandedOver, handingOver, offloadedRequest } from './offload.ts'
import { ReadyBlocks } from './ready/ready-blocks.ts'
import type { Answer } from './ready/ready-json.ts'
import { numericIds } from './request-ids.ts'
import { type Turns, timeSlices, turns } from './time-slices.ts'
import { TipOracle } from './tip-oracle.ts'
import { TurnQueue } from './turn-queue.ts'
import { ALONE } from './waits.ts'

/** An item of a batch, or a request that came alone. */
interface Request {
  readonly envelope: Envelope
  readonly turn: Turns
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
  readonly #queue: TurnQueue
  readonly #methods: ReadonlyMap<string, Method>
  readonly #options: RpcOptions
  readonly #parts: RpcParts
  readonly #tips: TipOracle

  constructor(methods: ReadonlyMap<string, Method>, options: RpcOptions, parts: RpcParts) {
    this.ready = new ReadyBlocks({ config: parts.node.config, maxBytes: options.maxReadyBytes })
    this.#queue = new TurnQueue({ now: () => parts.clock.monotonic(), nextRound: setImmediate })
    this.#methods = methods
    this.#options = options
    this.#parts = parts
    this.#tips = new TipOracle({ defaultTip: options.defaultTip })
  }

  /**
   * The answer to a JSON text, or `undefined` where there is none: a notification, or a batch of them.
   *
   * @param connection that stays, where there is one
   */
  async answer(text: string, connection?: ConnectionScope): Promise<string | undefined> {
    const parsed = this.#parse(text)
    if (parsed instanceof RpcError) return errorText(NO_ID, parsed)
    const envelopes = readEnvelopes(text)
    if (Array.isArray(parsed)) return this.#answerBatch(parsed, envelopes, connection)
    await this.#queue.begin()
    const turn = turns(this.#parts.clock, this.#queue)
    const view = this.#capture()
    try {
      return await this.#answerItem({ envelope: envelopes(parsed, 0), turn, connection }, view)
    } finally {
      view.release()
    }
  }

  /**
   * The result of one request on a view that the caller keeps.
   *
   * @throws RpcError
   */
  async run(view: View, method: string, params: readonly unknown[]): Promise<Answer> {
    const envelope: Envelope = { kind: 'request', id: undefined, method, params }
    const request: Request = { envelope, turn: turns(this.#parts.clock, this.#queue), connection: undefined }
    try {
      return await this.#call(method, params, this.#context(view, request))
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

  async #answerBatch(
    items: readonly unknown[],
    envelopes: EnvelopeReader,
    connection?: ConnectionScope,
  ): Promise<string | undefined> {
    const { maxBatchItems, maxBatchBytes, batchTimeout } = this.#options
    if (items.length === 0) return errorText(NO_ID, new RpcError(RPC_CODES.invalidRequest, 'empty batch'))
    if (items.length > maxBatchItems) {
      return errorText(NO_ID, new RpcError(RPC_CODES.invalidRequest, `batch too large, want at most ${maxBatchItems}`))
    }
    const { clock } = this.#parts
    await this.#queue.begin()
    const turn = turns(clock, this.#queue)
    const hasTime = timeSlices(clock, batchTimeout, turn)
    const answers: string[] = []
    let size = 0
    let view = this.#capture()
    try {
      for (const [position, item] of items.entries()) {
        const envelope = envelopes(item, position)
        const isInTime = await hasTime()
        if (connection?.isClosed()) return undefined
        let answer: string | undefined
        if (!isInTime) answer = refusal(envelope, RPC_CODES.timedOut, 'request timed out')
        else if (size > maxBatchBytes) answer = refusal(envelope, RPC_CODES.responseTooLarge, 'response too large')
        else {
          answer = await this.#answerItem({ envelope, turn, connection }, view)
          if (this.#writes(envelope)) {
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

  #writes(envelope: Envelope): boolean {
    return envelope.kind === 'request' && this.#methods.get(envelope.method)?.writes === true
  }

  async #answerItem(request: Request, view: View): Promise<string | undefined> {
    const { envelope } = request
    if (envelope.kind === 'invalid') {
      return errorText(envelope.id, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const { id, method, params } = envelope
    try {
      const result = await this.#call(method, params, this.#context(view, request))
      return id === undefined ? undefined : resultText(id, result)
    } catch (error) {
      return id === undefined ? undefined : errorText(id, this.#toRpcError(error, method))
    }
  }

  async #call(name: string, params: unknown, context: WriteContext): Promise<Answer> {
    const method = this.#methods.get(name)
    if (method === undefined) {
      throw new RpcError(RPC_CODES.methodNotFound, `the method ${name.slice(0, 100)} does not exist/is not available`)
    }
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    const { offload } = this.#parts
    if (offload === undefined) return method.call(params, context)
    try {
      if (!method.takesLong) return await method.call(params, context)
    } catch (error) {
      if (!(error instanceof HandedOver)) throw error
    }
    const ready = await offload.run(offloadedRequest(context.view, name, params))
    return ready ?? method.call(params, { ...context, mayContinue: this.#slices(context.turn) })
  }

  #slices(turn: Turns): MayContinue {
    return timeSlices(this.#parts.clock, this.#options.callTimeout, turn)
  }

  #context(view: View, { turn, connection }: Request): WriteContext {
    const { node, clock, offload } = this.#parts
    const slices = this.#slices(turn)
    return {
      view,
      config: node.config,
      engine: node.engine,
      blockTime: node.blockTime,
      options: this.#options,
      tips: this.#tips,
      ready: this.ready,
      turn,
      mayContinue: offload === undefined ? slices : handingOver(slices, clock, offload),
      now: () => clock.monotonic(),
      methodNames: () => [...this.#methods.keys()],
      node,
      clock,
      subscriptions: connection?.subscriptions,
      waits: connection?.waits ?? ALONE,
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

/** An item that is not worked on. */
function refusal(envelope: Envelope, code: number, message: string): string | undefined {
  return envelope.id === undefined ? undefined : errorText(envelope.id, new RpcError(code, message))
}

/** The state that a request asked for is not kept any more; blocks, receipts and logs are. */
function isHistoryPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HISTORY_PRUNED'
}
