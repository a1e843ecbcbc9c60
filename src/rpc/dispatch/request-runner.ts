import { forecastOf, forwardingOf } from '../../node/roles/node-handle.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import type { View } from '../../node/view/view.ts'
import { type MaybePromise, mapMaybe, recoverMaybe, settleMaybe } from '../../primitives/maybe-promise.ts'
import { formatError } from '../compat/reproduced-nodes.ts'
import type { RpcDeps } from '../context/dependencies.ts'
import type { RpcOptions } from '../context/options.ts'
import { requestOfLeader, runsOnLeader } from '../forwarding/leader-requests.ts'
import { EncodedJson, type MethodResult, resultJson } from '../protocol/encoded-json.ts'
import { outOfResponseMemory, RPC_CODES, RpcError, rateLimited, responseTooLarge } from '../protocol/errors.ts'
import type { RpcClient } from '../protocol/rpc-client.ts'
import { hasNoPendingBlock } from '../queries/pending-block.ts'
import type { Method } from '../registry/method.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import type { CodeRunner } from './code-runner.ts'
import {
  type EncodeResponse,
  type Envelope,
  errorResponseText,
  NO_ID,
  type RequestId,
  type Response,
} from './envelope.ts'
import { readsPendingBlock, withoutPendingBlock } from './pending-requests.ts'
import { RequestContext, type RequestOrigin, type SharedContext } from './request-context.ts'
import { toRpcError } from './thrown-error.ts'

/** A single request or an item of a batch. */
export interface RpcRequest {
  readonly envelope: Envelope
  readonly origin: RequestOrigin
  /** `undefined`: the method does not exist. */
  readonly method: Method | undefined
}

/** State that the items of a batch share until one of them writes. */
export interface RequestScope {
  /** Retained until the scope ends. */
  readonly view: View
  /** Results of methods that have one result per view; `undefined` outside of batches. */
  readonly cachedResults: Map<Method, EncodedJson> | undefined
  /** Milliseconds on the monotonic clock, read when the last request was answered. */
  now: number
}

interface RunningRequest {
  readonly request: RpcRequest
  readonly scope: RequestScope
  readonly name: string
  readonly id: RequestId | undefined
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number
}

interface RequestRunnerDeps {
  readonly rpc: RpcDeps
  readonly shared: SharedContext
  readonly codeRunner: CodeRunner
}

/** Runs single requests: charges the client, calls the method, encodes the response, reports to the monitor. */
export class RequestRunner {
  readonly #options: RpcOptions
  readonly #deps: RequestRunnerDeps

