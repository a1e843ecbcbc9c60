import { Worker } from 'node:worker_threads'
import { systemClock } from '../../node/core/clock.ts'
import type { LogPosition } from '../../node/roles/node-handle.ts'
import type { NodeEventEmitter } from '../../node/view/events.ts'
import type { View } from '../../node/view/view.ts'
import { PendingReplies } from '../../primitives/threads/pending-replies.ts'
import { endThread } from '../../primitives/threads/thread-port.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { ReportedCall } from '../protocol/reported-call.ts'
import type { RpcClient, RpcLog } from '../protocol/rpc-client.ts'
import type { Offload, OffloadedRequest } from '../scheduling/offload.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import type { FromThread, ThreadSettings, ToThread } from './messages.ts'
import { hasMoved, isFree, isIdle, type PooledThread, post } from './pooled-thread.ts'
import { StallWatchdog } from './stall-watch.ts'

export interface ThreadPoolOptions extends Omit<ThreadSettings, 'directory'> {
  /** Threads at most. Each starts at first use, see docs/adr/0009-calls-in-time-slices.md. */
  readonly count: number
  /** Requests that may wait for one thread. */
  readonly maxWaiting: number
  /** Milliseconds without an answer after which a busy thread is terminated. */
  readonly stallLimitMs: number
}

export interface ThreadPoolDeps {
  readonly node: {
    readonly events: NodeEventEmitter
    view(): View
    logPosition(): LogPosition
  }
  readonly log: RpcLog
  /** Receives calls that are worth showing; requires `reportsCalls`. */
  readonly onCall?: ((call: ReportedCall) => void) | undefined
}

/** Milliseconds between checks for disconnected clients: a few slices, as for requests of the main thread. */
const GONE_INTERVAL_MS = 25

/**
 * Milliseconds without a request after which a thread stops following the chain, which takes a quarter of the time of
 * sends.
 */
const REST_AFTER_MS = 2_000

/**
 * Pool of worker threads that run requests on the heads of this process: they read its store and follow its records. A
 * thread that fails or stalls is replaced at the next request.
 */
export class ThreadPool implements Offload {
  readonly #options: ThreadPoolOptions
  readonly #deps: ThreadPoolDeps
  readonly #workers: PooledThread[] = []
  /** Active while there are requests. */
  #goneTimer: NodeJS.Timeout | undefined
  #wasUnwound = false
  #isClosed = false

