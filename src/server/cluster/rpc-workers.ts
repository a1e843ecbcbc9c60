import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import type { Clock } from '../../node/core/clock.ts'
import { systemClock } from '../../node/core/clock.ts'
import type { NodeHandle } from '../../node/roles/node-handle.ts'
import type { RecordStream } from '../../replication/record-stream.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AdoptedSockets } from './adopted-sockets.ts'
import { ProcessChannel, type RequestHandlers } from './channel.ts'
import { CommonSequence } from './common-sequence.ts'
import { filterForwarding } from './filter-forwarding.ts'
import { ClusterMetrics } from './joint-metrics.ts'
import type { FromWorker, ToWorker, WriterCondition, WriterRequests } from './messages.ts'
import { failuresInARow, restartDelay } from './restart-delay.ts'
import { ServedWorker, type WorkerChannel, type WorkerProcess } from './served-worker.ts'
import { SharedPort } from './shared-port.ts'

/** Milliseconds between checks of the workers, and between pulses. */
const PULSE_INTERVAL_MS = 1_000
/** Milliseconds after which writes no longer wait for a worker that hangs. */
const PATIENCE_MS = 2_000
/** Milliseconds without progress or messages after which a worker is killed. */
const STALL_LIMIT_MS = 10_000
/** As `STALL_LIMIT_MS`, while a worker starts: it may read many records in one step. */
const START_LIMIT_MS = 60_000
/** Connections that may wait for a worker, and their timeout in milliseconds. */
export const MAX_WAITING_CONNECTIONS = 1_024
export const CONNECTION_WAIT_LIMIT_MS = 30_000

export interface RpcWorkersOptions {
  readonly count: number
  /** Path of the worker program. */
  readonly program: string
  /** Settings for the worker program, given the shared port. */
  readonly settings: (port: number) => unknown
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Milliseconds that the workers have to stop. */
  readonly stopLimitMs: number
}

export interface RpcWorkersDeps {
  readonly node: NodeHandle
  readonly stream: RecordStream
  readonly clock: Clock
  readonly condition: () => WriterCondition
  readonly metrics: Metrics
  /** Serves WebSockets at paths that workers cannot serve. Default: none. */
  readonly adopted?: Pick<AdoptedSockets, 'take' | 'close'> | undefined
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}

/** A worker could not start. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/**
 * Manages the RPC workers: processes that share a port and serve all requests, each from its own heads on the store of
 * this process, so that the sequencer has this thread to itself. A worker that exits is restarted.
 */
export class RpcWorkers {
  /** Metrics of all processes. */
  readonly metrics: ClusterMetrics
  readonly #options: RpcWorkersOptions
  readonly #deps: RpcWorkersDeps
  readonly #running = new Map<number, WorkerProcess>()
  readonly #common = new CommonSequence<WorkerProcess>()
  readonly #port: SharedPort<WorkerProcess>
  readonly #restarts = new Set<NodeJS.Timeout>()
  readonly #pulse: NodeJS.Timeout
  #settings: unknown
  /** Time in check intervals: it stops while this process is blocked, so that no worker counts as silent then. */
  #time = 0
  #restartCount = 0
  #isStopping = false