  constructor(options: RpcOptions, deps: RequestRunnerDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** The view of a request that starts now. */
  view(): View {
    const { rpc, shared } = this.#deps
    return shared.taggedViews.of(rpc.node.view())
  }

  captureScope({ isBatch }: { readonly isBatch: boolean }, now: number): RequestScope {
    const view = this.view()
    view.retain()
    return { view, cachedResults: isBatch ? new Map() : undefined, now }
  }

  request(envelope: Envelope, origin: RequestOrigin): RpcRequest {
    const methods = origin.connection?.methods ?? this.#deps.shared.methods
    return { envelope, origin, method: envelope.kind === 'request' ? methods.get(envelope.method) : undefined }
  }

  /**
   * @param encode makes the response of a result
   * @returns the response; `undefined` for a notification
   * @throws ClientGoneError
   */
  run<T extends Response>(
    request: RpcRequest,
    scope: RequestScope,
    encode: EncodeResponse<T>,
  ): MaybePromise<T | string | undefined> {
    const { envelope, origin, method } = request
    const limited = chargeError(origin.client, method?.cost ?? 1)
    if (limited !== undefined) return this.refuse(request, limited)
    if (!origin.client.hasRoom()) return this.refuse(request, outOfResponseMemory())
    if (envelope.kind === 'invalid') {
      return this.refuse(request, new RpcError(RPC_CODES.invalidRequest, 'invalid request'))
    }
    const running = { request, scope, name: envelope.method, id: envelope.id, startedAt: scope.now }
    return settleMaybe<MethodResult, T | string | undefined>(
      () => this.#cachedResult(running, envelope.params) ?? this.#call(running, envelope.params),
      (result) => this.#succeed(running, result, encode),
      (error) => this.#fail(running, error, envelope.params),
    )
  }

  /** The response to a request that is not run. */
  refuse({ envelope, origin, method }: RpcRequest, error: RpcError): string | undefined {
    const { id } = envelope
    this.#deps.rpc.monitor?.onResponse(method?.name, 0, error, { client: origin.client, id })
    if (id === undefined) return undefined
    const { method: name, params } = envelope.kind === 'request' ? envelope : { method: '', params: [] }
    return errorResponseText(id, this.formatted(error, method, name, params))
  }

  /** The response to a text that is no request. Parsing it is charged. */
  refuseText(error: RpcError, client: RpcClient): string {
    const refusal = chargeError(client, 1) ?? error
    this.#deps.rpc.monitor?.onResponse(undefined, 0, refusal, { client, id: undefined })
    return errorResponseText(NO_ID, refusal)
  }

  /** @throws RpcError */
  callMethod(
    method: Method | undefined,
    name: string,
    params: unknown,
    context: RequestContext,
  ): MaybePromise<MethodResult> {
    if (method === undefined) throw context.methods.missing(name)
    if (!Array.isArray(params)) throw new RpcError(RPC_CODES.invalidParams, 'non-array args')
    // Methods that change per-client state (filters) count as writes: another process may hold it.
    const forwarded = method.writes ? this.#forward(method, name, params, context) : undefined
    if (forwarded !== undefined) return forwarded
    const values = hasNoPendingBlock(context.view, context.config) ? withoutPendingBlock(method, params) : params
    const { view } = context
    const waits = view.forkBlock === undefined ? undefined : context.beginForkWaits(name)
    const run = () => {
      if (forecastOf(this.#deps.rpc.node) === undefined || !readsPendingBlock(method, values)) {
        return this.#runMethod(method, values, context)
      }
      return mapMaybe(context.forecast(), (forecast) => this.#runMethod(method, values, forecast))
    }
    return readLoaded(view, run, waits && ((load) => waits.awaitLoad(load)))
  }

  #runMethod(method: Method, params: readonly unknown[], context: RequestContext): MaybePromise<MethodResult> {
    return method.runsCode || method.takesLong
      ? this.#deps.codeRunner.run(method, params, context)
      : method.call(params, context)
  }

  #forward(
    method: Method,
    name: string,
    params: readonly unknown[],
    context: RequestContext,
  ): Promise<MethodResult> | undefined {
    const { node, forwarder } = this.#deps.rpc
    const leader = forwardingOf(node)
    if (this.#options.development && leader !== undefined && runsOnLeader(method, this.#deps.shared.conventions)) {
      return requestOfLeader(name, params, (request) => leader.forward(request), this.#options)
    }
    return forwarder?.forward(name, params, context)
  }

  context(view: View, origin: RequestOrigin): RequestContext {
    return new RequestContext(view, origin, this.#deps.shared)
  }

  toRpcError(error: unknown, method: string): RpcError {
    const expected = toRpcError(error, this.#options)
    if (expected?.code === RPC_CODES.damaged) this.#reportDamage(error, expected, method)
    if (expected !== undefined) return expected
    this.#deps.rpc.log.error({ err: error, method }, 'a JSON-RPC method failed unexpectedly')
    return new RpcError(RPC_CODES.internal, 'internal error')
  }

  /** The error may come from another thread, as an RpcError. */
  #reportDamage(error: unknown, { data }: RpcError, method: string): void {
    const { node, log } = this.#deps.rpc
    const table = String((data as { readonly table?: unknown } | undefined)?.table)
    if (node.damage?.tables.has(table) !== true) log.error({ err: error, method }, 'a read met damaged data')
    node.damage?.add(table)
  }

  /** The error as the node that is reproduced words it. */
  formatted(error: RpcError, method: Method | undefined, name: string, params: unknown): RpcError {
    const { conventions } = this.#deps.shared
    const wording = conventions.isReproduced ? conventions : (method?.development?.conventions ?? conventions)
    return formatError(error, wording, { method: name, params })
  }

  /** Batches often ask for the newest block with every item. */
  #cachedResult({ scope, request }: RunningRequest, params: unknown): EncodedJson | undefined {
    const { method } = request
    const { view, cachedResults } = scope
    if (cachedResults === undefined || method?.isSameInView !== true) return undefined
    if (!Array.isArray(params) || params.length > 0 || view.forkBlock !== undefined) return undefined
    const cached = cachedResults.get(method)
    if (cached !== undefined) return cached
    const result = method.call(params, this.context(view, request.origin))
    if (result instanceof Promise) return undefined
    const json = new EncodedJson(resultJson(result))
    cachedResults.set(method, json)
    return json
  }

  #call({ name, scope, request }: RunningRequest, params: unknown): MaybePromise<MethodResult> {
    return this.callMethod(request.method, name, params, this.context(scope.view, request.origin))
  }

  /** @throws RpcError the response is too large */
  #succeed<T extends Response>(
    running: RunningRequest,
    result: MethodResult,
    encode: EncodeResponse<T>,
  ): T | undefined {
    const response = running.id === undefined ? undefined : this.#bounded(encode(running.id, result))
    this.#report(running, undefined, result)
    return response
  }

  /** @throws ClientGoneError */
  #fail(running: RunningRequest, error: unknown, params: unknown): string | undefined {
    if (error instanceof ClientGoneError) throw error
    const { name, request } = running
    const failure = this.formatted(this.toRpcError(error, name), request.method, name, params)
    this.#report(running, failure)
    return running.id === undefined ? undefined : errorResponseText(running.id, failure)
  }

  #report(
    { request, scope, id, startedAt }: RunningRequest,
    failure: RpcError | undefined,
    result?: MethodResult,
  ): void {
    const { monitor, clock } = this.#deps.rpc
    scope.now = clock.monotonic()
    const { method, origin } = request
    monitor?.onResponse(method?.name, scope.now - startedAt, failure, { client: origin.client, id, result })
  }

  #bounded<T extends Response>(response: T): T {
    const { maxResponseBytes } = this.#options
    // A UTF-16 unit is at most three bytes, so that most responses are not measured.
    if (3 * response.length <= maxResponseBytes) return response
    const bytes = Buffer.byteLength(response)
    if (bytes <= maxResponseBytes) return response
    throw responseTooLarge(maxResponseBytes, bytes)
  }
}

/** @returns `undefined` when the client may make a request of this cost */
function chargeError(client: RpcClient, cost: number): RpcError | undefined {
  const wait = client.charge(cost)
  return wait === 0 ? undefined : rateLimited(wait)
}

/** The response, or `undefined` when its client has disconnected. */
export function unlessClientGone<T>(response: MaybePromise<T | undefined>): MaybePromise<T | undefined> {
  return recoverMaybe(response, noResponseIfGone)
}

function noResponseIfGone(error: unknown): undefined {
  if (error instanceof ClientGoneError) return undefined
  throw error
}
