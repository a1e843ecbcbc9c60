import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import type { Clock } from '../../node/core/clock.ts'
import type { NodeHandle } from '../../node/core/node-handle.ts'
import type { RecordStream } from '../../replication/record-stream.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AdoptedSockets } from './adopted-sockets.ts'
import { ProcessChannel, type RequestHandlers } from './channel.ts'
import { CommonSequence } from './common-sequence.ts'
import { filterForwarding } from './filter-forwarding.ts'
import { ClusterMetrics } from './joint-metrics.ts'
import type { FromWorker, ToWorker, WriterCondition, WriterRequests } from './messages.ts'
import { failuresInARow, restartDelay } from './restart-delay.ts'
import { ServedWorker, type WorkerChannel } from './served-worker.ts'
import { SharedPort } from './shared-port.ts'

/** Milliseconds between looks at the workers, and between messages that say how the node is doing. */
const PULSE_INTERVAL = 1_000
/** Milliseconds after which clients of other workers do not wait for one that hangs. */
const PATIENCE = 2_000
/** Milliseconds after which a worker that applies or says nothing is ended. */
const STALL_LIMIT = 10_000
/** The same for one that is being started: it may read many records in one piece. */
const START_LIMIT = 60_000
/** Connections that wait for a worker, and for how many milliseconds. */
const MAX_WAITING_CONNECTIONS = 1_024
const CONNECTION_WAIT_LIMIT = 30_000

export interface RpcWorkersOptions {
  readonly count: number
  /** Path of the program that a worker runs. */
  readonly program: string
  /** What it is told at its beginning, besides the chain; with the port that they share. */
  readonly settings: (port: number) => unknown
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Milliseconds that the workers have to end. */
  readonly stopLimit: number
}

export interface RpcWorkersDeps {
  readonly node: NodeHandle
  readonly stream: RecordStream
  readonly clock: Clock
  readonly condition: () => WriterCondition
  readonly metrics: Metrics
  /** Serves what a worker cannot; absent: nobody does. */
  readonly adopted?: AdoptedSockets | undefined
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

interface WorkerProcess {
  readonly number: number
  readonly process: ChildProcess
  readonly channel: WorkerChannel
  /** When it said anything, as looks count. */
  lastMessageAt: number
  /** `undefined` before it has said that it hears. */
  served: ServedWorker | undefined
  /** Clients are answered by it. */
  hasJoined: boolean
  isTracked: boolean
}

/**
 * Processes that share a port and answer everything on it, each from its own heads upon this process' store, so that the
 * sequencer has its thread for itself. One that ends is started again.
 */
export class RpcWorkers {
  readonly #options: RpcWorkersOptions
  readonly #deps: RpcWorkersDeps
  readonly #running = new Map<number, WorkerProcess>()
  readonly #common = new CommonSequence<WorkerProcess>()
  readonly #metrics: ClusterMetrics
  readonly #port: SharedPort<WorkerProcess>
  readonly #restarts = new Set<NodeJS.Timeout>()
  readonly #pulse: NodeJS.Timeout
  #settings: unknown
  /** Milliseconds that looks have counted: while this process stood still, no worker was silent. */
  #time = 0
  #restartCount = 0
  #isStopping = false

