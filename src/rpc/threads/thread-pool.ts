import { Worker } from 'node:worker_threads'
import type { NodeEventEmitter } from '../../node/core/events.ts'
import type { LogPosition } from '../../node/core/node-handle.ts'
import type { View } from '../../node/core/view.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import type { RpcClient, RpcLog } from '../rpc-client.ts'
import type { BurstRequest, BurstResponse, BurstThreads, Offload, OffloadedRequest } from '../scheduling/offload.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import { BurstLoad } from './burst-load.ts'
import type { FromThread, ThreadSettings, ToThread } from './messages.ts'
import { hasMoved, hasNothing, isIdle, type PooledThread, post, postFollowing } from './pooled-thread.ts'
import { StallWatchdog } from './stall-watch.ts'

export interface ThreadPoolOptions extends Omit<ThreadSettings, 'directory'> {
  /** Threads at most; each starts at first use, or by `prepare`. */
  readonly count: number
  /** Requests that may wait for one thread. */
  readonly maxWaiting: number
  /** Milliseconds without an answer after which a busy thread is terminated. */
  readonly stallLimitMs: number
  /** Threads started for bursts at most: the number of processors beside that of the main thread. */
  readonly burstThreads: number
}

export interface ThreadPoolDeps {
  readonly node: {
    readonly events: NodeEventEmitter
    view(): View
    logPosition(): LogPosition
  }
  readonly log: RpcLog
}

/** Milliseconds between checks for disconnected clients: a few slices, as for requests of the main thread. */
const GONE_INTERVAL = 25

/** Milliseconds within which bursts have to find no room this often before a thread is started for them. */
const WANTED_INTERVAL = 1_000
const WANTED_TIMES = 16

/**
 * Milliseconds without a request after which a thread stops following the chain, which takes a quarter of the time of
 * sends.
 */
const REST_AFTER = 2_000

/**
 * Pool of worker threads that run requests on the heads of this process: they read its store and follow its records. A
 * thread that fails or stalls is replaced at the next request.
 */
export class ThreadPool implements Offload {
  readonly bursts: BurstThreads | undefined
  /** For requests of the node itself: bursts start no threads, and are counted separately. */
  readonly forItself: Offload
  readonly #options: ThreadPoolOptions
  readonly #deps: ThreadPoolDeps
  readonly #workers: PooledThread[] = []
  #nextId = 0
  /** Active while there are requests. */
  #goneTimer: NodeJS.Timeout | undefined
  #wasUnwound = false
  #isClosed = false
  /** How often bursts found no room in the current interval. */
  readonly #wanted = { times: 0, since: Number.NEGATIVE_INFINITY }
  /** Burst requests that the threads have answered. */
  readonly #ofClients = { handled: 0 }
  readonly #ofItself = { handled: 0 }