  constructor(options: RpcWorkersOptions, deps: RpcWorkersDeps) {
    this.#options = options
    this.#deps = deps
    cluster.setupPrimary({ exec: options.program, args: [], serialization: 'advanced' })
    const { host, port } = options
    this.metrics = new ClusterMetrics({
      own: () => deps.metrics.families(),
      others: () => this.#joined().map(({ channel }) => channel.request('metrics', undefined)),
    })
    this.#port = new SharedPort(
      { host, port, maxWaiting: MAX_WAITING_CONNECTIONS, waitLimitMs: CONNECTION_WAIT_LIMIT_MS },
      {
        clock: deps.clock,
        give: ({ channel }, socket) => channel.notify({ kind: 'connection' }, socket),
        onExpired: (connections) =>
          deps.log.warn(
            { connections, limit: CONNECTION_WAIT_LIMIT_MS },
            'connections are closed: no RPC worker took them',
          ),
      },
    )
    this.#pulse = setInterval(() => this.#look(), PULSE_INTERVAL_MS)
    this.#pulse.unref()
  }

  /** Workers that serve clients. */
  get size(): number {
    return this.#joined().length
  }

  /** Restarted workers. */
  get restarts(): number {
    return this.#restartCount
  }

  /** Records that the slowest serving worker has not applied. */
  get lag(): number {
    const newest = this.#deps.stream.newestSequence
    return Math.max(0, ...this.#joined().map(({ served }) => newest - (served?.applied ?? 0)))
  }

  /**
   * Starts the workers. Resolves with the port when all of them serve clients.
   *
   * @throws the error of `listen`, such as EADDRINUSE; WorkerError of the first one that cannot start
   */
  async start(): Promise<number> {
    const port = await this.#port.listen()
    this.#settings = this.#options.settings(port)
    const numbers = Array.from({ length: this.#options.count }, (_, index) => index + 1)
    await Promise.all(numbers.map((number) => this.#start(number, 0)))
    return port
  }

  /** Stops the workers after their requests in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#pulse)
    for (const restart of this.#restarts) clearTimeout(restart)
    this.#port.close()
    this.#deps.adopted?.close()
    const ending = Array.from(this.#running.values(), async ({ channel, process, hasJoined }) => {
      const exited = new Promise((resolve) => process.once('exit', resolve))
      const end = () => process.kill('SIGKILL')
      const timeout = setTimeout(end, this.#options.stopLimitMs)
      // A worker that has not joined has no clients, and may not listen yet.
      if (hasJoined) channel.notify({ kind: 'stop' })
      else end()
      await exited
      clearTimeout(timeout)
    })
    await Promise.all(ending)
  }

  /** Forwards a signal to workers that handle it; it would terminate the others. */
  signal(signal: NodeJS.Signals): void {
    for (const { process, served } of this.#running.values()) if (served !== undefined) process.kill(signal)
  }

  /** Workers that serve clients. The messages of others would be lost, and others have no filters. */
  #joined(): readonly WorkerProcess[] {
    return Array.from(this.#running.values()).filter(({ hasJoined }) => hasJoined)
  }

  /**
   * Starts a worker. Resolves when it serves clients.
   *
   * @param failures consecutive early exits
   */
  #start(number: number, failures: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const startedAt = systemClock.monotonic()
      const ended = (end: unknown, wasAnswering: boolean) => {
        reject(new WorkerError(`an RPC worker ended (${end}) before it was ready`))
        if (this.#isStopping || (failures === 0 && !wasAnswering)) return
        const inARow = failuresInARow(failures, systemClock.monotonic() - startedAt)
        const delay = restartDelay(inARow)
        this.#deps.log.error({ worker: number, end, delay }, 'an RPC worker ended: it is started again')
        this.#startLater(number, inARow, delay)
      }
      const forked = fork()
      if (forked instanceof Error) {
        ended(forked.message, false)
        return
      }
      const { process } = forked
      const worker = this.#serve(number, process, (message) => {
        if (message.kind === 'ready') {
          this.#port.join(worker)
          resolve()
          return
        }
        reject(new WorkerError(message.message, message.code))
        worker.channel.notify({ kind: 'stop' })
      })
      this.#running.set(number, worker)
      process.once('exit', (code, signal) => {
        this.#forget(worker)
        ended(signal ?? code, worker.hasJoined)
      })
      // A process that could not be spawned emits no `exit`.
      forked.on('error', (error) => {
        if (process.pid !== undefined) return
        this.#forget(worker)
        ended(error.message, false)
      })
    })
  }

  #startLater(number: number, failures: number, delay: number): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer)
      this.#restartCount += 1
      this.#start(number, failures).catch((error: unknown) => {
        this.#deps.log.error({ err: error, worker: number }, 'an RPC worker could not start')
      })
    }, delay)
    this.#restarts.add(timer)
  }

  #serve(
    number: number,
    process: ChildProcess,
    onStarted: (message: Extract<FromWorker, { kind: 'ready' | 'failed' }>) => void,
  ): WorkerProcess {
    const channel: WorkerChannel = new ProcessChannel({
      port: process,
      answering: this.#answering(() => worker),
      onMessage: (message, handle) => {
        worker.lastMessageAt = this.#time
        switch (message.kind) {
          case 'hello':
            this.#begin(worker)
            break
          case 'alive':
            break
          case 'applied':
            this.#takeApplied(worker, message.sequence)
            break
          case 'taken':
            this.#port.adopted(worker)
            break
          case 'upgrade':
            this.#deps.adopted?.take(message, handle)
            break
          default:
            onStarted(message)
        }
      },
    })
    const worker: WorkerProcess = {
      number,
      process,
      channel,
      lastMessageAt: this.#time,
      served: undefined,
      hasJoined: false,
      isTracked: false,
    }
    return worker
  }

  /**
   * Workers are killed and restarted while the node has no chain to serve, such as a replica that restores a snapshot.
   */
  #begin(worker: WorkerProcess): void {
    try {
      worker.served = this.#newServed(worker)
    } catch (error) {
      this.#end(worker, 'it cannot begin', error)
    }
  }

  /** @throws Error while a replica restores a snapshot */
  #newServed(worker: WorkerProcess): ServedWorker {
    const { node, stream } = this.#deps
    const { count: workers } = this.#options
    const settings = this.#settings
    return new ServedWorker(
      { worker: worker.number, workers, settings, directory: node.logPosition().directory },
      {
        channel: worker.channel,
        stream,
        now: () => this.#time,
        nextRound: setImmediate,
        onFailure: (error) => this.#end(worker, 'it cannot be served', error),
      },
    )
  }

  #answering(workerOf: () => WorkerProcess): RequestHandlers<WriterRequests> {
    const { node, stream } = this.#deps
    return {
      join: async () => {
        const worker = workerOf()
        worker.hasJoined = true
        // Sent before a client can request the readiness of the node.
        this.#sendPulse()
        this.#waitFor(worker)
        return stream.newestSequence
      },
      submit: async ({ raw, from }) => {
        const result = await stream.submit(raw, from)
        if (result.kind === 'refused') return result
        // The next request of the client may go to another worker.
        await this.#common.reached(result.sequence)
        return { kind: 'accepted', sequence: result.sequence }
      },
      leader: async (request) => {
        const reply = await stream.request(request)
        await this.#common.reached(reply.sequence)
        return reply
      },
      reached: async (sequence) => {
        await this.#common.reached(sequence)
        return undefined
      },
      setHead: async (number) => {
        const result = await node.setHead(number)
        const { sequence } = node.view().head
        if (result.kind === 'unwound') await this.#common.reached(sequence)
        return { result, sequence }
      },
      ...filterForwarding((worker) => this.#joined().find(({ number }) => number === worker)?.channel),
      metrics: () => this.metrics.text(),
    }
  }

  #takeApplied(worker: WorkerProcess, sequence: number): void {
    worker.served?.takeApplied(sequence)
    this.#common.advance(worker, sequence)
    const isBack = worker.hasJoined && !worker.isTracked && sequence >= this.#deps.stream.newestSequence
    if (isBack) this.#waitFor(worker)
  }

  #waitFor(worker: WorkerProcess): void {
    worker.isTracked = true
    this.#common.join(worker, worker.served?.applied ?? 0)
  }

  #sendPulse(): void {
    const { stream, condition } = this.#deps
    const pulse: ToWorker = {
      kind: 'pulse',
      newestSequence: stream.newestSequence,
      condition: condition(),
      answering: this.size,
    }
    for (const { channel } of this.#running.values()) channel.notify(pulse)
  }

  #look(): void {
    this.#time += PULSE_INTERVAL_MS
    this.#sendPulse()
    for (const worker of this.#running.values()) {
      const stalledFor = Math.max(worker.served?.stalledFor ?? 0, this.#time - worker.lastMessageAt)
      if (stalledFor > PATIENCE_MS && worker.isTracked) {
        worker.isTracked = false
        this.#common.leave(worker)
      }
      if (stalledFor > (worker.hasJoined ? STALL_LIMIT_MS : START_LIMIT_MS)) this.#end(worker, 'it hangs')
      // A replica that restored a snapshot of another history has a new log.
      else if (worker.served?.isAhead) this.#end(worker, 'its records are not those of the node any more')
    }
  }

  /** Kills a worker; its exit restarts it. */
  #end({ number, process }: WorkerProcess, reason: string, error?: unknown): void {
    this.#deps.log.warn({ worker: number, reason, err: error }, 'an RPC worker is ended')
    process.kill('SIGKILL')
  }

  #forget(worker: WorkerProcess): void {
    worker.channel.close()
    this.#port.leave(worker)
    worker.served?.close()
    this.#common.leave(worker)
    if (this.#running.get(worker.number) === worker) this.#running.delete(worker.number)
    if (!this.#isStopping) this.#sendPulse()
  }
}

/** Forks a process, or returns the error: Node throws some errors and emits others. */
function fork(): Worker | Error {
  try {
    return cluster.fork()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
