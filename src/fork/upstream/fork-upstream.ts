import type { MonotonicClock } from '../../primitives/clock.ts'
import { httpTransport, ReceivedBytes } from '../../upstream/http-transport.ts'
import { RequestSlots } from '../../upstream/request-slots.ts'
import { decideRetry, type RetryPolicy } from '../../upstream/retry.ts'
import { meaningOf, type RpcCall, type RpcReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError, type UpstreamFailure } from '../../upstream/upstream-failure.ts'
import type { CallOptions } from '../source/cached-source.ts'
import { ForkError } from '../source/fork-error.ts'
import { Endpoint } from './endpoint.ts'
import { exchangeError, replyError } from './reply-error.ts'
import { RequestPace } from './request-pace.ts'

export interface ForkUpstreamOptions {
  /** Nodes of the same chain; requests are spread over them, and a retry goes to the next one. */
  readonly urls: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Timeout of one request in milliseconds. */
  readonly timeoutMs: number
  /** Attempts after the first. */
  readonly retries: number
  readonly retryPolicy: RetryPolicy
  /** Requests at a time. */
  readonly concurrency: number
  /** Calls a second; a batch counts each of its calls. */
  readonly callsPerSecond?: number | undefined
  /** Calls in one request. */
  readonly batchSize: number
  /** Maximum size of a response, and of all responses that are being received. */
  readonly maxResponseBytes: number
}

export interface ForkUpstreamDeps {
  readonly fetch: typeof fetch
  readonly clock: MonotonicClock
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
}

/** Totals since the start. */
export interface UpstreamStatistics {
  readonly requests: number
  readonly calls: number
  /** Calls that joined an equal one in progress. */
  readonly merged: number
  readonly retries: number
}

interface PendingCall extends RpcCall {
  readonly isBrief: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (error: ForkError) => void
}

/** What remains of a batch after one exchange. */
interface Remainder {
  readonly calls: readonly PendingCall[]
  readonly failure: UpstreamFailure
  /** The error of each call if it is not repeated. */
  readonly error: (call: PendingCall) => ForkError
}

/** Methods that make the upstream execute a message to name its reads. Reads never share a request with them. */
export const HINT_METHODS = ['debug_traceCall', 'eth_createAccessList'] as const
export type HintMethod = (typeof HINT_METHODS)[number]
const HINTS: ReadonlySet<string> = new Set(HINT_METHODS)
const HINT_TIMEOUT_MS = 2_000
const BRIEF_TIMEOUT_MS = 5_000
/** Calls queued behind `concurrency`; more than a batch of transactions can produce. */
const MAX_WAITING = 100_000
/** How long a call may be queued. */
const QUEUE_MS = 600_000
/** A longer `Retry-After` is an error at once. */
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * JSON-RPC client for the chain that is forked. Calls of one turn of the event loop form one batch, equal calls in
 * progress are one, and failures that pass are retried within limits. Hints (`debug_traceCall`,
 * `eth_createAccessList`) have a request each, two seconds, and one attempt; brief calls five seconds and one attempt.
 *
 * @example const balance = await upstream.call('eth_getBalance', [address, '0x10'])
 */
export class ForkUpstream {
  readonly #options: ForkUpstreamOptions
  readonly #deps: ForkUpstreamDeps
  readonly #endpoints: readonly Endpoint[]
  readonly #slots: RequestSlots
  readonly #pace: RequestPace
  readonly #stopping = new AbortController()
  /** By method and parameters. */
  readonly #running = new Map<string, Promise<unknown>>()
  #round: PendingCall[] = []
  #nextEndpoint = 0
  #statistics = { requests: 0, calls: 0, merged: 0, retries: 0 }