  constructor(options: ThreadPoolOptions, deps: ThreadPoolDeps) {
    this.#options = options
    this.#deps = deps
    if (Math.min(options.count, options.burstThreads) > 0) {
      this.bursts = this.#burstThreads(this.#ofClients, () => this.#room())
    }
    this.forItself = {
      isFree: () => this.isFree(),
      run: (request, client) => this.run(request, client),
      bursts: this.bursts && this.#burstThreads(this.#ofItself, () => this.#roomForItself()),
    }
    const { events } = deps.node
    events.on('unwound', this.#onUnwound)
    events.on('flashblock', this.#onFlashblock)
  }

  /** Running threads. */
  get threads(): number {
    return this.#workers.length
  }

  /** Burst requests of clients that the threads have answered. */
  get handledInBursts(): number {
    return this.#ofClients.handled
  }

  /** Burst requests of the node itself. */
  get handledForWarming(): number {
    return this.#ofItself.handled
  }

  /**
   * Starts a thread, if there is a processor for one and none runs, so that neither the first long request nor the
   * first burst waits for its start.
   *
   * @returns whether a thread has followed the chain
   */
  async prepare(): Promise<boolean> {
    if (this.bursts === undefined || this.#isClosed) return false
    try {
      return await (this.#workers.find(isIdle) ?? this.#workers[0] ?? this.#start()).hasFollowed
    } catch (error) {
      // The next request tries again.
      this.#deps.log.error({ err: error }, 'a thread for long requests could not be started')
      return false
    }
  }

  isFree(): boolean {
    return !this.#isClosed && (this.#workers.length < this.#options.count || this.#workers.some(isIdle))
  }

  run(request: OffloadedRequest, client: Pick<RpcClient, 'isGone'>): Promise<EncodedJson | undefined> {
    const worker = this.#isClosed ? undefined : this.#leastBusy()
    if (worker === undefined) return Promise.resolve(undefined)
    if (worker.requests.size > this.#options.maxWaiting) {
      throw new RpcError(RPC_CODES.limitExceeded, 'too many long requests wait: try again later')
    }
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      worker.stall.start()
      worker.requests.set(id, { client, resolve, reject, isCancelled: false })
      this.#goneTimer ??= setInterval(this.#cancelAbandoned, GONE_INTERVAL).unref()
      // Requests keep the process alive; an idle thread does not.
      worker.thread.ref()
      worker.postedAt = performance.now()
      if (worker.isResting) this.#wake(worker)
      post(worker, { kind: 'request', id, request })
    })
  }

  /** Terminates the threads; their requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const { events } = this.#deps.node
    events.off('unwound', this.#onUnwound)
    events.off('flashblock', this.#onFlashblock)
    clearInterval(this.#goneTimer)
    await Promise.all(this.#workers.map(({ thread }) => thread.terminate()))
  }

  readonly #onUnwound = () => {
    this.#wasUnwound = true
  }

  readonly #onFlashblock = ({ view }: { readonly view: View }) => {
    const { to, from } = this.#deps.node.logPosition()
    const message: ToThread = this.#wasUnwound
      ? { kind: 'start', from, to }
      : { kind: 'advance', to: view.head.sequence }
    this.#wasUnwound = false
    for (const worker of this.#workers) {
      if (worker.isResting) continue
      if (hasNothing(worker) && performance.now() - worker.postedAt > REST_AFTER) {
        worker.isResting = true
        post(worker, { kind: 'rest' })
      } else postFollowing(worker, message)
    }
  }

  /** Clients are polled: transports have no common disconnect event. */
  readonly #cancelAbandoned = () => {
    for (const worker of this.#workers) {
      for (const [id, request] of worker.requests) {
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

  #room(): number {
    if (this.#isClosed) return 0
    const room = this.#roomiest()?.burst.room() ?? 0
    const { count, burstThreads } = this.#options
    if (room > 0) return room
    const resting = this.#resting()
    const canStart = this.#workers.length < Math.min(count, burstThreads)
    if ((resting !== undefined || canStart) && this.#isOftenWanted()) {
      if (resting === undefined) this.#start()
      else this.#wake(resting)
    }
    return 0
  }

  /** Room of running threads; wakes an idle one when there is none. */
  #roomForItself(): number {
    const room = this.#roomiest()?.burst.room() ?? 0
    const resting = this.#resting()
    if (room === 0 && resting !== undefined && !this.#isClosed) this.#wake(resting)
    return room
  }

  #resting(): PooledThread | undefined {
    return this.#workers.find((worker) => worker.isResting && isIdle(worker))
  }

  /** A thread takes memory permanently and some hundred milliseconds to start. Returns true once per interval. */
  #isOftenWanted(): boolean {
    const now = performance.now()
    const wanted = this.#wanted
    if (now - wanted.since > WANTED_INTERVAL) {
      wanted.since = now
      wanted.times = 0
    }
    return ++wanted.times === WANTED_TIMES
  }

  #burstThreads(counted: { handled: number }, room: () => number): BurstThreads {
    return {
      room,
      run: async (requests) => {
        const responses = await this.#postBurst(requests)
        counted.handled += responses.filter((handle) => handle instanceof EncodedJson).length
        return responses
      },
    }
  }

  #postBurst(requests: readonly BurstRequest[]): Promise<readonly BurstResponse[]> {
    const worker = this.#roomiest()
    if (worker === undefined) return Promise.resolve([])
    worker.thread.ref()
    worker.postedAt = performance.now()
    worker.stall.start()
    return worker.burst.run(requests)
  }