  constructor(options: RpcWorkersOptions, deps: RpcWorkersDeps) {
    this.#options = options
    this.#deps = deps
    cluster.setupPrimary({ exec: options.program, args: [], serialization: 'advanced' })
    const { host, port } = options
    this.#metrics = new ClusterMetrics({
      own: () => deps.metrics.families(),
      others: () => this.#joined().map(({ channel }) => channel.request('metrics', undefined)),
    })
    this.#port = new SharedPort(
      { host, port, maxWaiting: MAX_WAITING_CONNECTIONS, waitLimit: CONNECTION_WAIT_LIMIT },
      {
        clock: deps.clock,
        give: ({ channel }, socket) => channel.notify({ kind: 'connection' }, socket),
        onLate: (connections) =>
          deps.log.warn(
            { connections, limit: CONNECTION_WAIT_LIMIT },
            'connections are closed: no RPC worker took them',
          ),
      },
    )
    this.#pulse = setInterval(() => this.#look(), PULSE_INTERVAL)
    this.#pulse.unref()
  }

  /** Those that answer. */
  get size(): number {
    return this.#joined().length
  }

  /** Workers that were started again. */
  get restarts(): number {
    return this.#restartCount
  }

  /** Records that the last of those that answer has not applied. */
  get lag(): number {
    const newest = this.#deps.stream.newestSequence
    return Math.max(0, ...this.#joined().map(({ served }) => newest - (served?.applied ?? 0)))
  }

  /**
   * Settles when all of them answer: at which port.
   *
   * @throws the error of `listen`, as EADDRINUSE; WorkerError of the first one that cannot start
   */
  async start(): Promise<number> {
    const port = await this.#port.listen()
    this.#settings = this.#options.settings(port)
    const numbers = Array.from({ length: this.#options.count }, (_, index) => index + 1)
    await Promise.all(numbers.map((number) => this.#start(number, 0)))
    return port
  }

  /** They finish what is under way, and end. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#pulse)
    for (const restart of this.#restarts) clearTimeout(restart)
    this.#port.close()
    this.#deps.adopted?.close()
    const ending = Array.from(this.#running.values(), async ({ channel, process, hasJoined }) => {
      const exited = new Promise((resolve) => process.once('exit', resolve))
      const end = () => process.kill('SIGKILL')
      const late = setTimeout(end, this.#options.stopLimit)
      // Before that it has no clients, and may not hear.
      if (hasJoined) channel.notify({ kind: 'stop' })
      else end()
      await exited
      clearTimeout(late)
    })
    await Promise.all(ending)
  }

  /** Hands a signal on to those that can take one: it would end any other. */
  signal(signal: NodeJS.Signals): void {
    for (const { process, served } of this.#running.values()) if (served !== undefined) process.kill(signal)
  }

  /** Those that answer: what a process is asked before it hears is lost, and it has no filters yet. */
  #joined(): readonly WorkerProcess[] {
    return Array.from(this.#running.values()).filter(({ hasJoined }) => hasJoined)
  }

  /** Settles when it answers. @param failures in a row, before this start */
  #start(number: number, failures: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const ended = (end: unknown, wasAnswering: boolean) => {
        reject(new WorkerError(`an RPC worker ended (${end}) before it was ready`))
        if (this.#isStopping || (failures === 0 && !wasAnswering)) return
        const inARow = failuresInARow(failures, performance.now() - startedAt)
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
      // Where there is no process there is no exit, and nobody else hears of it.
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
    onSettled: (message: Extract<FromWorker, { kind: 'ready' | 'failed' }>) => void,
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
            this.#port.taken(worker)
            break
          case 'upgrade':
            this.#deps.adopted?.take(message, handle)
            break
          default:
            onSettled(message)
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

  /** It is started again where the node has nothing to begin with, as a replica that takes over a chain. */
  #begin(worker: WorkerProcess): void {
    try {
      worker.served = this.#newServed(worker)
    } catch (error) {
      this.#end(worker, 'it cannot begin', error)
    }
  }

  /** @throws Error while a replica takes over a chain */
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
        // Before any client asks it how the node is doing.
        this.#tellPulse()
        this.#waitFor(worker)
        return stream.newestSequence
      },
      submit: async ({ raw, from }) => {
        const result = await stream.submit(raw, from)
        if (result.kind === 'refused') return result
        // Whoever sent it may ask another worker next.
        await this.#common.reached(result.sequence)
        return { kind: 'accepted', sequence: result.sequence }
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
      metrics: () => this.#metrics.text(),
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

  #tellPulse(): void {
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
    this.#time += PULSE_INTERVAL
    this.#tellPulse()
    for (const worker of this.#running.values()) {
      const stalledFor = Math.max(worker.served?.stalledFor ?? 0, this.#time - worker.lastMessageAt)
      if (stalledFor > PATIENCE && worker.isTracked) {
        worker.isTracked = false
        this.#common.leave(worker)
      }
      if (stalledFor > (worker.hasJoined ? STALL_LIMIT : START_LIMIT)) this.#end(worker, 'it hangs')
      // A replica that took over another history has another log.
      else if (worker.served?.isAhead) this.#end(worker, 'its records are not those of the node any more')
    }
  }

  /** It is started again when it is gone. */
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
    if (!this.#isStopping) this.#tellPulse()
  }
}

/** A new process, or why there can be none now: Node throws some reasons, and tells the others later. */
function fork(): Worker | Error {
  try {
    return cluster.fork()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
