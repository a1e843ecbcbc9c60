import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import type { View } from '../../node/view/view.ts'
import { finallyMaybe, type MaybePromise } from '../../primitives/maybe-promise.ts'
import { conventionsOf } from '../compat/reproduced-nodes.ts'
import { TaggedViews } from '../compat/tagged-views.ts'
import type { RpcDeps } from '../context/dependencies.ts'
import type { RpcOptions } from '../context/options.ts'
import { ShownTimes } from '../context/shown-times.ts'
import { TipOracle } from '../context/tip-oracle.ts'
import { FilterSet } from '../filters/filter-set.ts'
import { MemoizedLogs } from '../logs/memoized-logs.ts'
import { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import type { MethodResult } from '../protocol/encoded-json.ts'
import { RpcError } from '../protocol/errors.ts'
import { ANONYMOUS, decoded, type RequestText, type RpcClient } from '../protocol/rpc-client.ts'
import type { MethodSet } from '../registry/method-set.ts'
import { recorderOf } from '../reports/report-recording.ts'
import { nextRound, RunQueue } from '../scheduling/run-queue.ts'
import { ClientGoneError, createYield } from '../scheduling/time-slices.ts'
import { BatchRunner } from './batch-runner.ts'
import { CodeRunner } from './code-runner.ts'
import { type EncodeResponse, type Response, resultResponse, resultResponseText } from './envelope.ts'
import { parseRequests } from './parse-requests.ts'
import type { ConnectionScope, RequestOrigin, SharedContext } from './request-context.ts'
import { RequestRunner, type RpcRequest, unlessClientGone } from './request-runner.ts'
import { ResponseMemory } from './response-memory.ts'

interface Sender<T extends Response> {
  readonly client: RpcClient
  readonly connection: ConnectionScope | undefined
  readonly encode: EncodeResponse<T>
}

/**
 * Answers JSON-RPC texts. Each text is answered from one view; an item of a batch that writes renews the view for the
 * items after it. `answer` never throws: every failure is a response.
 */
export class Dispatcher {
  /** Shared with the subscriptions. */
  readonly memoizedBlocks: MemoizedBlocks
  readonly #queue: RunQueue
  readonly #methods: MethodSet
  readonly #parsing: Parameters<typeof parseRequests>[1]
  readonly #deps: RpcDeps
  readonly #runner: RequestRunner
  readonly #batches: BatchRunner

  /** @param methods of requests without a connection; those of a connection are in its scope */
  constructor(methods: MethodSet, options: RpcOptions, deps: RpcDeps) {
    const now = () => deps.clock.monotonic()
    const conventions = conventionsOf(options.compat)
    this.memoizedBlocks = new MemoizedBlocks({
      config: deps.node.config,
      maxBytes: options.maxMemoizedBytes,
      objects: conventions.objects,
    })
    this.#queue = new RunQueue({ now, nextRound })
    this.#methods = methods
    const { maxNesting, maxBatchItems, maxItems, maxMembers, maxValues } = options
    const limits = { maxNesting, maxBatchItems, maxItems, maxMembers, maxValues }
    this.#parsing = { ...limits, nameOf: (written) => methods.get(written)?.name }
    this.#deps = deps
    const shared: SharedContext = {
      ...deps,
      options,
      conventions,
      methods,
      memoizedBlocks: this.memoizedBlocks,
      memoizedLogs: new MemoizedLogs({ maxBytes: options.maxMemoizedLogBytes / 2, chain: deps.node.config }),
      tips: new TipOracle({ minTip: options.minTip, fixedTip: conventions.sending.fixedTip }),
      shownTimes: new ShownTimes({}, { events: deps.node.events, clock: deps.clock }),
      filters: new FilterSet(options, { ...deps, now }),
      taggedViews: new TaggedViews(conventions),
      recorder: recorderOf(deps.node),
      interfaceOf: deps.interfaceOf ?? (async () => undefined),
      responseMemory: new ResponseMemory({ limit: options.maxAssembledBytes }),
    }
    const slots = { limit: options.maxRunningCalls, maxWaiting: options.maxWaitingCalls }
    const codeRunner = new CodeRunner(slots, { ...deps, now })
    this.#runner = new RequestRunner(options, { rpc: deps, shared, codeRunner })
    this.#batches = new BatchRunner(options, { runner: this.#runner, shared })
  }

  /**
   * Answers a request or a batch.
   *
   * @param connection of a WebSocket client
   * @returns `undefined` for notifications, and when the client has disconnected
   */
  handle(
    text: RequestText,
    client: RpcClient = ANONYMOUS,
    connection?: ConnectionScope,
  ): MaybePromise<string | undefined> {
    return this.#start(text, { client, connection, encode: resultResponseText })
  }

  /** As `handle`; a large response is encoded as bytes. */
  respond(
    text: RequestText,
    client: RpcClient = ANONYMOUS,
    connection?: ConnectionScope,
  ): MaybePromise<Response | undefined> {
    return this.#start(text, { client, connection, encode: resultResponse })
  }

  #start<T extends Response>(text: RequestText, sender: Sender<T>): MaybePromise<T | string | undefined> {
    const { client } = sender
    const { clock } = this.#deps
    const now = clock.monotonic()
    const started = this.#queue.begin(client, now)
    if (started === true) {
      const response = this.#handleText(text, now, sender)
      this.#queue.report(client, clock.monotonic() - now)
      return response
    }
    // The node may have stopped while the request waited.
    return started.then(() => (client.isGone() ? undefined : this.#handleText(text, clock.monotonic(), sender)))
  }

  /** The view of a request that starts now. */
  view(): View {
    return this.#runner.view()
  }

  /**
   * Runs one request on a view that the caller retains.
   *
   * @throws RpcError
   * @throws ClientGoneError
   * @throws ReplicatedLogError the replicated log did not take the effects: another node leads
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
      isBatch: false,
      reservation: undefined,
    }
    try {
      const context = this.#runner.context(view, origin)
      return await this.#runner.callMethod(methods.get(method), method, params, context)
    } catch (error) {
      if (error instanceof ClientGoneError || error instanceof ReplicatedLogError) throw error
      throw this.#runner.formatted(this.#runner.toRpcError(error, method), methods.get(method), method, params)
    } finally {
      origin.reservation?.end()
    }
  }

  /** Parses only now: a text that waits takes less memory, and parsing is part of the time of its client. */
  #handleText<T extends Response>(
    text: RequestText,
    now: number,
    { client, connection, encode }: Sender<T>,
  ): MaybePromise<T | string | undefined> {
    const requests = parseRequests(decoded(text), this.#parsing)
    if (requests instanceof RpcError) return this.#runner.refuseText(requests, client)
    const yieldIfDue = createYield(this.#deps.clock, this.#queue, client, now)
    const { isBatch } = requests
    const origin: RequestOrigin = { yieldIfDue, client, connection, isBatch, reservation: undefined }
    return unlessClientGone<T | string>(
      isBatch
        ? this.#batches.run(requests, origin)
        : this.#handleSingle(this.#runner.request(requests.envelope(0), origin), now, encode),
    )
  }

  #handleSingle<T extends Response>(
    request: RpcRequest,
    now: number,
    encode: EncodeResponse<T>,
  ): MaybePromise<T | string | undefined> {
    const scope = this.#runner.captureScope({ isBatch: false }, now)
    return finallyMaybe(
      () => this.#runner.run(request, scope, encode),
      () => {
        scope.view.release()
        request.origin.reservation?.end()
      },
    )
  }
}
