import type { RpcOptions } from '../context/options.ts'
import { outOfResponseMemory, RPC_CODES, RpcError } from '../protocol/errors.ts'
import { timeSlices } from '../scheduling/time-slices.ts'
import { BatchResponse } from './batch-response.ts'
import { resultResponseText } from './envelope.ts'
import type { Requests } from './parse-requests.ts'
import type { RequestOrigin, SharedContext } from './request-context.ts'
import type { RequestRunner, RequestScope, RpcRequest } from './request-runner.ts'
import type { ResponseReservation } from './response-memory.ts'
import { batchTooLarge } from './text-shape.ts'

/** Items of one batch that may wait at once, so that a thousand sends do not take the room of other clients. */
export const MAX_CONCURRENT_ITEMS = 64

interface BatchRunnerDeps {
  readonly runner: RequestRunner
  readonly shared: SharedContext
}

interface RunningBatch {
  readonly origin: RequestOrigin
  readonly responses: BatchResponse
  readonly reservation: ResponseReservation
  /** Replaced after an item that writes. */
  scope: RequestScope
}

/**
 * Runs the items of a batch in their order, on one view until an item writes. Consecutive items that only wait
 * (`runsTogether`), such as sends, start in order and wait together.
 */
export class BatchRunner {
  readonly #options: RpcOptions
  readonly #deps: BatchRunnerDeps

  constructor(options: RpcOptions, deps: BatchRunnerDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * @returns `undefined` when the batch has notifications only, or its client disconnected
   * @throws ClientGoneError
   */
  async run({ size, envelope }: Requests, origin: RequestOrigin): Promise<string | undefined> {
    const { maxBatchItems, batchTimeoutMs } = this.#options
    const { runner, shared } = this.#deps
    if (size === 0) return this.#refuseBatch(new RpcError(RPC_CODES.invalidRequest, 'empty batch'), origin)
    if (size > maxBatchItems) return this.#refuseBatch(batchTooLarge(maxBatchItems), origin)
    const hasTime = timeSlices(shared.clock, batchTimeoutMs, origin.yieldIfDue)
    const reservation = shared.responseMemory.begin()
    origin.reservation = reservation
    const scope = this.#captureScope()
    const batch: RunningBatch = { origin, responses: new BatchResponse(reservation), reservation, scope }
    const { responses } = batch
    try {
      for (let position = 0; position < size; position++) {
        const request = runner.request(envelope(position), origin)
        if (!this.#mayStart(batch, request.method?.runsTogether === true)) {
          await responses.drain()
          this.#renewScope(batch)
        }
        const inTime = hasTime(batch.scope.now)
        const isInTime = inTime instanceof Promise ? await inTime : inTime
        if (inTime instanceof Promise) batch.scope.now = shared.clock.monotonic()
        if (origin.client.isGone()) return undefined
        const refusal = this.#refusal(batch, isInTime)
        // Awaiting an item that is answered already would cost a microtask per item.
        const running = refusal === undefined ? this.#runItem(batch, request) : undefined
        if (refusal !== undefined) responses.add(runner.refuse(request, refusal))
        else if (running !== undefined) await running
      }
      if (responses.isWaiting) await responses.drain()
    } finally {
      // Started items finish on their view, also when the client disconnected.
      if (responses.isWaiting) await responses.drain().catch(() => undefined)
      batch.scope.view.release()
      reservation.end()
    }
    return responses.text
  }

  /** Returns a promise only for items that have to be awaited before the next one. */
  #runItem(batch: RunningBatch, request: RpcRequest): Promise<void> | undefined {
    const { responses } = batch
    const { method } = request
    const response = this.#deps.runner.run(request, batch.scope, resultResponseText)
    if (response instanceof Promise && method?.runsTogether === true) {
      responses.addPending(response)
      batch.scope.now = this.#deps.shared.clock.monotonic()
      return undefined
    }
    const finish = (text: string | undefined) => {
      responses.add(text)
      if (method?.writes === true && !responses.isWaiting) this.#renewScope(batch)
    }
    if (response instanceof Promise) return response.then(finish)
    finish(response)
    return undefined
  }

  /** Whether an item may start while earlier ones wait. */
  #mayStart({ responses }: RunningBatch, runsTogether: boolean): boolean {
    return !responses.isWaiting || (runsTogether && responses.waiting < MAX_CONCURRENT_ITEMS)
  }

  #captureScope(): RequestScope {
    return this.#deps.runner.captureScope({ isBatch: true }, this.#deps.shared.clock.monotonic())
  }

  #renewScope(batch: RunningBatch): void {
    batch.scope.view.release()
    batch.scope = this.#captureScope()
  }

  /** Why an item is not run any more. */
  #refusal({ responses, reservation }: RunningBatch, isInTime: boolean): RpcError | undefined {
    if (!isInTime) return new RpcError(RPC_CODES.timedOut, 'request timed out')
    if (responses.size > this.#options.maxBatchBytes) {
      return new RpcError(RPC_CODES.responseTooLarge, 'response too large')
    }
    return reservation.hasRoom() ? undefined : outOfResponseMemory()
  }

  #refuseBatch(error: RpcError, { client }: RequestOrigin): string {
    return this.#deps.runner.refuseText(error, client)
  }
}