  constructor(options: ForkUpstreamOptions, deps: ForkUpstreamDeps) {
    this.#options = options
    this.#deps = deps
    const { urls, headers = {}, batchSize, maxResponseBytes, concurrency, callsPerSecond } = options
    const received = new ReceivedBytes(maxResponseBytes)
    this.#endpoints = urls.map((url) => {
      const transport = httpTransport({ url, headers, maxBytes: maxResponseBytes }, { ...deps, received })
      return new Endpoint({ url, headers, batchSize }, { transport, clock: deps.clock })
    })
    this.#slots = new RequestSlots({ maxRunning: concurrency, maxWaiting: MAX_WAITING }, deps)
    this.#pace = new RequestPace({ perSecond: callsPerSecond }, deps)
  }

  /** The upstreams without their keys. */
  get name(): string {
    return this.#endpoints.map(({ name }) => name).join(', ')
  }

  get statistics(): UpstreamStatistics {
    return { ...this.#statistics }
  }

  /**
   * The result of a call.
   *
   * @throws ForkError
   */
  call(method: string, params: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    const { isBrief = false, signal } = options
    const key = JSON.stringify([method, params, isBrief])
    let running = this.#running.get(key)
    if (running === undefined) {
      running = this.#start({ method, params, isBrief })
      this.#running.set(key, running)
      const forget = () => this.#running.delete(key)
      running.then(forget, forget)
    } else this.#statistics.merged += 1
    return signal === undefined ? running : untilAborted(running, signal)
  }

  /** The result of a call at each endpoint, to compare them. Not retried at another one. */
  callEach(method: string, params: readonly unknown[]): Promise<readonly unknown[]> {
    return Promise.all(
      this.#endpoints.map(
        (endpoint) =>
          new Promise<unknown>((resolve, reject) => {
            void this.#send([{ method, params, isBrief: false, resolve, reject }], [endpoint])
          }),
      ),
    )
  }

  /** Rejects what is in progress with `FORK_STOPPED`. */
  close(): void {
    this.#stopping.abort()
  }

  #start(call: Omit<PendingCall, 'resolve' | 'reject'>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#round.push({ ...call, resolve, reject })
      if (this.#round.length === 1) setImmediate(() => this.#sendRound())
    })
  }

  #sendRound(): void {
    const hints = this.#round.filter(isHint)
    const reads = this.#round.filter((call) => !isHint(call))
    this.#round = []
    this.#sendBatches(reads.filter(({ isBrief }) => !isBrief))
    this.#sendBatches(reads.filter(({ isBrief }) => isBrief))
    for (const hint of hints) void this.#send([hint], this.#endpointsInTurn())
  }

  #sendBatches(round: readonly PendingCall[]): void {
    if (round.length === 0) return
    const endpoints = this.#endpointsInTurn()
    const { batchSize } = endpoints[0]!
    for (let from = 0; from < round.length; from += batchSize) {
      void this.#send(round.slice(from, from + batchSize), from === 0 ? endpoints : this.#endpointsInTurn())
    }
  }

  /** All endpoints, another one first each time. */
  #endpointsInTurn(): readonly Endpoint[] {
    const first = this.#nextEndpoint++ % this.#endpoints.length
    return [...this.#endpoints.slice(first), ...this.#endpoints.slice(0, first)]
  }

  /** Sends a batch until every call has its result or error. */
  async #send(batch: readonly PendingCall[], endpoints: readonly Endpoint[]): Promise<void> {
    let calls = batch
    for (let attempt = 1; calls.length > 0; attempt++) {
      const endpoint = endpoints[(attempt - 1) % endpoints.length]!
      const remainder = await this.#attempt(calls, endpoint)
      if (remainder === undefined) return
      const { failure } = remainder
      if (remainder.calls.length > 1 && mayFitAlone(failure)) {
        endpoint.reduceBatch(remainder.calls.length, !isAboutSize(failure))
        await this.#sendParts(remainder.calls, endpoint.batchSize, endpoints)
        return
      }
      const wait = calls.some(isSingleAttempt) ? undefined : this.#waitBefore(failure, attempt, endpoints.length)
      if (wait === undefined || this.#stopping.signal.aborted) {
        for (const call of remainder.calls) call.reject(remainder.error(call))
        return
      }
      this.#statistics.retries += 1
      await this.#pause(wait)
      calls = remainder.calls
    }
  }

  async #sendParts(calls: readonly PendingCall[], size: number, endpoints: readonly Endpoint[]): Promise<void> {
    const parts = Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
      calls.slice(index * size, (index + 1) * size),
    )
    await Promise.all(parts.map((part) => this.#send(part, endpoints)))
  }

  /** Resolves the calls that are answered; the others remain. */
  async #attempt(calls: readonly PendingCall[], endpoint: Endpoint): Promise<Remainder | undefined> {
    try {
      const replies = await this.#exchange(calls, endpoint)
      return this.#resolve(calls, replies, endpoint)
    } catch (error) {
      if (this.#stopping.signal.aborted || !(error instanceof UpstreamError)) {
        const stopped = error instanceof UpstreamError || this.#stopping.signal.aborted
        for (const call of calls) call.reject(stopped ? stoppedError(call.method) : unexpected(call.method, error))
        return undefined
      }
      const { failure } = error
      return { calls, failure, error: ({ method }) => exchangeError(failure, this.#failed(method, endpoint)) }
    }
  }

  async #exchange(calls: readonly PendingCall[], endpoint: Endpoint): Promise<readonly RpcReply[]> {
    const { signal } = this.#stopping
    signal.throwIfAborted()
    await this.#pace.turn(calls.length)
    const { timeoutMs } = this.#options
    const limitMs = calls.some(isSingleAttempt) ? singleAttemptMs(calls, timeoutMs) : undefined
    return this.#slots.run(
      () => {
        this.#statistics.requests += 1
        this.#statistics.calls += calls.length
        return endpoint.exchange(calls, limitMs ?? timeoutMs, signal)
      },
      this.#deps.clock.monotonic() + (limitMs ?? QUEUE_MS),
    )
  }

  #resolve(calls: readonly PendingCall[], replies: readonly RpcReply[], endpoint: Endpoint): Remainder | undefined {
    const passing: PendingCall[] = []
    const errors = new Map<PendingCall, ForkError>()
    for (const [index, call] of calls.entries()) {
      const reply = replies[index]!
      if (reply.kind === 'result') call.resolve(reply.result)
      else {
        const error = replyError(reply, this.#failed(call.method, endpoint))
        if (isPassing(reply, this.#endpoints.length)) {
          passing.push(call)
          errors.set(call, error)
        } else call.reject(error)
      }
    }
    if (passing.length === 0) return undefined
    return { calls: passing, failure: { kind: 'limited', retryAfter: undefined }, error: (call) => errors.get(call)! }
  }

  #failed(method: string, { name }: Endpoint) {
    return { method, upstream: name, retries: this.#options.retries }
  }

  /** Milliseconds until the next attempt; `undefined`: none. */
  #waitBefore(failure: UpstreamFailure, attempt: number, endpoints: number): number | undefined {
    const { retries, retryPolicy } = this.#options
    // Another node may be up: it is asked at once.
    if (attempt < endpoints) return 0
    const decision = decideRetry(
      failure,
      { attempt, retries, remainingMs: LONGEST_RETRY_AFTER_MS, random: this.#deps.random() },
      retryPolicy,
    )
    return decision.kind === 'retry' ? decision.afterMs : undefined
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stopping
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = clock.at(clock.monotonic() + milliseconds, end)
      signal.addEventListener('abort', end)
    })
  }
}