  constructor(options: ThreadPoolOptions, deps: ThreadPoolDeps) {
    this.#options = options
    this.#deps = deps
    const { events } = deps.node
    events.on('unwound', this.#onUnwound)
    events.on('flashblock', this.#onFlashblock)
  }

  /** Running threads. */
  get threads(): number {
    return this.#workers.length
  }

  isFree(): boolean {
    return !this.#isClosed && this.#workers.some(isFree)
  }

  startSpareThread(): void {
    if (this.#isClosed || this.#workers.length >= this.#options.count) return
    if (this.#workers.every(({ isReady, isEnded }) => isReady || isEnded)) this.#start()
  }

  run(request: OffloadedRequest, client: Pick<RpcClient, 'isGone'>): Promise<EncodedJson | undefined> {
    const worker = this.#isClosed ? undefined : this.#leastBusy()
    if (worker === undefined) return Promise.resolve(undefined)
    if (worker.requests.size > this.#options.maxWaiting) {
      throw new RpcError(RPC_CODES.limitExceeded, 'too many long requests wait: try again later')
    }
    worker.stall.start()
    const { id, reply } = worker.requests.add({ client, isCancelled: false })
    this.#goneTimer ??= setInterval(this.#cancelAbandoned, GONE_INTERVAL_MS).unref()
    // Requests keep the process alive; an idle thread does not.
    worker.thread.ref()
    worker.postedAt = systemClock.monotonic()
    if (worker.isResting) this.#wake(worker)
    post(worker, { kind: 'request', id, request })
    return reply
  }

  /** Ends the threads; their requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const { events } = this.#deps.node
    events.off('unwound', this.#onUnwound)
    events.off('flashblock', this.#onFlashblock)
    clearInterval(this.#goneTimer)
    await Promise.all(this.#workers.map(({ thread }) => endThread(thread)))
  }

  readonly #onUnwound = () => {
    this.#wasUnwound = true
  }

  readonly #onFlashblock = ({ view }: { readonly view: View }) => {
    const message: ToThread = this.#wasUnwound
      ? { kind: 'start', ...this.#deps.node.logPosition() }
      : { kind: 'advance', to: view.head.sequence }
    this.#wasUnwound = false
    for (const worker of this.#workers) {
      if (worker.isResting) continue
      if (worker.requests.size === 0 && systemClock.monotonic() - worker.postedAt > REST_AFTER_MS) {
        worker.isResting = true
        post(worker, { kind: 'rest' })
      } else post(worker, message)
    }
  }

  /** Clients are polled: transports have no common disconnect event. */
  readonly #cancelAbandoned = () => {
    for (const worker of this.#workers) {
      for (const [id, request] of worker.requests.entries()) {
        if (request.isCancelled || !request.client.isGone()) continue
        request.isCancelled = true
        post(worker, { kind: 'cancel', id })
      }
    }
    if (this.#workers.every(({ requests }) => requests.size === 0)) {
      clearInterval(this.#goneTimer)
      this.#goneTimer = undefined
    }
  }

  #leastBusy(): PooledThread | undefined {
    const idle = this.#workers.find(isIdle)
    if (idle !== undefined) return idle
    if (this.#workers.length < this.#options.count) return this.#start()
    const busy = this.#workers.filter(({ isEnded }) => !isEnded)
    return busy.toSorted((a, b) => a.requests.size - b.requests.size)[0]
  }

  #start(): PooledThread {
    const { genesis, finalityDepth, blockTimeMs, slots, gasLimit, rpc, reportsCalls, hasAddressIndex } = this.#options
    const { directory, from, to } = this.#deps.node.logPosition()
    const workerData: ThreadSettings = {
      genesis,
      directory,
      finalityDepth,
      blockTimeMs,
      slots,
      gasLimit,
      rpc,
      ...(reportsCalls !== undefined && { reportsCalls }),
      ...(hasAddressIndex !== undefined && { hasAddressIndex }),
    }
    const thread = new Worker(new URL('./call-thread.js', import.meta.url), { workerData, name: 'long requests' })
    const deps = {
      hasWork: () => worker.requests.size > 0,
      onStall: () => {
        worker.isEnded = true
        void thread.terminate()
      },
    }
    const worker: PooledThread = {
      thread,
      requests: new PendingReplies(),
      stall: new StallWatchdog({ limitMs: this.#options.stallLimitMs }, deps),
      isReady: false,
      postedAt: systemClock.monotonic(),
      isResting: false,
      isEnded: false,
    }
    this.#workers.push(worker)
    thread.on('message', (message: FromThread) => this.#receive(worker, message))
    thread.on('error', (error) => this.#deps.log.error({ err: error }, 'a thread for long requests failed'))
    thread.on('exit', () => this.#forget(worker))
    thread.unref()
    post(worker, { kind: 'start', from, to })
    return worker
  }

  #receive(worker: PooledThread, message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        worker.isReady = true
        break
      case 'logged':
        this.#deps.log.error(message.details, message.message)
        break
      case 'called':
        this.#deps.onCall?.(message.call)
        break
      case 'lost':
        if (!this.#isClosed) this.#restart(worker, message.reason)
        break
      default:
        this.#handle(worker, message)
    }
  }

  #handle(
    worker: PooledThread,
    message: Extract<FromThread, { readonly kind: 'result' | 'error' | 'unknownHead' | 'cancelled' }>,
  ): void {
    const { requests } = worker
    const { id } = message
    switch (message.kind) {
      case 'result':
        requests.resolve(id, new EncodedJson(...message.parts))
        break
      case 'error':
        requests.reject(id, new RpcError(message.code, message.message, message.data, { kind: 'formatted' }))
        break
      case 'unknownHead':
        requests.resolve(id, undefined)
        break
      case 'cancelled':
        requests.reject(id, new ClientGoneError('the client is gone'))
    }
    hasMoved(worker)
  }

  #restart(worker: PooledThread, reason: string): void {
    this.#deps.log.error({ reason }, 'a thread for long requests could not follow the node: it is restarted')
    this.#wake(worker)
  }

  /** Starts following at the current head. */
  #wake(worker: PooledThread): void {
    const { from, to } = this.#deps.node.logPosition()
    worker.isResting = false
    worker.postedAt = systemClock.monotonic()
    post(worker, { kind: 'start', from, to })
  }

  #forget(worker: PooledThread): void {
    worker.stall.end()
    this.#workers.splice(this.#workers.indexOf(worker), 1)
    const aborted =
      worker.isEnded || this.#isClosed
        ? new RpcError(RPC_CODES.timedOut, 'the request was aborted: it took too long or the node is stopping')
        : undefined
    const error = aborted ?? new RpcError(RPC_CODES.internal, 'internal error')
    worker.requests.rejectAll(error)
  }
}
