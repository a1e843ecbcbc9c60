import type { View } from '../node/view.ts'
import type { RpcOptions, RpcParts, WriteContext } from './context.ts'
import { type Envelope, errorText, readEnvelope, resultText } from './envelope.ts'
import { RPC_CODES, RpcError } from './errors.ts'
import type { Json } from './json.ts'
import type { Method } from './method.ts'
import { nestsDeeperThan } from './nesting.ts'
import type { SubscriptionScope } from './subscriptions/subscription-set.ts'
import { timeSlices } from './time-slices.ts'

/**
 * Answers requests and batches. One view is captured for each, and an item that writes renews it for the items after
 * it (design section 3). Nothing it is given makes it throw.
 */
export class Dispatcher {
  readonly #methods: ReadonlyMap<string, Method>
  readonly #options: RpcOptions
  readonly #parts: RpcParts

  constructor(methods: ReadonlyMap<string, Method>, options: RpcOptions, parts: RpcParts) {
    this.#methods = methods
    this.#options = options
    this.#parts = parts
  }

  /**
   * The answer to a JSON text, or `undefined` where there is none: a notification, or a batch of them.
   *
   * @param subscriptions of the connection, where it can have some
   */
  async answer(text: string, subscriptions?: SubscriptionScope): Promise<string | undefined> {
    const parsed = this.#parse(text)
    if (parsed instanceof RpcError) return errorText(null, parsed)
    if (Array.isArray(parsed)) return this.#answerBatch(parsed, subscriptions)
    const view = this.#capture()
    try {
      return await this.#answerItem(readEnvelope(parsed), view, subscriptions)
    } finally {
      view.release()
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

  async #answerBatch(items: readonly unknown[], subscriptions?: SubscriptionScope): Promise<string | undefined> {
    const { maxBatchItems, maxBatchBytes } = this.#options
    if (items.length === 0) return errorText(null, new RpcError(RPC_CODES.invalidRequest, 'empty batch'))
    if (items.length > maxBatchItems) {
      return errorText(null, new RpcError(RPC_CODES.invalidRequest, `batch too large, want at most ${maxBatchItems}`))
    }
    const answers: string[] = []
    let size = 0
    let view = this.#capture()
    try {
      for (const item of items) {
        const envelope = readEnvelope(item)
        const answer = size > maxBatchBytes ? tooLarge(envelope) : await this.#answerItem(envelope, view, subscriptions)
        if (envelope.kind === 'request' && this.#methods.get(envelope.method)?.writes) {
          view.release()
          view = this.#capture()
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

  async #answerItem(envelope: Envelope, view: View, subscriptions?: SubscriptionScope): Promise<string | undefined> {
    if (envelope.kind === 'invalid') {
      return errorText(envelope.id, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const { id, method, params } = envelope
    try {
      const result = await this.#call(method, params, this.#context(view, subscriptions))
      return id === undefined ? undefined : resultText(id, result)
    } catch (error) {
      return id === undefined ? undefined : errorText(id, this.#toRpcError(error, method))
    }
  }

  async #call(name: string, params: unknown, context: WriteContext): Promise<Json> {
    const method = this.#methods.get(name)
    if (method === undefined) {
      throw new RpcError(RPC_CODES.methodNotFound, `the method ${name.slice(0, 100)} does not exist/is not available`)
    }
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    return method.call(params, context)
  }

  #context(view: View, subscriptions: SubscriptionScope | undefined): WriteContext {
    const { node, clock } = this.#parts
    return {
      view,
      config: node.config,
      engine: node.engine,
      blockTime: node.blockTime,
      options: this.#options,
      mayContinue: timeSlices(clock, this.#options.callTimeout),
      now: () => clock.monotonic(),
      methodNames: () => [...this.#methods.keys()],
      node,
      clock,
      subscriptions,
    }
  }

  #toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error
    if (isHistoryPruned(error)) return new RpcError(RPC_CODES.historyPruned, 'pruned history unavailable')
    this.#parts.log.error({ err: error, method }, 'a JSON-RPC method failed unexpectedly')
    return new RpcError(RPC_CODES.internal, 'internal error')
  }
}

function tooLarge(envelope: Envelope): string | undefined {
  if (envelope.id === undefined) return undefined
  return errorText(envelope.id, new RpcError(RPC_CODES.responseTooLarge, 'response too large'))
}

/** The state that a request asked for is not kept any more; blocks, receipts and logs are. */
function isHistoryPruned(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HISTORY_PRUNED'
}