function isSingleAttempt(call: PendingCall): boolean {
  return call.isBrief || isHint(call)
}

/** Milliseconds for the attempt, and before it in the queue. */
function singleAttemptMs(calls: readonly PendingCall[], timeoutMs: number): number {
  // A quarter: a hint must not use up the time in which its request may wait for reads.
  return calls.some(isHint) ? Math.min(HINT_TIMEOUT_MS, timeoutMs / 4) : Math.min(BRIEF_TIMEOUT_MS, timeoutMs)
}

function isHint({ method }: RpcCall): boolean {
  return HINTS.has(method)
}

/** Whether calls that failed together may succeed alone: the node, or a proxy before it, does not take this batch. */
function mayFitAlone(failure: UpstreamFailure): boolean {
  if (failure.kind === 'status') return [400, 404, 405, 413, 415, 422, 501].includes(failure.status)
  return failure.kind === 'refused' || failure.kind === 'tooLarge'
}

/** Whether a smaller batch may succeed. */
function isAboutSize(failure: UpstreamFailure): boolean {
  if (failure.kind === 'status') return failure.status === 413
  return (
    failure.kind === 'tooLarge' || (failure.kind === 'refused' && /large|limit|exceed|many|max/i.test(failure.message))
  )
}

/** Whether a later attempt may succeed. A node that lags behind, or another one, may have the block or its state. */
function isPassing(reply: Extract<RpcReply, { kind: 'error' }>, endpoints: number): boolean {
  const meaning = meaningOf(reply)
  if (meaning === 'pruned') return endpoints > 1
  return meaning === 'limited' || meaning === 'timedOut' || meaning === 'missing'
}

function stoppedError(method: string): ForkError {
  return new ForkError('FORK_STOPPED', `${method} was not answered before the fork was closed or reset: try again`)
}

function unexpected(method: string, error: unknown): ForkError {
  return new ForkError('FORK_MALFORMED', `${method} could not be sent: ${(error as Error).message}`)
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ForkError('FORK_STOPPED', 'the request to the fork was aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const end = () => signal.removeEventListener('abort', abort)
    work.then(resolve, reject).finally(end)
  })
}