  /** A thread with a long request takes no bursts, so that neither delays the other. */
  #roomiest(): PooledThread | undefined {
    let roomiest: PooledThread | undefined
    for (const worker of this.#workers) {
      if (worker.isResting || !isIdle(worker)) continue
      if (roomiest === undefined || worker.burst.room() > roomiest.burst.room()) roomiest = worker
    }
    return roomiest
  }

  #leastBusy(): PooledThread | undefined {
    const idle = this.#workers.find(isIdle)
    if (idle !== undefined) return idle
    if (this.#workers.length < this.#options.count) return this.#start()
    const busy = this.#workers.filter(({ isEnded }) => !isEnded)
    return busy.toSorted((a, b) => a.requests.size - b.requests.size)[0]
  }

  #start(): PooledThread {
    const { genesis, finalityDepth, blockTimeMs, slots, gasLimit, rpc } = this.#options
    const { directory, from, to } = this.#deps.node.logPosition()
    const workerData: ThreadSettings = { genesis, directory, finalityDepth, blockTimeMs, slots, gasLimit, rpc }
    const thread = new Worker(new URL('./call-thread.js', import.meta.url), { workerData, name: 'long requests' })
    const burst = new BurstLoad({ post: (message) => thread.postMessage(message) })
    let resolveFollowed: ((hasFollowed: boolean) => void) | undefined
    const hasFollowed = new Promise<boolean>((resolve) => {
      resolveFollowed = resolve
    })
    const deps = {
      hasWork: () => !hasNothing(worker),
      onStall: () => {
        worker.isEnded = true
        void thread.terminate()
      },
    }
    const worker: PooledThread = {
      thread,
      requests: new Map(),
      burst,
      stall: new StallWatchdog({ limitMs: this.#options.stallLimitMs }, deps),
      hasFollowed,
      resolveFollowed: resolveFollowed!,
      postedAt: performance.now(),
      isResting: false,
      isEnded: false,
    }
    this.#workers.push(worker)
    thread.on('message', (message: FromThread) => this.#receive(worker, message))
    thread.on('error', (error) => this.#deps.log.error({ err: error }, 'a thread for long requests failed'))
    thread.on('exit', () => this.#forget(worker))
    thread.unref()
    postFollowing(worker, { kind: 'start', from, to })
    return worker
  }

  #receive(worker: PooledThread, message: FromThread): void {
    switch (message.kind) {
      case 'logged':
        this.#deps.log.error(message.details, message.message)
        break
      case 'lost':
        this.#restart(worker, message.reason)
        break
      case 'followed':
        worker.burst.hasFollowed()
        worker.resolveFollowed(true)
        break
      case 'burst':
        worker.burst.receive(message)
        hasMoved(worker)
        break
      default:
        this.#handle(worker, message)
    }
  }

  #handle(
    worker: PooledThread,
    message: Extract<FromThread, { readonly kind: 'result' | 'error' | 'unknownHead' | 'cancelled' }>,
  ): void {
    const request = worker.requests.get(message.id)
    worker.requests.delete(message.id)
    hasMoved(worker)
    switch (message.kind) {
      case 'result':
        request?.resolve(new EncodedJson(message.text))
        break
      case 'error':
        request?.reject(new RpcError(message.code, message.message, message.data))
        break
      case 'unknownHead':
        request?.resolve(undefined)
        break
      case 'cancelled':
        request?.reject(new ClientGoneError('the client is gone'))
    }
  }

  #restart(worker: PooledThread, reason: string): void {
    this.#deps.log.error({ reason }, 'a thread for long requests could not follow the node: it starts anew')
    this.#wake(worker)
  }

  /** Starts following at the current head. */
  #wake(worker: PooledThread): void {
    const { from, to } = this.#deps.node.logPosition()
    worker.isResting = false
    worker.postedAt = performance.now()
    postFollowing(worker, { kind: 'start', from, to })
  }

  #forget(worker: PooledThread): void {
    worker.stall.end()
    worker.resolveFollowed(false)
    this.#workers.splice(this.#workers.indexOf(worker), 1)
    const aborted =
      worker.isEnded || this.#isClosed
        ? new RpcError(RPC_CODES.timedOut, 'the request was aborted: it took too long or the node is stopping')
        : undefined
    const error = aborted ?? new RpcError(RPC_CODES.internal, 'internal error')
    for (const { reject } of worker.requests.values()) reject(error)
    worker.requests.clear()
    worker.burst.end(aborted)
  }
}
