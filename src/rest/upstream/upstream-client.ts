import type { Clock } from '../../node/core/clock.ts'
import { sendWithin, type Transport } from '../../upstream/http-transport.ts'
import { RequestSlots } from '../../upstream/request-slots.ts'
import { decideRetry } from '../../upstream/retry.ts'
import { decodeBatch, encodeBatch, meaningOf, type RpcCall, type RpcReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError, type UpstreamFailure } from '../../upstream/upstream-failure.ts'

export interface UpstreamClientOptions {
  /** Timeout of one request in milliseconds. */
  readonly upstreamTimeoutMs: number
  /** Attempts after the first. */
  readonly retries: number
  /** Calls in one request; at least 3. */
  readonly batchSize: number
  /** Concurrent requests. */
  readonly maxUpstreamRequests: number
  /** Queued requests. */
  readonly maxUpstreamWaiting: number
}

/** Observes requests to the upstream. */
export interface UpstreamMonitor {
  /** @param outcome `ok` or the kind of the failure; duration in milliseconds */
  exchanged(outcome: 'ok' | UpstreamFailure['kind'], milliseconds: number, calls: number): void
  retried(): void
}

export interface UpstreamClientParts {
  readonly transport: Transport
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly monitor?: UpstreamMonitor
}

/** A point in time on the monotonic clock. */
export type Deadline = number

/** Sends batches to an upstream node, with retries and a limit of concurrent requests. */
export class UpstreamClient {
  readonly #options: UpstreamClientOptions
  readonly #parts: UpstreamClientParts
  readonly #slots: RequestSlots

  constructor(options: UpstreamClientOptions, parts: UpstreamClientParts) {
    this.#options = options
    this.#parts = parts
    this.#slots = new RequestSlots(
      { maxRunning: options.maxUpstreamRequests, maxWaiting: options.maxUpstreamWaiting },
      parts,
    )
  }

  /** Calls per request; more calls are split into several requests in order. */
  get batchSize(): number {
    return this.#options.batchSize
  }

  /** Requests in progress. */
  get requests(): number {
    return this.#slots.running
  }

  /**
   * Replies in the order of the calls.
   *
   * @throws UpstreamError when they do not arrive by the deadline
   */
  async request(calls: readonly RpcCall[], deadline: Deadline): Promise<readonly RpcReply[]> {
    const { batchSize } = this.#options
    const batches = Array.from({ length: Math.ceil(calls.length / batchSize) }, (_, index) =>
      calls.slice(index * batchSize, (index + 1) * batchSize),
    )
    const replies = await Promise.all(batches.map((batch) => this.#requestBatch(batch, deadline)))
    return replies.flat()
  }

  async #requestBatch(calls: readonly RpcCall[], deadline: Deadline): Promise<readonly RpcReply[]> {
    const { retries } = this.#options
    const { clock, random, monitor } = this.#parts
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#slots.run(() => this.#exchange(calls, deadline), deadline)
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        const remaining = deadline - clock.monotonic()
        const decision = decideRetry(error.failure, { attempt, retries, remainingMs: remaining, random: random() })
        if (decision.kind === 'giveUp') throw error
        monitor?.retried()
        await new Promise<void>((resolve) => clock.at(clock.monotonic() + decision.afterMs, resolve))
      }
    }
  }

  async #exchange(calls: readonly RpcCall[], deadline: Deadline): Promise<readonly RpcReply[]> {
    const { clock, monitor } = this.#parts
    const start = clock.monotonic()
    try {
      const replies = decodeBatch(await this.#send(encodeBatch(calls), deadline), calls.length)
      const limited = replies.find((reply) => reply.kind === 'error' && meaningOf(reply) === 'limited')
      if (limited !== undefined) throw new UpstreamError({ kind: 'limited', retryAfter: undefined })
      monitor?.exchanged('ok', clock.monotonic() - start, calls.length)
      return replies
    } catch (error) {
      if (error instanceof UpstreamError) {
        monitor?.exchanged(error.failure.kind, clock.monotonic() - start, calls.length)
      }
      throw error
    }
  }

  /** At most the timeout of one request, and the time left until the deadline. */
  async #send(body: string, deadline: Deadline): Promise<string> {
    const { transport, clock } = this.#parts
    const timeoutMs = Math.min(this.#options.upstreamTimeoutMs, deadline - clock.monotonic())
    if (timeoutMs <= 0) throw new UpstreamError({ kind: 'timeout', milliseconds: 0 })
    return sendWithin(timeoutMs, body, { transport, clock })
  }
}
