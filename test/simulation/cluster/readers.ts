import { EventEmitter } from 'node:events'
import type { Forked } from '../guest/simulation.ts'
import { PipeEnd } from '../world/process-pipe.ts'
import type { SimulatedProcess } from '../world/simulated-process.ts'
import { NATURE, type World } from '../world/world.ts'

/** The parent notices the end of a child within this time, in milliseconds. */
const MAX_NOTICE_MS = 5
/** Milliseconds of a pause after which the node may no longer wait for a reader. */
const SHORT_PAUSE_MS = 1_000
/** Milliseconds in which a reader catches up after a pause, so that its node waits for it again. */
const CATCH_UP_MS = 3_000

export interface ReadersDeps {
  readonly world: World
  readonly createProcess: (name: string) => SimulatedProcess
  readonly start: (reader: SimulatedProcess, forked: Forked) => Promise<void>
}

interface Reader {
  readonly process: SimulatedProcess
  readonly writer: SimulatedProcess
  readonly number: number
  readonly ends: readonly [parent: PipeEnd, child: PipeEnd]
  readonly worker: ForkedWorker
}

/** The part of a `Worker` of `node:cluster` that the sources use. */
class ForkedWorker extends EventEmitter {
  readonly process: PipeEnd & { readonly pid: number; kill(): void }

  constructor(end: PipeEnd, kill: () => void) {
    super()
    this.process = Object.assign(end, { pid: 1, kill })
  }
}

/** The RPC workers of one machine: processes that its node has forked, and which read its disk. */
export class Readers {
  readonly #name: string
  readonly #deps: ReadersDeps
  #living: readonly Reader[] = []
  /** Nodes one of whose readers ended by a fault. */
  readonly #disturbed = new WeakSet<SimulatedProcess>()

  /** @param name of the machine */
  constructor(name: string, deps: ReadersDeps) {
    this.#name = name
    this.#deps = deps
  }

  /** Those of a node that have not ended, in the order of their starts. */
  of(writer: SimulatedProcess | undefined): readonly SimulatedProcess[] {
    return this.#living.filter((one) => one.writer === writer).map(({ process }) => process)
  }

  get living(): readonly SimulatedProcess[] {
    return this.#living.map(({ process }) => process)
  }

  /** Whether a fault ended a reader of this node. */
  hasDisturbed(writer: SimulatedProcess): boolean {
    return this.#disturbed.has(writer)
  }

  /** `cluster.fork` of a node. */
  fork(writer: SimulatedProcess): ForkedWorker {
    const { world, createProcess, start } = this.#deps
    const number = this.#freeNumber()
    const process = createProcess(`${this.#name}/${number}`)
    const ends = PipeEnd.between(writer, process, { ...world, random: world.random.fork() })
    const worker = new ForkedWorker(ends[0], () =>
      world.scheduler.after(0, NATURE, `signal ${process.name}`, () => this.#end(reader, null, 'SIGKILL')),
    )
    const reader: Reader = { process, writer, number, ends, worker }
    this.#living = [...this.#living, reader]
    // A process of `node:cluster` exits when it loses its parent.
    ends[1].on('disconnect', () => this.#end(reader, 0))
    world.scheduler.after(world.random.between(1, 50), process, 'start', () => {
      void start(process, { pipe: ends[1], exit: (code) => this.#end(reader, code) })
    })
    return worker
  }

  /** A fault kills a reader. */
  kill(process: SimulatedProcess): void {
    const reader = this.#living.find((one) => one.process === process)
    if (reader === undefined) return
    this.#disturbed.add(reader.writer)
    this.#end(reader, null, 'SIGKILL')
  }

  pause(process: SimulatedProcess, durationMs: number): void {
    const { scheduler, trace } = this.#deps.world
    process.pausedUntil = scheduler.now + durationMs
    if (durationMs > SHORT_PAUSE_MS) process.mayLagUntil = process.pausedUntil + CATCH_UP_MS
    trace.note(process.name, `pauses for ${Math.round(durationMs)} ms`)
  }

  /** The node has died: its readers notice. */
  lose(writer: SimulatedProcess): void {
    for (const { process, ends } of this.#living.filter((one) => one.writer === writer)) {
      process.mayLagUntil = Number.POSITIVE_INFINITY
      ends[1].disconnect()
    }
  }

  /** The machine has lost power, or its operator ends everything. */
  endAll(): void {
    for (const { process } of this.#living) {
      process.kill()
      this.#deps.world.network.drop(process, () => this.#deps.world.random.between(0, 20_000))
    }
    this.#living = []
  }

  #end(reader: Reader, code: number | null, signal: string | null = null): void {
    const { process, writer, ends } = reader
    if (!process.isAlive) return
    const { network, random, scheduler, trace } = this.#deps.world
    trace.note(process.name, signal === null ? `ends with code ${code}` : 'is killed')
    process.kill()
    this.#living = this.#living.filter((one) => one !== reader)
    network.drop(process, () => random.between(0, MAX_NOTICE_MS))
    ends[0].disconnect()
    scheduler.after(random.between(0, MAX_NOTICE_MS), writer, `exit of ${process.name}`, () =>
      ends[0].emit('exit', code, signal),
    )
  }

  #freeNumber(): number {
    const taken = this.#living.map(({ number }) => number)
    let number = 1
    while (taken.includes(number)) number += 1
    return number
  }
}
